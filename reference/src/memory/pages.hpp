// Page sizes and rounding.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace aclref {

inline constexpr std::size_t small_page = 4096;
inline constexpr std::size_t MiB = std::size_t{1} << 20;
inline constexpr std::size_t GiB = std::size_t{1} << 30;
inline constexpr std::size_t TiB = std::size_t{1} << 40;
inline constexpr std::size_t huge_page = 2 * MiB;

/// Pages of device memory an allocation may consist of.
enum class PageKind : std::uint8_t { normal, huge, huge1g };

constexpr std::size_t page_bytes(PageKind kind) {
    switch (kind) {
        case PageKind::normal: return small_page;
        case PageKind::huge: return huge_page;
        case PageKind::huge1g: break;
    }
    return GiB;
}

/// To the next multiple of a power of two; the caller makes sure that it does not wrap.
constexpr std::size_t round_up(std::size_t value, std::size_t multiple) { return (value + multiple - 1) & ~(multiple - 1); }
constexpr std::size_t round_down(std::size_t value, std::size_t multiple) { return value & ~(multiple - 1); }
constexpr bool is_multiple(std::size_t value, std::size_t multiple) { return (value & (multiple - 1)) == 0; }

/// Memory of the machine: no host allocation can be larger.
inline std::size_t host_memory_bytes() {
    static const std::size_t bytes =
        static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

}  // namespace aclref
