// One-dimensional copies, synchronous and on a stream.
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/faults/copy.hpp"
#include "capture/capture.hpp"
#include "copy/broken.hpp"
#include "copy/copy.hpp"
#include "copy/ends.hpp"
#include "copy/move.hpp"
#include "copy/queue.hpp"

namespace aclref {

namespace {

constexpr Version pageable_copies_block{8, 3};  ///< before that pageable memory was accepted with no promise

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

aclError check_pointers(const void* to, const void* from, const char* api) {
    if (to == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: dst is null", api);
    if (from == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: src is null", api);
    return 0;
}

aclError check_room(void* to, const void* from, std::size_t room, std::size_t count, const char* api) {
    if (count <= room || faulty(Fault::copy_room_ignored)) return 0;
    if (faulty(Fault::copy_refusal_writes_first_byte)) move_bytes(to, from, 1, Route{});
    return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: count %zu is above destMax %zu", api, count, room);
}

/// A task that moves the bytes when it runs. Unless the caller waits for it, pageable memory is checked once more then.
Task copy_task(void* to, const void* from, std::size_t count, const Ends& ends, bool waited_for) {
    Task task;
    task.kind = "copy";
    task.bytes = count;
    task.crosses_link = ends.crosses_link();
    task.to_host = ends.to_host;
    bool recheck = ends.pageable() && !waited_for;
    task.run = [=] {
        if (recheck)
            if (aclError code = check_reach(ends, to, count, from, count, "copy")) return Progress::Failed(code);
        aclError code = move_bytes(to, from, count, ends.route(waited_for));
        return code == 0 ? Progress::Done() : Progress::Failed(code);
    };
    return task;
}

/// A task that writes bytes taken from the source now.
Task buffered_task(void* to, const void* from, std::size_t count, const Ends& ends, aclError& code) {
    const bool reused = faulty(Fault::memcpy_async_buffers_reused) && count <= reused_buffer_bytes;
    auto bytes = reused ? reused_buffer() : std::make_shared<std::vector<std::byte>>(count);
    code = AddressSpace::instance().copy(bytes->data(), from, count, true);
    Task task;
    task.kind = "copy";
    task.bytes = count;
    task.crosses_link = ends.crosses_link();
    task.to_host = ends.to_host;
    task.run = [to, bytes, count, route = ends.route(true)] {
        aclError moved = move_bytes(to, bytes->data(), count, route);
        return moved == 0 ? Progress::Done() : Progress::Failed(moved);
    };
    return task;
}

/// Up to 7.x a host-to-host request was taken and failed when the device came to it.
Task failing_task() {
    Task task;
    task.kind = "copy";
    task.run = [] { return Progress::Failed(ACL_ERROR_RT_SYS_DMA); };
    return task;
}

/// For faults: the copy has the addresses and the count of the one before it.
bool repeats(const void* to, const void* from, std::size_t count) {
    static std::mutex mutex;
    static std::tuple<const void*, const void*, std::size_t> before;
    const std::tuple asked(to, from, count);
    std::lock_guard lock(mutex);
    return std::exchange(before, asked) == asked;
}

/// For a fault: moves the bytes in a while, whatever the stream does.
void copy_later(void* to, const void* from, std::size_t count, const Ends& ends) {
    std::thread([=, route = ends.route(false)] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        move_bytes(to, from, count, route);
    }).detach();
}

/// Defect seen on drivers that cannot translate every host address for the link.
bool untranslatable(const Ends& ends, const void* to, const void* from) {
    const void* host = ends.from_host ? from : to;
    return ends.pageable() && reinterpret_cast<std::uintptr_t>(host) % 2 == 1;
}

}  // namespace

aclError copy_now(void* to, std::size_t room, const void* from, std::size_t count, aclrtMemcpyKind kind,
                  const char* api) {
    if (count == 0 && !faulty(Fault::memcpy_zero_refused)) return 0;
    BlockingTransfer transfer;
    if (aclError code = check_pointers(to, from, api)) return faulty(Fault::memcpy_null_accepted) ? 0 : code;
    auto value = static_cast<unsigned>(kind);
    bool known = value <= ACL_MEMCPY_DEFAULT || (kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE && kind_exists(kind));
    if (!known && !faulty(Fault::memcpy_any_kind_accepted))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: kind %d is not supported", api, kind);
    if (aclError code = check_room(to, from, room, count, api)) return code;
    if (count == 0) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: count is 0", api);
    aclError code = 0;
    std::shared_ptr<Context> context = require_context(code, api);
    if (code != 0 && !faulty(Fault::memcpy_needs_no_context)) return code;
    const bool captured_large = faulty(Fault::capture_large_copy_allowed) && count >= 64 * 1024;
    if (context && !captured_large && (code = capture::check_synchronous(*context, api)) != 0) return code;
    if (to == from) {
        if (faulty(Fault::memcpy_self_refused)) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: dst equals src", api);
        return 0;
    }
    Ends ends = locate_ends(to, from);
    if (faulty(Fault::memcpy_kind_trusted) && kind != ACL_MEMCPY_DEFAULT && kind != real_kind(ends))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: kind %d contradicts the location of the addresses", api, kind);
    const bool registered = ends.to.kind == MemoryKind::registered || ends.from.kind == MemoryKind::registered;
    if (faulty(Fault::memcpy_registered_kind_trusted) && registered && kind < ACL_MEMCPY_DEFAULT && kind != real_kind(ends))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: kind %d contradicts the registration", api, kind);
    if (faulty(Fault::memcpy_pageable_refused) && ends.pageable())
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: host memory is not pinned", api);
    if (faulty(Fault::memcpy_h2h_silent) && ends.host_pair()) return 0;
    if ((code = check_reach(ends, to, count, from, count, api)) != 0) return code;
    if (faulty(Fault::memcpy_repeated_is_skipped) && ends.from_host && repeats(to, from, count)) return 0;
    if (faulty(Fault::memcpy_last_byte_of_block_refused) && ends.to.kind == MemoryKind::device &&
        number(to) + count == ends.to.base + ends.to.size)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p + %zu is outside the block", api, to, count);
    if (faulty(Fault::memcpy_waits_for_streams) && context) synchronize_context(*context, std::chrono::milliseconds(-1));
    if (faulty(Fault::memcpy_waits_for_default_stream) && context) wait_for_default_stream(*context);
    if (ends.to.kind == MemoryKind::foreign && misses_target(to)) return 0;
    if (faulty(Fault::memcpy_one_side_buffer_shared) && !ends.crosses_link() && count <= shared_buffer_bytes)
        return copy_through_shared_buffer(to, from, count);
    if (faulty(Fault::memcpy_returns_early) && context && ends.to.kind != MemoryKind::foreign)
        if (auto later = context->default_stream()) {
            // Pageable memory may be gone by then: its bytes are taken now, and still arrive too late.
            Task task = ends.pageable() ? buffered_task(to, from, count, ends, code) : copy_task(to, from, count, ends, false);
            return code != 0 ? code : later->submit(late(std::move(task)));
        }
    if (context) transfer.begin(context->device().executor(), count, ends.crosses_link(), ends.to_host);
    if ((code = move_bytes(to, from, count, ends.route(true))) != 0) return code;
    if (faulty(Fault::memcpy_tail_overrun) && room > count)
        AddressSpace::instance().copy(static_cast<std::byte*>(to) + count, from, 1);
    return 0;
}

aclError copy_on_stream(void* to, std::size_t room, const void* from, std::size_t count, aclrtMemcpyKind kind,
                        aclrtStream stream, const char* api, bool always_blocks) {
    if (count == 0 && !faulty(Fault::memcpy_async_zero_refused)) return 0;
    if (faulty(Fault::memcpy_async_count_in_32_bits)) count = static_cast<std::uint32_t>(count);
    if (aclError code = check_pointers(to, from, api)) return faulty(Fault::memcpy_async_null_accepted) ? 0 : code;
    if (faulty(Fault::memcpy_async_unknown_kind_is_default) && static_cast<unsigned>(kind) > ACL_MEMCPY_INTER_DEVICE_TO_DEVICE)
        kind = ACL_MEMCPY_DEFAULT;
    if (!kind_exists(kind) || ((kind == ACL_MEMCPY_INNER_DEVICE_TO_DEVICE || kind == ACL_MEMCPY_INTER_DEVICE_TO_DEVICE) &&
                               !faulty(Fault::memcpy_async_inner_accepted)))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: kind %d is not supported", api, kind);
    if (faulty(Fault::memcpy_async_default_refused) && kind == ACL_MEMCPY_DEFAULT)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: kind %d is not supported", api, kind);
    if (aclError code = check_room(to, from, room, count, api)) return code;
    if (count == 0) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: count is 0", api);
    if (faulty(Fault::copy_null_stream_refused) && stream == nullptr)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: stream is null", api);
    aclError code = 0;
    const bool any_context = faulty(Fault::memcpy_async_any_streams_context);
    std::shared_ptr<Stream> queue = any_context ? require_any_stream(stream, code, api) : require_stream(stream, code, api);
    if (code == ACL_ERROR_RT_INVALID_HANDLE && faulty(Fault::memcpy_async_dead_stream_accepted)) return 0;
    if (code != 0) return code;
    if (to == from && faulty(Fault::memcpy_async_self_refused))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: dst equals src", api);
    if (to == from) return 0;
    Ends ends = locate_ends(to, from);
    bool host_pair_runs = profile().cann < Version{8, 0} && !profile().shares_memory_with_host();
    if (ends.host_pair() && host_pair_runs) return queue->submit(failing_task());
    if (faulty(Fault::memcpy_async_h2h_copied) && ends.host_pair()) return queue->submit(copy_task(to, from, count, ends, false));
    const bool pair_taken = (faulty(Fault::memcpy_async_h2h_large_copied) && count > 4096) ||
                            (faulty(Fault::memcpy_async_h2h_default_stream_copied) && stream == nullptr);
    if (ends.host_pair() && pair_taken) return queue->submit(copy_task(to, from, count, ends, false));
    if (faulty(Fault::memcpy_async_mismatch_late) && ends.host_pair()) return queue->submit(failing_task());
    static std::atomic<bool> refused{false};
    if ((code = check_async_kind(ends, kind, api)) != 0) return refused = true, code;
    if (faulty(Fault::memcpy_after_refusal_is_dropped) && refused.exchange(false)) return 0;
    if (faulty(Fault::memcpy_async_untranslatable) && untranslatable(ends, to, from))
        return fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: the host address cannot be translated", api);
    const bool unchecked = faulty(Fault::memcpy_async_needs_no_access) &&
                           (ends.to.kind == MemoryKind::mapped || ends.from.kind == MemoryKind::mapped);
    if (!unchecked && (code = check_reach(ends, to, count, from, count, api)) != 0) return code;

    bool captured = queue->capture.load(std::memory_order_acquire) != nullptr;
    if (captured && ends.pageable() && !faulty(Fault::capture_pageable_accepted))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: host memory of a captured copy has to be pinned", api);
    bool buffered = kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE && !faulty(Fault::memcpy_async_buf_not_taken);
    if (buffered || (captured && faulty(Fault::capture_content_at_capture))) {
        Task task = buffered_task(to, from, count, ends, code);
        return code != 0 ? code : queue->submit(std::move(task));
    }
    if (faulty(Fault::memcpy_async_jumps_the_queue) && !captured && !ends.pageable())
        return move_bytes(to, from, count, ends.route(true));
    if (faulty(Fault::memcpy_async_dropped) && count % 64 == 1) return 0;
    const bool across = ends.device_pair() && ends.to.device != ends.from.device;
    if (across && faulty(Fault::copy_peer_async_cut_at_1_mib)) count = std::min<std::size_t>(count, 1024 * 1024);
    if (across && faulty(Fault::copy_peer_on_second_device_dropped) && queue->device().id() > 0) return 0;
    if (faulty(Fault::memcpy_async_repeated_is_skipped) && !captured && repeats(to, from, count)) return 0;
    const bool runs = faulty(Fault::capture_pinned_copy_runs) || (faulty(Fault::capture_large_copy_runs) && count >= 64 * 1024);
    if (captured && runs) move_bytes(to, from, count, ends.route(true));
    if (captured && faulty(Fault::capture_pinned_copy_lost)) return 0;
    if (skips_queued_copy(*queue, ends.route(false))) return 0;
    if (faulty(Fault::memcpy_async_default_stream_at_once) && stream == nullptr)
        return move_bytes(to, from, count, ends.route(true));
    if (faulty(Fault::memcpy_async_pinned_read_at_call) && ends.from.kind == MemoryKind::pinned && !captured) {
        Task task = buffered_task(to, from, count, ends, code);
        return code != 0 ? code : queue->submit(std::move(task));
    }
    bool pageable = ends.pageable() && !captured;
    // Whether or not this version lets such a copy block, a capture counts it among the calls it forbids.
    if (pageable && (code = capture::check_blocking_async(*queue, api)) != 0) return code;
    bool blocks = pageable && (always_blocks || profile().cann >= pageable_copies_block);
    if (faulty(Fault::memcpy_async_pageable_early)) blocks = false;
    if (faulty(Fault::memcpy_async_default_stream_pageable_early) && blocks && stream == nullptr)
        return queue->submit(late(copy_task(to, from, count, ends, false)));
    if (faulty(Fault::memcpy_async_pinned_blocks) && !captured) blocks = true;
    if (faulty(Fault::memcpy_with_condition_late) && !blocks && !captured && std::string_view(api).ends_with("Condition")) {
        copy_later(to, from, count, ends);
        return 0;
    }
    static std::atomic<std::size_t> last_count{0};
    last_count = count;
    Task task = copy_task(to, from, count, ends, blocks);
    if (faulty(Fault::memcpy_async_counts_of_last_copy) && !blocks && !captured)
        task.run = [=] {
            const aclError moved = move_bytes(to, from, std::min(count, last_count.load()), ends.route(false));
            return moved == 0 ? Progress::Done() : Progress::Failed(moved);
        };
    if (captured && !ends.from_host && faulty(Fault::capture_device_source_read_once))
        task = keeps_first_bytes(std::move(task), to);
    const Stretch asked{static_cast<std::byte*>(to), static_cast<const std::byte*>(from), count};
    if (!blocks) return queue->submit(ends_early(std::move(task), asked, ends.route(false)));
    if (faulty(Fault::memcpy_async_pageable_waits_for_device)) synchronize_context(*queue->context(), std::chrono::milliseconds(-1));
    if (faulty(Fault::memcpy_async_pageable_unordered)) return move_bytes(to, from, count, ends.route(true));
    return submit_and_wait(*queue, std::move(task));
}

}  // namespace aclref
