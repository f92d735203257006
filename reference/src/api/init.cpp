// Chapter 02: initialisation and finalisation.
#include "base/faults/runtime.hpp"
#include "runtime/lifecycle.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;

extern "C" {

aclError aclInit(const char* configPath) {
    if (aclError code = enter(Function::aclInit)) {
        note_failed_initialisation();
        return code;
    }
    return initialise(configPath);
}

aclError aclFinalize() {
    ACLREF_ENTER(aclFinalize);
    return finalise();
}

aclError aclFinalizeReference(uint64_t* refCount) {
    ACLREF_ENTER(aclFinalizeReference);
    if (faulty(Fault::finalize_reference_needs_count)) ACLREF_REQUIRE(refCount);
    std::uint64_t remaining = 0;
    aclError code = finalise_reference(remaining);
    if (refCount) *refCount = remaining;
    return code;
}

aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc, void* userData) {
    ACLREF_ENTER(aclInitCallbackRegister);
    ACLREF_REQUIRE(cbFunc);
    return register_init_callback(type, cbFunc, userData);
}

aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc) {
    ACLREF_ENTER(aclInitCallbackUnRegister);
    ACLREF_REQUIRE(cbFunc);
    return unregister_init_callback(type, cbFunc);
}

aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc, void* userData) {
    ACLREF_ENTER(aclFinalizeCallbackRegister);
    ACLREF_REQUIRE(cbFunc);
    return register_finalise_callback(type, cbFunc, userData);
}

aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc) {
    ACLREF_ENTER(aclFinalizeCallbackUnRegister);
    ACLREF_REQUIRE(cbFunc);
    return unregister_finalise_callback(type, cbFunc);
}

}  // extern "C"
