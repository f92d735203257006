// Managed memory, mappings for peers and cache maintenance on streams.
#include <atomic>
#include <chrono>
#include <cstring>
#include <vector>

#include "base/faults/memory.hpp"
#include "base/profile.hpp"
#include "copy/peer.hpp"
#include "memory/address_space.hpp"
#include "memory/managed.hpp"
#include "memory/cache_operations.hpp"
#include "runtime/stream.hpp"

using namespace aclref;

namespace {

aclError null_pointer(const char* api, aclError code = ACL_ERROR_INVALID_PARAM) {
    return faulty(Fault::managed_null_accepted) ? ACL_SUCCESS : fail(code, "%s: a pointer is null", api);
}

aclError no_bytes(const char* api, aclError code = ACL_ERROR_INVALID_PARAM) {
    return faulty(Fault::managed_size_zero_accepted) ? ACL_SUCCESS : fail(code, "%s: size is 0", api);
}

aclError wrong_flags(const char* api, uint64_t flags) {
    if (faulty(Fault::managed_flags_unchecked)) return ACL_SUCCESS;
    return fail(ACL_ERROR_INVALID_PARAM, "%s: flags %#lx cannot be used here", api, flags);
}

/// How cache operations answer to a null pointer and to no bytes.
aclError null_to_cache(const char* api, aclError code) {
    return faulty(Fault::cmo_null_accepted) ? ACL_SUCCESS : fail(code, "%s: a pointer is null", api);
}

aclError nothing_to_cache(const char* api, aclError code) {
    return faulty(Fault::cmo_size_zero_accepted) ? ACL_SUCCESS : fail(code, "%s: size is 0", api);
}

aclError unknown_operation(const char* api, aclrtCmoType type) {
    if (faulty(Fault::cmo_type_unchecked)) return ACL_SUCCESS;
    return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: type %d is not supported", api, type);
}

struct Prefetch {
    const void* pointer;
    size_t size;
    aclrtMemManagedLocation location;
};

aclError submit_prefetches(std::vector<Prefetch> prefetches, Stream& stream) {
    Task task;
    task.kind = "prefetch";
    task.run = [prefetches = std::move(prefetches)] {
        for (const Prefetch& one : prefetches) move_managed(one.pointer, one.size, one.location);
        return Progress::Done();
    };
    if (faulty(Fault::managed_prefetch_waits)) stream.synchronize(std::chrono::milliseconds(-1));
    return stream.submit(std::move(task));
}

aclError check_prefetch(const Prefetch& prefetch, const char* api) {
    if (aclError code = check_managed_location(prefetch.location, api)) return code;
    return check_managed_range(prefetch.pointer, prefetch.size, api);
}

/// Indexes start at 0, rise and stay below the count.
aclError check_indexes(const size_t* indexes, size_t numbers, size_t count, const char* api) {
    for (size_t place = 0; place < numbers; ++place) {
        const bool right = place == 0 ? indexes[0] == 0 : indexes[place] > indexes[place - 1];
        if (!right || indexes[place] >= count)
            return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: prefetchLocIdxs[%zu] is %zu", api, place, indexes[place]);
    }
    return ACL_SUCCESS;
}

}  // namespace

aclError aclrtMemAllocManaged(void** ptr, uint64_t size, uint32_t flag) {
    ACLREF_ENTER(aclrtMemAllocManaged);
    if (ptr == nullptr) return null_pointer(__func__);
    if (flag != ACL_RT_MEM_ATTACH_GLOBAL) return wrong_flags(__func__, flag);
    if (size == 0) return no_bytes(__func__, ACL_ERROR_RT_PARAM_INVALID);
    aclError code = 0;
    auto context = require_context(code, __func__);
    if (!context && faulty(Fault::managed_needs_no_context)) return allocate_managed(size, 0, ptr, __func__);
    if (!context) return code;
    return allocate_managed(size, context->device().id(), ptr, __func__);
}

aclError aclrtMemManagedAdvise(const void* const ptr, uint64_t size, aclrtMemManagedAdviseType advise,
                               aclrtMemManagedLocation location) {
    ACLREF_ENTER(aclrtMemManagedAdvise);
    if (ptr == nullptr) return null_pointer(__func__);
    if (size == 0) return no_bytes(__func__);
    return advise_managed(ptr, size, advise, location, __func__);
}

aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute, const void* ptr, size_t size, void* data,
                                size_t dataSize) {
    ACLREF_ENTER(aclrtMemManagedGetAttr);
    if (ptr == nullptr || data == nullptr) return null_pointer(__func__);
    if (size == 0) return no_bytes(__func__);
    return managed_attribute(attribute, ptr, size, data, dataSize, __func__);
}

aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute* attributes, size_t numAttributes, const void* ptr,
                                 size_t size, void** data, size_t* dataSizes) {
    ACLREF_ENTER(aclrtMemManagedGetAttrs);
    if (attributes == nullptr || ptr == nullptr || data == nullptr || dataSizes == nullptr)
        return null_pointer(__func__);
    if (size == 0) return no_bytes(__func__);
    if (numAttributes == 0)
        return faulty(Fault::managed_counts_unchecked)
                   ? ACL_SUCCESS
                   : fail(ACL_ERROR_RT_PARAM_INVALID, "%s: numAttributes is 0", __func__);
    for (size_t index = 0; index < numAttributes; ++index) {
        if (data[index] == nullptr) return null_pointer(__func__);
        if (faulty(Fault::managed_fifth_attribute_lost) && index == 4) break;
        const size_t asked = faulty(Fault::managed_attributes_repeat_first) ? 0 : index;
        if (aclError code = managed_attribute(attributes[asked], ptr, size, data[index], dataSizes[index], __func__))
            return code;
    }
    return ACL_SUCCESS;
}

aclError aclrtMemManagedPrefetchAsync(const void* ptr, size_t size, aclrtMemManagedLocation location, uint32_t flags,
                                      aclrtStream stream) {
    ACLREF_ENTER(aclrtMemManagedPrefetchAsync);
    if (ptr == nullptr) return null_pointer(__func__);
    if (size == 0) return no_bytes(__func__);
    if (flags != 0) return wrong_flags(__func__, flags);
    aclError code = 0;
    auto queue = require_stream(stream, code, __func__);
    if (!queue) return code;
    const Prefetch prefetch{ptr, size, location};
    if (code = check_prefetch(prefetch, __func__); code != 0) return code;
    return submit_prefetches({prefetch}, *queue);
}

aclError aclrtMemManagedPrefetchBatchAsync(const void** ptrs, size_t* sizes, size_t count,
                                           aclrtMemManagedLocation* prefetchLocs, size_t* prefetchLocIdxs,
                                           size_t numPrefetchLocs, uint64_t flags, aclrtStream stream) {
    ACLREF_ENTER(aclrtMemManagedPrefetchBatchAsync);
    if (ptrs == nullptr || sizes == nullptr || prefetchLocs == nullptr || prefetchLocIdxs == nullptr)
        return null_pointer(__func__);
    if (count == 0 || numPrefetchLocs == 0 || numPrefetchLocs > count)
        return faulty(Fault::managed_counts_unchecked)
                   ? ACL_SUCCESS
                   : fail(ACL_ERROR_INVALID_PARAM, "%s: %zu pieces for %zu locations", __func__, count, numPrefetchLocs);
    if (flags != 0) return wrong_flags(__func__, flags);
    if (!faulty(Fault::prefetch_indexes_unchecked))
        if (aclError code = check_indexes(prefetchLocIdxs, numPrefetchLocs, count, __func__)) return code;
    aclError code = 0;
    auto queue = require_stream(stream, code, __func__);
    if (!queue) return code;
    std::vector<Prefetch> prefetches;
    size_t place = 0;
    for (size_t index = 0; index < count; ++index) {
        while (place + 1 < numPrefetchLocs && prefetchLocIdxs[place + 1] <= index) ++place;
        if (ptrs[index] == nullptr) return null_pointer(__func__, ACL_ERROR_RT_PARAM_INVALID);
        prefetches.push_back({ptrs[index], sizes[index], prefetchLocs[place]});
        if (code = check_prefetch(prefetches.back(), __func__); code != 0) return code;
    }
    return submit_prefetches(std::move(prefetches), *queue);
}

aclError aclrtMemP2PMap(void* devPtr, size_t size, int32_t dstDevId, uint64_t flags) {
    ACLREF_ENTER(aclrtMemP2PMap);
    if (devPtr == nullptr) return null_pointer(__func__);
    if (size == 0) return no_bytes(__func__);
    if (flags != 0) return wrong_flags(__func__, flags);
    if (size > 64 * 1024 && faulty(Fault::p2p_map_large_refused))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: size %zu is too large", __func__, size);
    if (dstDevId < 0 || dstDevId >= Runtime::instance().device_count())
        return faulty(Fault::p2p_map_any_device)
                   ? ACL_SUCCESS
                   : fail(ACL_ERROR_RT_INVALID_DEVICEID, "%s: there is no device %d", __func__, dstDevId);
    aclError code = 0;
    auto context = require_context(code, __func__);
    if (!context) return code;
    const AddressSpace& space = AddressSpace::instance();
    const Located located = space.locate(devPtr);
    if (located.kind != MemoryKind::device || located.device != context->device().id())
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p is not memory of the current device", __func__, devPtr);
    // Peers need no page faults here; what is left of the promise is that they may touch the block.
    return space.check_range(devPtr, size, false, dstDevId);
}

aclError aclrtCmoAsync(void* src, size_t size, aclrtCmoType cmoType, aclrtStream stream) {
    ACLREF_ENTER(aclrtCmoAsync);
    if (src == nullptr) return null_to_cache(__func__, ACL_ERROR_INVALID_PARAM);
    if (size == 0) return nothing_to_cache(__func__, ACL_ERROR_INVALID_PARAM);
    if (cmoType != ACL_RT_CMO_TYPE_PREFETCH)
        return unknown_operation(__func__, cmoType);
    return prefetch_into_cache(src, size, stream, __func__);
}

aclError aclrtCmoAsyncWithBarrier(void* src, size_t size, aclrtCmoType cmoType, uint32_t barrierId, aclrtStream stream) {
    ACLREF_ENTER(aclrtCmoAsyncWithBarrier);
    if (src == nullptr) return null_to_cache(__func__, ACL_ERROR_INVALID_PARAM);
    if (size == 0) return nothing_to_cache(__func__, ACL_ERROR_RT_PARAM_INVALID);
    if (static_cast<unsigned>(cmoType) > ACL_RT_CMO_TYPE_FLUSH)
        return unknown_operation(__func__, cmoType);
    if ((cmoType == ACL_RT_CMO_TYPE_INVALID) != (barrierId != 0) && !faulty(Fault::cmo_barrier_id_unchecked))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: barrier %u does not go with type %d", __func__, barrierId, cmoType);
    return operate_with_barrier(src, size, barrierId, stream, __func__);
}

aclError aclrtCmoWaitBarrier(aclrtBarrierTaskInfo* taskInfo, aclrtStream stream, uint32_t flag) {
    ACLREF_ENTER(aclrtCmoWaitBarrier);
    if (taskInfo == nullptr) return null_to_cache(__func__, ACL_ERROR_INVALID_PARAM);
    if (faulty(Fault::cmo_wait_unchecked)) return wait_for_barriers(stream, __func__);
    const size_t count = taskInfo->barrierNum;
    if (count == 0 || count > std::size(taskInfo->cmoInfo))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: %zu barriers, 1 to 6 are possible", __func__, count);
    if (flag != 0) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: flag is %u, not 0", __func__, flag);
    for (size_t index = 0; index < count; ++index) {
        const aclrtBarrierCmoInfo& one = taskInfo->cmoInfo[index];
        if (one.cmoType != ACL_RT_CMO_TYPE_INVALID || one.barrierId == 0)
            return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: type %d with barrier %u cannot be waited for", __func__, one.cmoType,
                        one.barrierId);
    }
    return wait_for_barriers(stream, __func__);
}

aclError aclrtCmoGetDescSize(size_t* size) {
    ACLREF_ENTER(aclrtCmoGetDescSize);
    if (size == nullptr) return null_to_cache(__func__, ACL_ERROR_RT_PARAM_INVALID);
    static std::atomic<unsigned> calls{0};
    const bool varies = faulty(Fault::cmo_descriptor_size_varies);
    *size = varies ? cache_descriptor_bytes * (1 + calls++ % 2) : cache_descriptor_bytes;
    return ACL_SUCCESS;
}

aclError aclrtCmoSetDesc(void* cmoDesc, void* src, size_t size) {
    ACLREF_ENTER(aclrtCmoSetDesc);
    if (cmoDesc == nullptr || src == nullptr) return null_to_cache(__func__, ACL_ERROR_RT_PARAM_INVALID);
    if (size == 0) return nothing_to_cache(__func__, ACL_ERROR_RT_PARAM_INVALID);
    return write_cache_descriptor(cmoDesc, src, size, __func__);
}

aclError aclrtCmoAsyncWithDesc(void* cmoDesc, aclrtCmoType cmoType, aclrtStream stream, const void* reserve) {
    ACLREF_ENTER(aclrtCmoAsyncWithDesc);
    if (cmoDesc == nullptr) return null_to_cache(__func__, ACL_ERROR_RT_PARAM_INVALID);
    if (reserve != nullptr && !faulty(Fault::cmo_reserve_unchecked))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: reserve is not null", __func__);
    if (cmoType != ACL_RT_CMO_TYPE_PREFETCH)
        return unknown_operation(__func__, cmoType);
    return prefetch_described(cmoDesc, stream, __func__);
}
