// What the parts of managed memory share: a block and its pages. Internal to managed memory.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "memory/managed.hpp"
#include "memory/regions.hpp"

namespace aclref {

inline constexpr int no_location = -2;
inline constexpr int host_location = -1;
inline constexpr aclrtMemManagedLocation nowhere{ACL_MEM_LOCATIONTYPE_INVALID, no_location};

inline bool is_host(aclrtMemManagedLocationType type) {
    return type == ACL_MEM_LOCATIONTYPE_HOST || type == ACL_MEM_LOCATIONTYPE_HOST_NUMA ||
           type == ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT;
}

/// Properties of one 2 MiB page.
struct Granule {
    bool read_mostly = false;
    aclrtMemManagedLocation preferred = nowhere;
    aclrtMemManagedLocation prefetched = nowhere;
    std::bitset<64> accessed_by;       ///< devices
    bool accessed_by_host = false;
    int resident = host_location;      ///< device whose memory it lives in, or the host
    bool touched_by_device = false;
    DevicePages pages;                 ///< charged when pages.bytes != 0
};

class ManagedBlock {
public:
    ManagedBlock(std::uintptr_t base, std::size_t size, int device, std::byte* bytes)
        : base(base), size(size), device(device), bytes(bytes) {}
    ~ManagedBlock() { munmap(bytes, size); }

    /// Granule indexes of a range that lies in the block.
    std::size_t first(std::uintptr_t at) const { return (at - base) / huge_page; }
    std::size_t last(std::uintptr_t end) const { return (end - base + huge_page - 1) / huge_page; }
    std::uintptr_t address(std::size_t granule) const { return base + granule * huge_page; }

    /// Properties of a page that may never have been touched.
    const Granule& seen(std::size_t index) const;

    void live_on_device(std::size_t index, int owner);
    void live_on_host(std::size_t index);
    bool mapped_on_host(std::size_t index) const;

    const std::uintptr_t base;
    const std::size_t size;
    const int device;
    std::byte* const bytes;
    std::mutex mutex;
    std::map<std::size_t, Granule> granules;  ///< by index, those that were ever touched
    DevicePages at_once;                      ///< charged when its bytes are not 0
};

/// Calls visit(block, index) for every granule of the range, each block under its lock. False when part of the range is
/// not managed memory, or a visit said so.
template <class Visit>
bool for_each_granule(const void* pointer, std::size_t size, Visit visit) {
    const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
    if (size > ~begin) return false;
    for (std::uintptr_t at = begin; at < begin + size;) {
        auto region = AddressSpace::instance().impl().find(at);
        if (!region || !region->managed) return false;
        ManagedBlock& block = *region->managed;
        const std::uintptr_t end = std::min(begin + size, region->end());
        std::lock_guard lock(block.mutex);
        for (std::size_t index = block.first(at); index < block.last(end); ++index)
            if (!visit(block, index)) return false;
        at = end;
    }
    return true;
}

}  // namespace aclref
