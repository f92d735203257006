#include "memory/cache_operations.hpp"

#include <array>
#include <chrono>
#include <utility>

#include "base/faults/memory.hpp"
#include "capture/recorder.hpp"
#include "memory/address_space.hpp"
#include "memory/pages.hpp"
#include "runtime/stream.hpp"

namespace aclref {

namespace {

/// What a descriptor in device memory holds.
struct Descriptor {
    std::uint64_t mark;
    std::uint64_t start;
    std::uint64_t size;
    std::array<std::uint64_t, 5> unused;
};
static_assert(sizeof(Descriptor) == cache_descriptor_bytes);
constexpr std::uint64_t descriptor_mark = 0xCAC4EDE5C0000001;

/// Only memory of the own device has the cache in question before it.
aclError check_own_memory(const void* start, std::size_t size, int device, const char* api) {
    const AddressSpace& space = AddressSpace::instance();
    const Located located = space.locate(start);
    if (located.on_host() || located.device != device)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p is not memory of device %d", api, start, device);
    return space.check_range(start, size, false, device);
}

/// Barriers order the tasks of a model, so only the streams bound to one have them.
aclError check_bound(const Stream& stream, const char* api) {
    if (capture::bound_instance(stream)) return ACL_SUCCESS;
    return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the stream is not bound to a model", api);
}

aclError submit(Stream& stream, const char* kind, void* start, std::size_t size) {
    Task task;
    task.kind = kind;
    task.run = [start, size] {
        if (faulty(Fault::cmo_clears_memory)) AddressSpace::instance().fill(start, 0, size);
        return Progress::Done();
    };
    if (faulty(Fault::cmo_waits)) stream.synchronize(std::chrono::milliseconds(-1));
    return stream.submit(std::move(task));
}

}  // namespace

aclError prefetch_into_cache(void* start, std::size_t size, aclrtStream stream, const char* api) {
    aclError code = 0;
    auto queue = require_stream(stream, code, api);
    if (!queue) return code;
    if (code = check_own_memory(start, size, queue->device().id(), api); code != 0) return code;
    return submit(*queue, "cache prefetch", start, size);
}

aclError operate_with_barrier(void* start, std::size_t size, std::uint32_t barrier, aclrtStream stream, const char* api) {
    aclError code = 0;
    auto queue = require_stream(stream, code, api);
    if (!queue) return code;
    if (code = check_bound(*queue, api); code != 0) return code;
    if (barrier > 1 && faulty(Fault::cmo_one_barrier_only))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: there is no barrier %u", api, barrier);
    if (code = check_own_memory(start, size, queue->device().id(), api); code != 0) return code;
    return submit(*queue, barrier != 0 ? "cache invalidate" : "cache operation", start, size);
}

aclError wait_for_barriers(aclrtStream stream, const char* api) {
    aclError code = 0;
    auto queue = require_stream(stream, code, api);
    if (!queue) return code;
    if (code = check_bound(*queue, api); code != 0) return code;
    return submit(*queue, "cache barrier", nullptr, 0);
}

aclError write_cache_descriptor(void* descriptor, void* start, std::size_t size, const char* api) {
    aclError code = 0;
    auto context = require_context(code, api);
    if (!context) return code;
    const int device = context->device().id();
    if (code = check_own_memory(descriptor, sizeof(Descriptor), device, api); code != 0) return code;
    if (code = check_own_memory(start, size, device, api); code != 0) return code;
    if (faulty(Fault::cmo_descriptor_not_written)) return ACL_SUCCESS;
    const Descriptor filled{descriptor_mark, reinterpret_cast<std::uintptr_t>(start), size, {}};
    return AddressSpace::instance().copy(descriptor, &filled, sizeof(filled));
}

aclError prefetch_described(void* descriptor, aclrtStream stream, const char* api) {
    aclError code = 0;
    auto queue = require_stream(stream, code, api);
    if (!queue) return code;
    if (!is_multiple(reinterpret_cast<std::uintptr_t>(descriptor), cache_descriptor_bytes))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p is not a multiple of 64", api, descriptor);
    if (code = check_own_memory(descriptor, sizeof(Descriptor), queue->device().id(), api); code != 0) return code;
    Task task;
    task.kind = "cache prefetch";
    task.run = [descriptor] {
        Descriptor found{};
        if (aclError failed = AddressSpace::instance().copy(&found, descriptor, sizeof(found)))
            return Progress::Failed(failed);
        if (found.mark != descriptor_mark)
            return faulty(Fault::cmo_descriptor_not_written) ? Progress::Done()
                                                             : Progress::Failed(ACL_ERROR_RT_PARAM_INVALID);
        if (faulty(Fault::cmo_clears_memory))
            AddressSpace::instance().fill(reinterpret_cast<void*>(found.start), 0, found.size);
        return Progress::Done();
    };
    if (faulty(Fault::cmo_waits)) queue->synchronize(std::chrono::milliseconds(-1));
    return queue->submit(std::move(task));
}

}  // namespace aclref
