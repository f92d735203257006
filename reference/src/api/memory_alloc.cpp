// Device memory: allocation, release, cache maintenance.
#include "base/faults/memory.hpp"
#include "memory/address_space.hpp"
#include "memory/allocation.hpp"
#include "memory/host_memory.hpp"
#include "memory/regions.hpp"
#include "runtime/stream.hpp"

using namespace aclref;

namespace {

constexpr std::chrono::milliseconds unbounded{-1};

/// For a fault: waits for the default stream of the context, and of the others for the one that was made last.
aclError wait_for_newest(const Context& context) {
    std::shared_ptr<Stream> newest;
    for (const auto& stream : Runtime::instance().streams().all()) {
        if (stream->context().get() != &context) continue;
        if (stream->is_default()) stream->synchronize(unbounded);
        else if (!newest || stream->id() > newest->id()) newest = stream;
    }
    return newest ? newest->synchronize(unbounded) : ACL_SUCCESS;
}

/// Waits for everything queued on the current device.
aclError wait_for_device(const char* api) {
    aclError code = 0;
    auto context = require_context(code, api);
    if (!context) return code;
    for (const auto& each : Runtime::instance().contexts().all()) {
        if (each != context && faulty(Fault::free_with_dev_sync_waits_for_context)) continue;
        if (&each->device() != &context->device()) continue;
        const bool newest = faulty(Fault::free_with_dev_sync_waits_for_newest);
        if (code = newest ? wait_for_newest(*each) : synchronize_context(*each, unbounded); code != 0)
            return fail(code, "%s: the work on the device failed", api);
    }
    return ACL_SUCCESS;
}

/// For a fault: waits for the default stream of the current context.
void wait_for_default_stream() {
    const auto context = Runtime::instance().current_context();
    if (const auto stream = context ? context->default_stream() : nullptr) stream->synchronize(unbounded);
}

/// Whether the block is larger than 2 MiB; for faults.
bool large(const void* pointer) {
    const auto region = AddressSpace::instance().impl().find(reinterpret_cast<uintptr_t>(pointer));
    return region && region->span > huge_page;
}

/// Whether the block was made by a call that takes a configuration; for faults.
bool configured(const void* pointer) {
    const auto region = AddressSpace::instance().impl().find(reinterpret_cast<uintptr_t>(pointer));
    return region && region->configured;
}

/// The calls that maintain caches have nothing to do: caches are coherent in this generation.
aclError maintain_cache(void* pointer, size_t size, const char* api) {
    if ((pointer == nullptr || size == 0) && faulty(Fault::cache_call_arguments_unchecked)) return ACL_SUCCESS;
    if (pointer == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: devPtr is null", api);
    if (size == 0) return fail(ACL_ERROR_INVALID_PARAM, "%s: size is 0", api);
    AddressSpace& space = AddressSpace::instance();
    const Located located = space.locate(pointer);
    if (located.on_host()) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p is not device memory", api, pointer);
    if (aclError code = space.check_range(pointer, size, false, located.device)) return code;
    if (faulty(Fault::cache_call_clears_memory)) return space.fill(pointer, 0, size);
    return ACL_SUCCESS;
}

}  // namespace

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
    ACLREF_ENTER(aclrtMalloc);
    if (aclError stale = take_stale_registration_error(); stale != 0)
        return fail(stale, "%s: the error of an earlier registration", __func__);
    return allocate_device(devPtr, size, policy, nullptr, {}, __func__);
}

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
    ACLREF_ENTER(aclrtMallocAlign32);
    aclError code = allocate_device(devPtr, size, policy, nullptr, {.padded = false}, __func__);
    if (code == ACL_SUCCESS && faulty(Fault::malloc_align32_refused_by_free)) *devPtr = static_cast<char*>(*devPtr) + 32;
    return code;
}

aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
    ACLREF_ENTER(aclrtMallocCached);
    if (faulty(Fault::malloc_cached_normal_refused) && policy == ACL_MEM_MALLOC_NORMAL_ONLY)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: normal pages are not cached", __func__);
    return allocate_device(devPtr, size, policy, nullptr, {.cached = true}, __func__);
}

aclError aclrtMallocWithCfg(void** devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig* cfg) {
    ACLREF_ENTER(aclrtMallocWithCfg);
    return allocate_device(devPtr, size, policy, cfg, {.groups_of_bits = true}, __func__);
}

aclError aclrtMallocForTaskScheduler(void** devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig* cfg) {
    ACLREF_ENTER(aclrtMallocForTaskScheduler);
    return allocate_device(devPtr, size, policy, cfg, {.groups_of_bits = true}, __func__);
}

aclError aclrtFree(void* devPtr) {
    ACLREF_ENTER(aclrtFree);
    if (faulty(Fault::free_waits_for_device) && devPtr != nullptr)
        if (aclError code = wait_for_device(__func__)) return code;
    if (faulty(Fault::free_large_waits_for_device) && large(devPtr))
        if (aclError code = wait_for_device(__func__)) return code;
    if (faulty(Fault::free_waits_for_default_stream) && devPtr != nullptr) wait_for_default_stream();
    if (faulty(Fault::free_refuses_configured_blocks) && configured(devPtr))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p is no block of aclrtMalloc", __func__, devPtr);
    return free_device(devPtr, __func__);
}

aclError aclrtFreeWithDevSync(void* devPtr) {
    ACLREF_ENTER(aclrtFreeWithDevSync);
    if (devPtr == nullptr && faulty(Fault::release_null_accepted)) return ACL_SUCCESS;
    if (devPtr == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: devPtr is null", __func__);
    if (faulty(Fault::free_with_dev_sync_knows_plain_blocks_only) && configured(devPtr))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p is no block of aclrtMalloc", __func__, devPtr);
    if (!faulty(Fault::free_with_sync_does_not_wait))
        if (aclError code = wait_for_device(__func__)) return code;
    if (faulty(Fault::free_with_dev_sync_keeps_memory)) return ACL_SUCCESS;
    return free_device(devPtr, __func__);
}

aclError aclrtMemFlush(void* devPtr, size_t size) {
    ACLREF_ENTER(aclrtMemFlush);
    return maintain_cache(devPtr, size, __func__);
}

aclError aclrtMemInvalidate(void* devPtr, size_t size) {
    ACLREF_ENTER(aclrtMemInvalidate);
    return maintain_cache(devPtr, size, __func__);
}
