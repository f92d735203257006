// Page-locked host memory and registered host ranges.
#include <algorithm>
#include <thread>

#include "base/faults/memory.hpp"
#include "base/profile.hpp"
#include "memory/address_space.hpp"
#include "memory/allocation.hpp"
#include "memory/host_memory.hpp"
#include "memory/pages.hpp"
#include "runtime/stream.hpp"

using namespace aclref;

namespace {

constexpr std::chrono::milliseconds unbounded{-1};
constexpr uint32_t unsupported_flags = ACL_HOST_REG_IOMEMORY | ACL_HOST_REG_READONLY;
constexpr uint32_t known_flags = ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED | unsupported_flags;

/// For faults: the only thread that a broken library knows.
const std::thread::id loading_thread = std::this_thread::get_id();

bool in_other_thread() { return std::this_thread::get_id() != loading_thread; }

/// For faults: a block of more than 4 MiB.
bool is_large(const void* pointer) { return AddressSpace::instance().locate(pointer).size > 4 * MiB; }

/// For faults: what a release waits for, though nobody has promised it.
void wait_before_free(const void* pointer) {
    auto context = Runtime::instance().current_context();
    if (!context) return;
    if (faulty(Fault::free_host_large_waits) && is_large(pointer)) synchronize_context(*context, unbounded);
    auto stream = faulty(Fault::free_host_waits_for_default_stream) ? context->default_stream() : nullptr;
    if (stream) stream->synchronize();
}

/// For a fault: the streams of a device except its default ones and the one that was made last.
bool is_older(const Stream& stream) {
    auto streams = Runtime::instance().streams().all();
    return !stream.is_default() && std::any_of(streams.begin(), streams.end(), [&](const auto& other) {
        return &other->device() == &stream.device() && other->id() > stream.id();
    });
}

/// For a fault: waits for the device's default streams and for the one that was made last.
aclError wait_for_youngest(const Device& device) {
    for (const auto& stream : Runtime::instance().streams().all())
        if (&stream->device() == &device && !is_older(*stream))
            if (aclError code = stream->synchronize()) return code;
    return ACL_SUCCESS;
}

/// Products whose device can reach registered host memory.
bool device_reaches_host() { return profile().supports(Function::aclrtHostRegister); }

/// For a fault: a null pointer that goes unnoticed.
bool nothing(const void* pointer) { return pointer == nullptr && faulty(Fault::host_register_null_accepted); }

aclError register_on_current_device(void* pointer, uint64_t size, uint32_t flags, const char* api) {
    aclError code = 0;
    auto context = require_context(code, api);
    if (!context) return code;
    return register_host(pointer, size, flags, context->device().id(), api);
}

}  // namespace

aclError aclrtMallocHost(void** hostPtr, size_t size) {
    ACLREF_ENTER(aclrtMallocHost);
    return allocate_pinned(hostPtr, size, nullptr, __func__);
}

aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size, aclrtMallocConfig* cfg) {
    ACLREF_ENTER(aclrtMallocHostWithCfg);
    if (cfg == nullptr && faulty(Fault::malloc_config_null_refused))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: cfg is null", __func__);
    return allocate_pinned(ptr, size, cfg, __func__);
}

aclError aclrtFreeHost(void* hostPtr) {
    ACLREF_ENTER(aclrtFreeHost);
    if (hostPtr == nullptr && faulty(Fault::release_null_accepted)) return ACL_SUCCESS;
    if (hostPtr == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: hostPtr is null", __func__);
    if (faulty(Fault::free_host_refused_in_other_threads) && in_other_thread())
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p is another thread's", __func__, hostPtr);
    wait_before_free(hostPtr);
    if (faulty(Fault::free_host_takes_device_memory) && free_device(hostPtr, __func__) == ACL_SUCCESS) return ACL_SUCCESS;
    return free_host(hostPtr, __func__);
}

aclError aclrtFreeHostWithDevSync(void* hostPtr) {
    ACLREF_ENTER(aclrtFreeHostWithDevSync);
    if (hostPtr == nullptr && faulty(Fault::release_null_accepted)) return ACL_SUCCESS;
    if (hostPtr == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: hostPtr is null", __func__);
    aclError code = 0;
    auto context = require_context(code, __func__);
    if (!context) return code;
    if (faulty(Fault::free_host_refused_in_other_threads) && in_other_thread())
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p is another thread's", __func__, hostPtr);
    const bool own_only = faulty(Fault::free_host_with_dev_sync_waits_for_own_context);
    const bool youngest_only = faulty(Fault::free_host_with_dev_sync_waits_for_youngest);
    if (youngest_only && (code = wait_for_youngest(context->device())) != 0) return code;
    const bool at_once = faulty(Fault::free_with_sync_does_not_wait) || youngest_only ||
                         (faulty(Fault::free_host_with_dev_sync_large_at_once) && is_large(hostPtr));
    if (!at_once)
        for (const auto& each : Runtime::instance().contexts().all())
            if (&each->device() == &context->device() && (!own_only || each == context) &&
                (code = synchronize_context(*each, unbounded)) != 0)
                return fail(code, "%s: the work on the device failed", __func__);
    if (faulty(Fault::free_host_with_dev_sync_keeps_memory)) return ACL_SUCCESS;
    if (faulty(Fault::free_host_with_dev_sync_takes_device_memory) && free_device(hostPtr, __func__) == ACL_SUCCESS)
        return ACL_SUCCESS;
    return free_host(hostPtr, __func__);
}

aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type, void** devPtr) {
    if (faulty(Fault::host_register_failure_leaves_entry) && registration_failed_before(ptr))
        return fail(ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "%s: %p is registered already", __func__, ptr);
    ACLREF_ENTER(aclrtHostRegister);
    if (nothing(ptr) || nothing(devPtr)) return ACL_SUCCESS;
    if (ptr == nullptr || devPtr == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: a pointer is null", __func__);
    if (size == 0 && faulty(Fault::host_register_size_zero_accepted)) size = 1;
    if (size == 0) return fail(ACL_ERROR_INVALID_PARAM, "%s: size is 0", __func__);
    if (type != ACL_HOST_REGISTER_MAPPED && !faulty(Fault::host_register_flags_unchecked))
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: type %d is not supported", __func__, type);
    if (aclError code = register_on_current_device(ptr, size, ACL_HOST_REG_MAPPED, __func__)) return code;
    return host_device_pointer(ptr, devPtr, __func__);
}

aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag) {
    if (faulty(Fault::host_register_failure_leaves_entry) && registration_failed_before(ptr))
        return fail(ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "%s: %p is registered already", __func__, ptr);
    ACLREF_ENTER(aclrtHostRegisterV2);
    if (nothing(ptr)) return ACL_SUCCESS;
    if (ptr == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: ptr is null", __func__);
    if (size == 0 && faulty(Fault::host_register_size_zero_accepted)) size = 1;
    if (size == 0) return fail(ACL_ERROR_INVALID_PARAM, "%s: size is 0", __func__);
    if (faulty(Fault::host_register_flags_unchecked)) flag = (flag & ACL_HOST_REG_PINNED) | ACL_HOST_REG_MAPPED;
    if (flag == 0 || (flag & ~known_flags) != 0 || (faulty(Fault::host_register_one_flag) && (flag & (flag - 1)) != 0))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: flag %#x is not defined", __func__, flag);
    if ((flag & unsupported_flags) != 0)
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: flag %#x is not supported", __func__, flag);
    return register_on_current_device(ptr, size, flag, __func__);
}

aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t flag) {
    ACLREF_ENTER(aclrtHostGetDevicePointer);
    if (nothing(pHost) || nothing(pDevice)) return ACL_SUCCESS;
    if (pHost == nullptr || pDevice == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: a pointer is null", __func__);
    if (flag != 0 && !faulty(Fault::host_pointer_flag_ignored))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: flag is %u, not 0", __func__, flag);
    if (faulty(Fault::host_pointer_refused_in_other_threads) && in_other_thread())
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p is not registered", __func__, pHost);
    const aclError code = host_device_pointer(pHost, pDevice, __func__);
    if (code == 0 && faulty(Fault::host_pointer_of_page)) *pDevice = static_cast<char*>(*pDevice) + 4096;
    return code;
}

aclError aclrtHostUnregister(void* ptr) {
    ACLREF_ENTER(aclrtHostUnregister);
    if (nothing(ptr)) return ACL_SUCCESS;
    if (ptr == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: ptr is null", __func__);
    return unregister_host(ptr, __func__);
}

aclError aclrtHostMemMapCapabilities(uint32_t deviceId, aclrtHacType hacType, aclrtHostMemMapCapability* capabilities) {
    ACLREF_ENTER(aclrtHostMemMapCapabilities);
    if (nothing(capabilities)) return ACL_SUCCESS;
    if (capabilities == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: capabilities is null", __func__);
    if (faulty(Fault::host_capabilities_unchecked)) hacType = ACL_RT_HAC_TYPE_CCU, deviceId = 0;
    if (static_cast<unsigned>(hacType) > ACL_RT_HAC_TYPE_CCU)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: accelerator %d is not defined", __func__, hacType);
    if (deviceId >= static_cast<uint32_t>(Runtime::instance().device_count()))
        return fail(ACL_ERROR_RT_INVALID_DEVICEID, "%s: there is no device %u", __func__, deviceId);
    *capabilities = device_reaches_host() ? ACL_RT_HOST_MEM_MAP_SUPPORTED : ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED;
    if (faulty(Fault::host_capabilities_not_binary)) *capabilities = static_cast<aclrtHostMemMapCapability>(hacType);
    return ACL_SUCCESS;
}
