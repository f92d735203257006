// Functions that programs register by name to hear of devices, streams and aborts.
#pragma once

#include <cstdint>
#include <string>

#include "base/errors.hpp"

namespace aclref {

/// Each registers a function under a name, or with a null function removes the name. False: the name is taken.
bool register_device_callback(const std::string& name, aclrtDeviceStateCallback callback, void* argument);
bool register_stream_callback(const std::string& name, aclrtStreamStateCallback callback, void* argument);
bool register_abort_callback(const std::string& name, aclrtDeviceTaskAbortCallback callback, void* argument);

/// Calls every registered function on the calling thread; no lock of the library may be held.
void report_device_state(std::int32_t device, aclrtDeviceState state);
void report_stream_state(aclrtStream stream, aclrtStreamState state);
/// The first non-zero answer, or 0.
std::int32_t report_task_abort(std::int32_t device, aclrtDeviceTaskAbortStage stage, std::uint32_t timeout);

void forget_state_callbacks();

}  // namespace aclref
