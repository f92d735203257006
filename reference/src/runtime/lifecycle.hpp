// aclInit and aclFinalize: the count of initialisations, and the functions that want to hear of them.
#pragma once

#include <cstdint>

#include "base/errors.hpp"

namespace aclref {

/// 0, ACL_ERROR_REPEAT_INITIALIZE (which counts as well), or why the configuration was refused.
aclError initialise(const char* path);
/// aclInit failed before it could begin. Nothing happens, unless a fault asks for it.
void note_failed_initialisation();
/// Undoes every initialisation, on products that nest one of them.
aclError finalise();
/// Undoes one; `remaining` gets how many are left.
aclError finalise_reference(std::uint64_t& remaining);

aclError register_init_callback(aclRegisterCallbackType type, aclInitCallbackFunc function, void* argument);
aclError unregister_init_callback(aclRegisterCallbackType type, aclInitCallbackFunc function);
aclError register_finalise_callback(aclRegisterCallbackType type, aclFinalizeCallbackFunc function, void* argument);
aclError unregister_finalise_callback(aclRegisterCallbackType type, aclFinalizeCallbackFunc function);

/// As if the process had never initialised; registered functions go as well.
void forget_lifecycle();

}  // namespace aclref
