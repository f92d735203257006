// Fills: bytes and 32-bit words, synchronous and on a stream.
#include <algorithm>
#include <atomic>
#include <memory>

#include "base/faults/copy.hpp"
#include "capture/capture.hpp"
#include "copy/broken.hpp"
#include "copy/copy.hpp"
#include "copy/ends.hpp"
#include "copy/move.hpp"
#include "copy/queue.hpp"
#include "memory/pages.hpp"

namespace aclref {

namespace {

bool on_host(const void* address) { return AddressSpace::instance().locate(address).on_host(); }

/// For faults: a count that is rounded up where there is room for it.
std::size_t into_room(std::size_t count, std::size_t grain, std::size_t room) {
    return round_up(count, grain) <= room ? round_up(count, grain) : count;
}

aclError check_room(const void* to, std::size_t room, std::size_t count, const char* api) {
    if (count <= room || faulty(Fault::memset_room_ignored)) return 0;
    if (faulty(Fault::memset_host_room_ignored) && on_host(to)) return 0;
    return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: count %zu is above maxCount %zu", api, count, room);
}

/// Only memory from an acl call can be filled; what an unknown address would do is nobody's promise.
aclError check_place(const Located& place, const void* to, std::size_t bytes, const char* api) {
    if (place.kind == MemoryKind::foreign)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the memory does not come from this library", api);
    const bool anybody = faulty(Fault::memset_needs_no_access) && place.kind == MemoryKind::mapped;
    return AddressSpace::instance().check_range(to, bytes, true, anybody ? -1 : place.device);
}

aclError fill_bytes(void* to, std::uint8_t value, std::size_t count, const Located& place) {
    if (faulty(Fault::memset_rounds_up)) {
        // Never past the block: the overrun has to be seen, not to crash.
        std::size_t left = place.base + place.size - reinterpret_cast<std::uintptr_t>(to);
        count = std::min((count + 31) / 32 * 32, left);
    }
    if (faulty(Fault::memset_last_byte_lost) && count > 1) --count;
    if (faulty(Fault::memset_value_in_seven_bits)) value &= 0x7F;
    if (faulty(Fault::memset_large_in_whole_pages) && count > 16 * small_page) count = count / small_page * small_page;
    const bool inside = !is_multiple(reinterpret_cast<std::uintptr_t>(to), huge_page);
    if (inside && faulty(Fault::memset_two_mappings_only)) count = std::min(count, two_mappings_left(to));
    if (faulty(Fault::memset_host_stops_at_1_mib) && place.on_host()) count = std::min(count, MiB);
    if (faulty(Fault::memset_two_bytes_before_border_lost) && reinterpret_cast<std::uintptr_t>(to) % 16 == 14 && count > 2)
        to = static_cast<std::byte*>(to) + 2, count -= 2;
    const std::size_t early = faulty(Fault::memset_start_rounded) ? reinterpret_cast<std::uintptr_t>(to) % 4 : 0;
    to = static_cast<std::byte*>(to) - early;
    count += early;
    return AddressSpace::instance().fill(to, value, count);
}

/// What both word fills ask of their arguments. Multiplying would wrap, so the limit is divided instead.
aclError check_words(const void* to, std::size_t room, std::size_t words, Located& place, const char* api) {
    if (to == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: ptr is null", api);
    if (reinterpret_cast<std::uintptr_t>(to) % sizeof(std::uint32_t) != 0 && !faulty(Fault::memset_d32_unaligned_accepted))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: ptr is not aligned to 4 bytes", api);
    const bool any_room =
        faulty(Fault::memset_d32_room_ignored) || (faulty(Fault::memset_d32_host_room_ignored) && on_host(to));
    if (words > room / sizeof(std::uint32_t) && !any_room)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: memSize %zu has no room for %zu words", api, room, words);
    place = AddressSpace::instance().locate(to);
    if (place.kind == MemoryKind::foreign || place.kind == MemoryKind::managed) {
        if (faulty(Fault::memset_d32_foreign_accepted)) return 0;
        return fail(ACL_ERROR_INVALID_PARAM, "%s: only memory of aclrtMalloc or aclrtMallocHost can be filled", api);
    }
    const bool writes = !faulty(Fault::memset_d32_writes_read_only);
    return AddressSpace::instance().check_range(to, words * sizeof(std::uint32_t), writes, place.device);
}

}  // namespace

aclError fill_now(void* to, std::size_t room, std::uint8_t value, std::size_t count, const char* api) {
    BlockingTransfer transfer;
    if (count == 0 && !faulty(Fault::memset_zero_refused)) return 0;
    if (to == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: devPtr is null", api);
    if (aclError code = check_room(to, room, count, api)) return code;
    if (count == 0) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: count is 0", api);
    aclError code = 0;
    std::shared_ptr<Context> context = require_context(code, api);
    if (code != 0) return code;
    if ((code = capture::check_synchronous(*context, api)) != 0) return code;
    Located place = AddressSpace::instance().locate(to);
    if (faulty(Fault::memset_host_ignored) && place.on_host()) return 0;
    if ((code = check_place(place, to, count, api)) != 0) return code;
    if (faulty(Fault::memset_host_rounds_up_into_room) && place.on_host()) count = into_room(count, 8, room);
    if (faulty(Fault::memset_waits_for_default_stream)) wait_for_default_stream(*context);
    if (faulty(Fault::memset_waits_for_streams)) synchronize_context(*context, std::chrono::milliseconds(-1));
    transfer.begin(context->device().executor(), count, false, false);
    return fill_bytes(to, value, count, place);
}

aclError fill_on_stream(void* to, std::size_t room, std::uint8_t value, std::size_t count, aclrtStream stream,
                        const char* api) {
    if (count == 0 && !faulty(Fault::memset_zero_refused)) return 0;
    if (to == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: devPtr is null", api);
    if (aclError code = check_room(to, room, count, api)) return code;
    if (count == 0) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: count is 0", api);
    if (faulty(Fault::memset_null_stream_refused) && stream == nullptr)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: stream is null", api);
    aclError code = 0;
    std::shared_ptr<Stream> queue = require_stream(stream, code, api);
    if (code != 0) return code;
    Located place = AddressSpace::instance().locate(to);
    if ((code = check_place(place, to, count, api)) != 0) return code;
    if (faulty(Fault::memset_host_rounds_up_into_room) && place.on_host()) count = into_room(count, 8, room);
    if (faulty(Fault::memset_async_jumps_the_queue) && queue->capture.load() == nullptr)
        return fill_bytes(to, value, count, place);
    if (faulty(Fault::memset_async_dropped)) return 0;
    if (faulty(Fault::capture_fill_runs_at_once) && queue->capture.load() != nullptr) return fill_bytes(to, value, count, place);
    if (faulty(Fault::memset_async_default_stream_at_once) && stream == nullptr) return fill_bytes(to, value, count, place);
    if (faulty(Fault::memset_async_default_stream_dropped) && stream == nullptr) return 0;
    static std::atomic<std::uint8_t> last_value{0};
    last_value = value;
    Task task;
    task.kind = "memset";
    task.bytes = count;
    task.run = [=] {
        const std::uint8_t wanted = faulty(Fault::memset_async_values_of_last_fill) ? last_value.load() : value;
        aclError filled = fill_bytes(to, wanted, count, place);
        return filled == 0 ? Progress::Done() : Progress::Failed(filled);
    };
    return queue->submit(std::move(task));
}

aclError fill_words_now(void* to, std::size_t room, std::uint32_t value, std::size_t words, const char* api) {
    BlockingTransfer transfer;
    if (words == 0) return faulty(Fault::memset_d32_zero_refused) ? fail(ACL_ERROR_INVALID_PARAM, "%s: N is 0", api) : 0;
    Located place;
    if (aclError code = check_words(to, room, words, place, api)) return code;
    aclError code = 0;
    std::shared_ptr<Context> context = require_context(code, api);
    if (code != 0) return code;
    if ((code = capture::check_synchronous(*context, api)) != 0) return code;
    if (faulty(Fault::memset_d32_does_nothing)) return 0;
    if (faulty(Fault::memset_d32_host_word_pairs) && place.on_host()) words = into_room(words, 2, room / sizeof value);
    if (faulty(Fault::memset_d32_waits_for_default_stream)) wait_for_default_stream(*context);
    if (faulty(Fault::memset_d32_waits_for_streams)) synchronize_context(*context, std::chrono::milliseconds(-1));
    if (faulty(Fault::memset_d32_returns_early) && !place.on_host()) {
        Task task;
        task.kind = "memset";
        task.run = [=] { return move_words(to, value, words) == 0 ? Progress::Done() : Progress::Failed(ACL_ERROR_RT_SYS_DMA); };
        if (auto later_stream = context->default_stream()) return later_stream->submit(late(std::move(task)));
    }
    transfer.begin(context->device().executor(), words * sizeof value, false, false);
    return move_words(to, value, words);
}

aclError fill_words_on_stream(void* to, std::size_t room, std::uint32_t value, std::size_t words, aclrtStream stream,
                              const char* api) {
    if (words == 0) return faulty(Fault::memset_d32_zero_refused) ? fail(ACL_ERROR_INVALID_PARAM, "%s: N is 0", api) : 0;
    Located place;
    if (aclError code = check_words(to, room, words, place, api)) return code;
    if (faulty(Fault::memset_null_stream_refused) && stream == nullptr)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: stream is null", api);
    aclError code = 0;
    std::shared_ptr<Stream> queue = require_stream(stream, code, api);
    if (code != 0) return code;
    if (faulty(Fault::memset_d32_does_nothing)) return 0;
    if (faulty(Fault::memset_d32_host_word_pairs) && place.on_host()) words = into_room(words, 2, room / sizeof value);
    const bool host_queued =
        faulty(Fault::memset_d32_async_host_queued) || (faulty(Fault::memset_d32_async_large_host_queued) && words > 1024);
    // Host memory is filled at once, ahead of the stream. A replay could not repeat that, so a capture refuses it.
    if (place.on_host() && !host_queued) {
        if (queue->capture.load(std::memory_order_acquire) != nullptr)
            return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: filling host memory cannot be captured", api);
        return move_words(to, value, words);
    }
    const bool at_once = faulty(Fault::memset_async_jumps_the_queue) || faulty(Fault::memset_d32_async_jumps_the_queue);
    if (at_once) return move_words(to, value, words);
    Task task;
    task.kind = "memset";
    task.bytes = words * sizeof value;
    task.run = [=] {
        aclError filled = move_words(to, value, words);
        return filled == 0 ? Progress::Done() : Progress::Failed(filled);
    };
    return queue->submit(std::move(task));
}

}  // namespace aclref
