// Allocator descriptors and their registration for streams.
#include "copy/allocator.hpp"

#include "base/faults/copy.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;

namespace {

/// Stores one value in a descriptor; null descriptors and null values are refused.
aclError set(const char* api, aclrtAllocatorDesc descriptor, void* value, const char* what,
             void (*change)(AllocatorHooks& hooks, void* value)) {
    if (descriptor == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: allocatorDesc is null", api);
    if (value == nullptr) {
        if (faulty(Fault::allocator_null_hook_accepted)) return 0;
        return fail(ACL_ERROR_INVALID_PARAM, "%s: %s is null", api, what);
    }
    if (!change_allocator_descriptor(descriptor, change, value))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: allocatorDesc is not a live descriptor", api);
    return 0;
}

}  // namespace

aclrtAllocatorDesc aclrtAllocatorCreateDesc() {
    if (enter(Function::aclrtAllocatorCreateDesc) != 0) return nullptr;
    return create_allocator_descriptor();
}

aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc) {
    ACLREF_ENTER(aclrtAllocatorDestroyDesc);
    if (allocatorDesc == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: allocatorDesc is null", __func__);
    if (!destroy_allocator_descriptor(allocatorDesc))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: allocatorDesc is not a live descriptor", __func__);
    return 0;
}

aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocator allocator) {
    ACLREF_ENTER(aclrtAllocatorSetObjToDesc);
    return set(__func__, allocatorDesc, allocator, "allocator",
               [](AllocatorHooks& hooks, void* value) { hooks.object = value; });
}

aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocFunc func) {
    ACLREF_ENTER(aclrtAllocatorSetAllocFuncToDesc);
    return set(__func__, allocatorDesc, reinterpret_cast<void*>(func), "func", [](AllocatorHooks& hooks, void* value) {
        hooks.allocate = reinterpret_cast<aclrtAllocatorAllocFunc>(value);
    });
}

aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorFreeFunc func) {
    ACLREF_ENTER(aclrtAllocatorSetFreeFuncToDesc);
    return set(__func__, allocatorDesc, reinterpret_cast<void*>(func), "func", [](AllocatorHooks& hooks, void* value) {
        hooks.release = reinterpret_cast<aclrtAllocatorFreeFunc>(value);
    });
}

aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocAdviseFunc func) {
    ACLREF_ENTER(aclrtAllocatorSetAllocAdviseFuncToDesc);
    return set(__func__, allocatorDesc, reinterpret_cast<void*>(func), "func", [](AllocatorHooks& hooks, void* value) {
        hooks.allocate_at = reinterpret_cast<aclrtAllocatorAllocAdviseFunc>(value);
    });
}

aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                     aclrtAllocatorGetAddrFromBlockFunc func) {
    ACLREF_ENTER(aclrtAllocatorSetGetAddrFromBlockFuncToDesc);
    return set(__func__, allocatorDesc, reinterpret_cast<void*>(func), "func", [](AllocatorHooks& hooks, void* value) {
        hooks.address_of = reinterpret_cast<aclrtAllocatorGetAddrFromBlockFunc>(value);
    });
}

aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc) {
    ACLREF_ENTER(aclrtAllocatorRegister);
    if (stream == nullptr && !faulty(Fault::allocator_null_stream_accepted))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: stream is null, the default stream has no allocator", __func__);
    if (allocatorDesc == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: allocatorDesc is null", __func__);
    auto hooks = allocator_descriptor(allocatorDesc);
    if (!hooks) return fail(ACL_ERROR_INVALID_PARAM, "%s: allocatorDesc is not a live descriptor", __func__);
    if (hooks->object == nullptr && !faulty(Fault::allocator_object_optional))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: the descriptor has no allocator object", __func__);
    if (hooks->allocate == nullptr || hooks->release == nullptr || hooks->address_of == nullptr)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: the descriptor lacks the %s callback", __func__,
                    hooks->allocate == nullptr  ? "allocation"
                    : hooks->release == nullptr ? "release"
                                                : "address");
    if (hooks->allocate_at == nullptr && faulty(Fault::allocator_advise_required))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: the descriptor lacks the advised allocation callback", __func__);
    register_allocator(stream, {allocatorDesc, *hooks});
    return 0;
}

aclError aclrtAllocatorGetByStream(aclrtStream stream, aclrtAllocatorDesc* allocatorDesc, aclrtAllocator* allocator,
                                   aclrtAllocatorAllocFunc* allocFunc, aclrtAllocatorFreeFunc* freeFunc,
                                   aclrtAllocatorAllocAdviseFunc* allocAdviseFunc,
                                   aclrtAllocatorGetAddrFromBlockFunc* getAddrFromBlockFunc) {
    ACLREF_ENTER(aclrtAllocatorGetByStream);
    if (stream == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: stream is null", __func__);
    if (allocatorDesc == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: allocatorDesc is null", __func__);
    auto registered = registered_allocator(stream);
    if (!registered) {
        if (faulty(Fault::allocator_missing_is_success)) return 0;
        return fail(ACL_ERROR_INVALID_PARAM, "%s: no allocator is registered for the stream", __func__);
    }
    *allocatorDesc = registered->descriptor;
    if (allocator != nullptr) *allocator = registered->hooks.object;
    if (allocFunc != nullptr) *allocFunc = registered->hooks.allocate;
    if (freeFunc != nullptr) *freeFunc = registered->hooks.release;
    if (allocAdviseFunc != nullptr) *allocAdviseFunc = registered->hooks.allocate_at;
    if (getAddrFromBlockFunc != nullptr) *getAddrFromBlockFunc = registered->hooks.address_of;
    if (faulty(Fault::allocator_hooks_swapped) && allocFunc != nullptr && getAddrFromBlockFunc != nullptr)
        *getAddrFromBlockFunc = reinterpret_cast<aclrtAllocatorGetAddrFromBlockFunc>(reinterpret_cast<void*>(*allocFunc));
    return 0;
}

aclError aclrtAllocatorUnregister(aclrtStream stream) {
    ACLREF_ENTER(aclrtAllocatorUnregister);
    if (stream == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: stream is null", __func__);
    if (faulty(Fault::allocator_unregister_unknown_fails) && !registered_allocator(stream))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: no allocator is registered for the stream", __func__);
    if (faulty(Fault::allocator_unregister_needs_stream) && !Runtime::instance().streams().find(stream))
        return fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: the stream is not alive", __func__);
    unregister_allocator(stream);
    return 0;
}
