#include "copy/move.hpp"

#include <algorithm>
#include <array>

#include "base/faults/copy.hpp"
#include "copy/broken.hpp"
#include "memory/address_space.hpp"

namespace aclref {

namespace {

void* forward(void* address, std::size_t bytes) { return static_cast<std::byte*>(address) + bytes; }
const void* forward(const void* address, std::size_t bytes) { return static_cast<const std::byte*>(address) + bytes; }

}  // namespace

aclError move_bytes(void* to, const void* from, std::size_t count, Route route) {
    const Stretch asked{static_cast<std::byte*>(to), static_cast<const std::byte*>(from), count};
    const Stretch moved = broken_stretch(asked, route);
    const bool crosses = faulty(Fault::copy_other_devices_memory_cut) &&
                         AddressSpace::instance().locate(to).device != AddressSpace::instance().locate(from).device &&
                         !route.to_host && !route.from_host;
    if (crosses && count > 4096) return AddressSpace::instance().copy(to, from, 4096, route.steady);
    if (aclError code = AddressSpace::instance().copy(moved.to, moved.from, moved.count, route.steady))
        return faulty(Fault::copy_unmapped_accepted) ? 0 : code;
    const std::size_t border = std::size_t{1} << 32;
    if (faulty(Fault::memcpy_4g_border_lost) && count > border) AddressSpace::instance().fill(forward(to, border), 0, 1);
    spoil_after_copy(asked, route);
    return 0;
}

bool plane_bytes(std::size_t pitch, std::size_t width, std::size_t height, std::size_t& bytes) {
    return !__builtin_mul_overflow(pitch, height - 1, &bytes) && !__builtin_add_overflow(bytes, width, &bytes);
}

aclError move_rows(const Rows& asked, Route route) {
    AddressSpace& space = AddressSpace::instance();
    const Rows rows = broken_rows(asked, route);
    if (rows.width == rows.to_pitch && rows.width == rows.from_pitch) {
        std::size_t bytes = rows.width * rows.height;
        if (faulty(Fault::memcpy2d_dense_rounded_down) && bytes > 32) bytes = bytes / 32 * 32;
        return move_bytes(rows.to, rows.from, bytes, route);
    }
    std::size_t width = rows.width;
    if (faulty(Fault::memcpy2d_gap_written)) width = std::min(rows.to_pitch, rows.from_pitch);
    for (std::size_t row = 0; row < rows.height; ++row) {
        // The last row has no gap behind it, whatever else is broken.
        std::size_t bytes = row + 1 == asked.height ? rows.width : width;
        std::size_t source = row;
        if (faulty(Fault::memcpy2d_last_row_repeats) && row > 1 && row + 1 == rows.height) --source;
        if (aclError code = space.copy(forward(rows.to, row * rows.to_pitch), forward(rows.from, source * rows.from_pitch),
                                       bytes, route.steady))
            return code;
    }
    void* behind = forward(rows.to, (asked.height - 1) * rows.to_pitch + rows.width);
    if (faulty(Fault::memcpy2d_after_last_row)) space.copy(behind, rows.from, 1);
    if (faulty(Fault::memcpy2d_d2d_descriptor_overrun) && !route.to_host && !route.from_host) space.fill(behind, 0, 16);
    return 0;
}

aclError move_words(void* to, std::uint32_t value, std::size_t words) {
    if (faulty(Fault::memset_d32_swapped)) value = __builtin_bswap32(value);
    if (faulty(Fault::memset_d32_word_too_many)) ++words;
    const bool host_broken = faulty(Fault::memset_d32_host_stops_at_1024) || faulty(Fault::memset_d32_host_ninth_word_lost);
    if (host_broken && AddressSpace::instance().locate(to).on_host()) {
        if (faulty(Fault::memset_d32_host_stops_at_1024)) words = std::min<std::size_t>(words, 1024);
        if (faulty(Fault::memset_d32_host_ninth_word_lost) && words > 8 && words % 8 == 1) --words;
    }
    if (faulty(Fault::memset_d32_stops_at_4096)) words = std::min<std::size_t>(words, 4096);
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
