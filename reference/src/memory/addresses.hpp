// Ranges of addresses of this process that must lie at a chosen place, or on a large boundary.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aclref {

/// Reserves exactly this range without access. False when something lives there or the machine has no such addresses.
bool reserve_at(std::uintptr_t start, std::size_t size);
/// Reserves a range without access at a multiple of `alignment`; 0 when there is none.
std::uintptr_t reserve_anywhere(std::size_t size, std::size_t alignment);
void unreserve(std::uintptr_t start, std::size_t size);

/// Shows `size` bytes of the memfd at a reserved place, readable and writable by the host. False on failure.
bool show(std::uintptr_t start, std::size_t size, int descriptor, std::size_t offset);
/// The place is reserved and without access again.
void hide(std::uintptr_t start, std::size_t size);

/// Maps `size` bytes of a memfd where there is room, on a boundary of huge pages; `sharing` is MAP_SHARED or MAP_PRIVATE.
/// Null on failure.
std::byte* show_anywhere(std::size_t size, int sharing, int descriptor, std::size_t offset);

/// Makes every whole huge page of a memfd's mapping that is about to be written for the first time one page, where the
/// kernel can do that at once: it costs a fifth of what 512 small pages do.
void gather_pages(std::byte* bytes, std::size_t size);

}  // namespace aclref
