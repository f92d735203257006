#include "copy/move.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/faults/copy.hpp"
#include "memory/address_space.hpp"

namespace aclref {

namespace {

void* forward(void* address, std::size_t bytes) { return static_cast<std::byte*>(address) + bytes; }
const void* forward(const void* address, std::size_t bytes) { return static_cast<const std::byte*>(address) + bytes; }

/// Bytes from an address to the end of the mapping it lies in; of everything else there is no end.
std::size_t mapping_left(const void* address) {
    Located place = AddressSpace::instance().locate(address);
    if (place.kind != MemoryKind::mapped) return SIZE_MAX;
    return place.base + place.size - reinterpret_cast<std::uintptr_t>(address);
}

/// How many bytes a broken library would move instead of `count`.
std::size_t faulty_count(void* to, const void* from, std::size_t count, Route route) {
    if (faulty(Fault::copy_one_mapping_only)) return std::min({count, mapping_left(to), mapping_left(from)});
    if (faulty(Fault::copy_h2d_tail_lost) && route.from_host && !route.to_host && count > 1) return count - 1;
    if (faulty(Fault::copy_d2h_tail_lost) && route.to_host && !route.from_host && count > 1) return count - 1;
    if (faulty(Fault::copy_d2d_rounded_down) && !route.to_host && !route.from_host && count > 32) return count / 32 * 32;
    if (faulty(Fault::copy_count_in_32_bits)) return static_cast<std::uint32_t>(count);
    return count;
}

}  // namespace

aclError move_bytes(void* to, const void* from, std::size_t count, Route route) {
    AddressSpace& space = AddressSpace::instance();
    std::size_t moved = faulty_count(to, from, count, route);
    if (aclError code = space.copy(to, from, moved, route.steady)) return faulty(Fault::copy_unmapped_accepted) ? 0 : code;
    if (faulty(Fault::copy_source_cleared) && count > 0) space.fill(const_cast<void*>(from), 0, 1);
    if (faulty(Fault::copy_head_overrun)) space.copy(static_cast<std::byte*>(to) - 1, from, 1);
    if (faulty(Fault::copy_start_rounded) && route.to_host != route.from_host) {
        // Bytes up to the next 64-byte border never arrive.
        std::size_t lost = (64 - reinterpret_cast<std::uintptr_t>(route.from_host ? to : from) % 64) % 64;
        space.fill(to, 0, std::min(lost, count));
    }
    return 0;
}

bool plane_bytes(std::size_t pitch, std::size_t width, std::size_t height, std::size_t& bytes) {
    return !__builtin_mul_overflow(pitch, height - 1, &bytes) && !__builtin_add_overflow(bytes, width, &bytes);
}

aclError move_rows(const Rows& rows, Route route) {
    AddressSpace& space = AddressSpace::instance();
    std::size_t to_pitch = rows.to_pitch;
    std::size_t from_pitch = rows.from_pitch;
    if (faulty(Fault::memcpy2d_pitches_swapped)) std::swap(to_pitch, from_pitch);
    if (rows.width == to_pitch && rows.width == from_pitch)
        return move_bytes(rows.to, rows.from, rows.width * rows.height, route);
    std::size_t height = rows.height;
    if (faulty(Fault::memcpy2d_last_row_lost) && height > 1) --height;
    std::size_t width = rows.width;
    if (faulty(Fault::memcpy2d_gap_written)) width = std::min(to_pitch, from_pitch);
    for (std::size_t row = 0; row < height; ++row) {
        // The last row has no gap behind it, whatever else is broken.
        std::size_t bytes = row + 1 == rows.height ? rows.width : width;
        if (aclError code = space.copy(forward(rows.to, row * to_pitch), forward(rows.from, row * from_pitch), bytes,
                                       route.steady))
            return code;
    }
    if (faulty(Fault::memcpy2d_after_last_row))
        space.copy(forward(rows.to, (rows.height - 1) * to_pitch + rows.width), rows.from, 1);
    if (faulty(Fault::memcpy2d_d2d_descriptor_overrun) && !route.to_host && !route.from_host)
        space.fill(forward(rows.to, (rows.height - 1) * to_pitch + rows.width), 0, 16);
    return 0;
}

aclError move_words(void* to, std::uint32_t value, std::size_t words) {
    if (faulty(Fault::memset_d32_swapped)) value = __builtin_bswap32(value);
    std::array<std::uint32_t, 4096> pattern;
    pattern.fill(value);
    AddressSpace& space = AddressSpace::instance();
    for (std::size_t done = 0; done < words;) {
        std::size_t piece = std::min(words - done, pattern.size());
        if (aclError code = space.copy(forward(to, done * sizeof value), pattern.data(), piece * sizeof value, true))
            return code;
        done += piece;
    }
    return 0;
}

}  // namespace aclref
