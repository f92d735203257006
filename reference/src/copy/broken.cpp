#include "copy/broken.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/faults/copy.hpp"
#include "memory/address_space.hpp"
#include "memory/pages.hpp"
#include "memory/regions.hpp"

namespace aclref {

namespace {

constexpr std::size_t piece_bytes = 8 * MiB;  ///< an implementation may hand on larger copies in pieces

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

/// Bytes from an address to the end of the mapping it lies in; of everything else there is no end.
std::size_t mapping_left(const void* address) {
    Located place = AddressSpace::instance().locate(address);
    if (place.kind != MemoryKind::mapped) return SIZE_MAX;
    return place.base + place.size - number(address);
}

/// Whether the address lies in memory of aclrtMallocCached.
bool cached(const void* address) {
    const auto region = AddressSpace::instance().impl().find(number(address));
    return region && region->cached;
}

std::size_t broken_count(const Stretch& asked, Route route) {
    const auto [to, from, count] = asked;
    const bool to_device = route.from_host && !route.to_host;
    const bool to_host = route.to_host && !route.from_host;
    const bool in_device = !route.to_host && !route.from_host;
    if (faulty(Fault::copy_one_mapping_only)) return std::min({count, mapping_left(to), mapping_left(from)});
    if (faulty(Fault::copy_d2d_two_mappings_only) && in_device)
        return std::min({count, two_mappings_left(to), two_mappings_left(from)});
    if (faulty(Fault::copy_h2d_tail_lost) && to_device && count > 1) return count - 1;
    if (faulty(Fault::copy_d2h_tail_lost) && to_host && count > 1) return count - 1;
    if (faulty(Fault::copy_from_cached_misses_line) && in_device && count > 64 && cached(from)) return count - 64;
    if (faulty(Fault::copy_d2d_rounded_down) && in_device && count > 32) return count / 32 * 32;
    if (faulty(Fault::copy_count_in_32_bits)) return static_cast<std::uint32_t>(count);
    if (faulty(Fault::copy_byte_behind_page_lost) && count > 1 && (number(to) + count) % small_page == 1) return count - 1;
    if (faulty(Fault::copy_large_in_whole_pages) && count > 2 * MiB) return count / small_page * small_page;
    const bool bulk = count > piece_bytes;
    if (faulty(Fault::copy_d2d_bulk_in_whole_words) && in_device && bulk) return count / 8 * 8;
    if (faulty(Fault::memcpy_h2d_bulk_in_whole_words) && to_device && route.steady && bulk) return count / 8 * 8;
    if (faulty(Fault::memcpy_async_d2h_bulk_cut) && to_host && !route.steady && bulk) return piece_bytes;
    if (faulty(Fault::memcpy_d2h_bulk_in_whole_mib) && to_host && route.steady && bulk) return count / MiB * MiB;
    if (faulty(Fault::copy_three_bytes_as_four) && count == 3) return 4;
    if (faulty(Fault::copy_d2h_eight_bytes_short) && to_host && count > small_page && count % 8 != 0) return count / 8 * 8;
    return count;
}

/// Whether a broken library moves bytes, whose two ends lie alike, from their next border on.
bool skips_to_border(Stretch asked, Route route) {
    const void* host = route.to_host ? asked.to : asked.from;
    if (route.to_host != route.from_host)
        return faulty(Fault::copy_link_level_head_lost) && AddressSpace::instance().locate(host).is_pinned();
    return faulty(route.to_host ? Fault::copy_h2h_level_head_lost : Fault::copy_d2d_level_head_lost);
}

void* even(void* address) { return static_cast<std::byte*>(address) - number(address) % 2; }

bool on_own_stack(const void* address) {
    pthread_attr_t attributes;
    void* lowest = nullptr;
    std::size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
    pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    return number(address) - number(lowest) < size;
}

bool in_shared_mapping(const void* address) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        unsigned long begin = 0;
        unsigned long end = 0;
        char rights[5] = {};
        if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights) != 3) continue;
        if (number(address) >= begin && number(address) < end) return rights[3] == 's';
    }
    return false;
}

}  // namespace

std::size_t two_mappings_left(const void* address) {
    const std::size_t first = mapping_left(address);
    if (first == SIZE_MAX) return SIZE_MAX;
    const std::size_t second = mapping_left(static_cast<const std::byte*>(address) + first);
    return second == SIZE_MAX ? SIZE_MAX : first + second;
}

Stretch broken_stretch(Stretch asked, Route route) {
    Stretch moved = asked;
    moved.count = broken_count(asked, route);
    if (faulty(Fault::copy_odd_source_rounded) && route.from_host && number(asked.from) % 2 == 1) --moved.from;
    return moved;
}

void spoil_after_copy(Stretch asked, Route route) {
    AddressSpace& space = AddressSpace::instance();
    const auto [to, from, count] = asked;
    if (faulty(Fault::copy_source_cleared) && count > 0) space.fill(const_cast<std::byte*>(from), 0, 1);
    if (faulty(Fault::copy_head_overrun)) space.copy(to - 1, from, 1);
    if (faulty(Fault::copy_start_rounded) && route.to_host != route.from_host) {
        // Bytes up to the next 64-byte border never arrive.
        const std::size_t lost = (64 - number(route.from_host ? to : from) % 64) % 64;
        space.fill(to, 0, std::min(lost, count));
    }
    const std::size_t past_border = number(to) % 64;
    if (past_border % 2 == 1 && past_border == number(from) % 64 && count >= 64 && skips_to_border(asked, route))
        space.fill(to, 0, 64 - past_border);
    const bool queued_to_device = route.from_host && !route.to_host && !route.steady;
    if (faulty(Fault::memcpy_async_h2d_bulk_repeats) && queued_to_device && count > piece_bytes)
        space.copy(to + piece_bytes, from, count - piece_bytes);
    if (faulty(Fault::copy_second_mib_repeats_first) && count > MiB) space.copy(to + MiB, from, std::min(count - MiB, MiB));
    const std::uintptr_t border = round_up(number(to), huge_page);
    if (faulty(Fault::copy_huge_page_border_lost) && !route.to_host && border > number(to) && border < number(to) + count)
        space.fill(reinterpret_cast<void*>(border), 0, 1);
}

Rows broken_rows(Rows asked, Route route) {
    Rows moved = asked;
    if (faulty(Fault::memcpy2d_pitches_swapped)) std::swap(moved.to_pitch, moved.from_pitch);
    const bool one_way = route.to_host && !route.from_host;
    if (faulty(Fault::memcpy2d_d2h_pitch_for_both) && one_way) moved.to_pitch = moved.from_pitch;
    const bool to_device = route.from_host && !route.to_host;
    const bool in_device = !route.from_host && !route.to_host;
    if (faulty(Fault::memcpy2d_h2d_odd_target_rounded) && to_device) moved.to = even(moved.to);
    if (faulty(Fault::memcpy2d_d2h_odd_source_rounded) && one_way) moved.from = even(const_cast<void*>(moved.from));
    if (faulty(Fault::memcpy2d_d2d_odd_source_rounded) && in_device) moved.from = even(const_cast<void*>(moved.from));
    if (faulty(Fault::memcpy2d_link_pitches_in_20_bits) && (to_device || one_way) && asked.height > 1)
        moved.to_pitch &= MiB - 1, moved.from_pitch &= MiB - 1;
    if (faulty(Fault::memcpy2d_d2d_stops_at_8_mib) && in_device)
        moved.height = std::min(asked.height, piece_bytes / asked.width);
    if (faulty(Fault::memcpy2d_dense_target_is_linear) && asked.width == asked.to_pitch) moved.from_pitch = asked.width;
    if (faulty(Fault::memcpy2d_odd_pitch_rounded) && asked.height > 1) moved.from_pitch &= ~std::size_t{1};
    if (faulty(Fault::memcpy2d_height_in_16_bits)) moved.height &= 0xFFFF;
    if (faulty(Fault::memcpy2d_last_row_lost) && moved.height > 1) --moved.height;
    if (faulty(Fault::memcpy2d_one_row_whole_pitch) && asked.height == 1) moved.width = std::min(asked.to_pitch, asked.from_pitch);
    if (faulty(Fault::memcpy2d_wide_rows_cut)) moved.width = std::min<std::size_t>(moved.width, 0xFFFF);
    return moved;
}

bool misses_target(const void* to) {
    return (faulty(Fault::memcpy_stack_target_lost) && on_own_stack(to)) ||
           (faulty(Fault::memcpy_shared_mapping_unwritten) && in_shared_mapping(to));
}

aclError copy_through_shared_buffer(void* to, const void* from, std::size_t count) {
    static std::vector<std::byte> buffer(shared_buffer_bytes);
    AddressSpace& space = AddressSpace::instance();
    if (aclError code = space.copy(buffer.data(), from, count, true)) return code;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    return space.copy(to, buffer.data(), count, true);
}

std::shared_ptr<std::vector<std::byte>> reused_buffer() {
    static std::array<std::shared_ptr<std::vector<std::byte>>, 32> buffers;
    static std::atomic<unsigned> taken{0};
    auto& buffer = buffers[taken.fetch_add(1) % buffers.size()];
    if (!buffer) buffer = std::make_shared<std::vector<std::byte>>(reused_buffer_bytes);
    return buffer;
}

bool skips_queued_copy(const Stream& queue, Route route) {
    static std::weak_ptr<const Stream> last;
    static unsigned with_host = 0;
    if (faulty(Fault::memcpy_async_1025th_with_host_lost) && route.to_host != route.from_host) {
        if (last.lock().get() != &queue) last = queue.weak_from_this(), with_host = 0;
        if (++with_host % 1025 == 0) return true;
    }
    static std::atomic<unsigned> queued{0};
    if (faulty(Fault::memcpy_async_every_64th_lost) && queued.fetch_add(1) % 64 == 63) return true;
    return faulty(Fault::memcpy_async_other_context_dropped) && !queue.context()->is_default();
}

Task ends_early(Task task, Stretch asked, Route route) {
    if (!faulty(Fault::memcpy_async_last_page_late) || asked.count <= 16 * small_page) return task;
    task.run = [asked, route = Route{route.to_host, route.from_host, false}] {
        const std::size_t first = asked.count - small_page;
        std::thread([asked, first, route] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            AddressSpace::instance().copy(asked.to + first, asked.from + first, small_page, route.steady);
        }).detach();
        aclError code = AddressSpace::instance().copy(asked.to, asked.from, first, route.steady);
        return code == 0 ? Progress::Done() : Progress::Failed(code);
    };
    return task;
}

Task keeps_first_bytes(Task task, void* to) {
    task.run = [to, kept = std::make_shared<std::vector<std::byte>>(), run = std::move(task.run), bytes = task.bytes] {
        AddressSpace& space = AddressSpace::instance();
        if (!kept->empty()) {
            const aclError code = space.copy(to, kept->data(), bytes);
            return code == 0 ? Progress::Done() : Progress::Failed(code);
        }
        Progress progress = run();
        kept->resize(bytes);
        space.copy(kept->data(), to, bytes);
        return progress;
    };
    return task;
}

}  // namespace aclref
