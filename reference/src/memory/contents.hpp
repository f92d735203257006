// What stands in device memory: copied away and put back by snapshots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace aclref {

struct SavedRange {
    std::uintptr_t base = 0;
    std::vector<std::byte> bytes;
};

/// A copy of everything that device memory holds in this process.
std::vector<SavedRange> save_device_memory();

/// Writes the copy back where the ranges are still what they were.
void restore_device_memory(const std::vector<SavedRange>& saved);

}  // namespace aclref
