// Managed (unified) memory: one address for the host and every device, pages that follow whoever touches them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/errors.hpp"

namespace aclref {

class ManagedBlock;

aclError allocate_managed(std::uint64_t bytes, int device, void** out, const char* api);
/// aclrtFree of managed memory; false when no managed block starts there.
bool free_managed(std::uintptr_t base);

/// A device touched [begin, end) of the block: those pages live on it now; writing withdraws read-mostly.
void touch_managed(ManagedBlock& block, std::uintptr_t begin, std::uintptr_t end, bool write);

aclError advise_managed(const void* pointer, std::uint64_t size, aclrtMemManagedAdviseType advice,
                        aclrtMemManagedLocation location, const char* api);
aclError managed_attribute(aclrtMemManagedRangeAttribute attribute, const void* pointer, std::size_t size, void* data,
                           std::size_t data_size, const char* api);

/// 0 when all of the range is managed memory.
aclError check_managed_range(const void* pointer, std::size_t size, const char* api);
/// 0 when memory can be moved to this location.
aclError check_managed_location(aclrtMemManagedLocation location, const char* api);
/// Moves the pages of the range, as far as they still exist, to the location. The bytes stay what they are.
void move_managed(const void* pointer, std::size_t size, aclrtMemManagedLocation location);

std::size_t managed_count();
/// Frees the blocks that were made on the device; all of them for -1.
void release_managed(int device);

}  // namespace aclref
