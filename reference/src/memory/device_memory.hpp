// The memory of one device: which pages are free, and the arena that ordinary allocations are cut from.
//
// The arena is one memfd with two mappings: the addresses callers see (no access in EP form) and a private view through
// which the library moves bytes. Both are as large as the arena, so an allocation makes no system call. Pages are counted
// and not placed: as on a device with page tables, any free pages can serve a range of addresses.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "memory/range_allocator.hpp"
#include "memory/regions.hpp"

namespace aclref {

/// The mappings of an arena; copies under way keep them.
struct ArenaMapping {
    int descriptor = -1;
    std::byte* shown = nullptr;  ///< addresses the caller sees
    std::byte* bytes = nullptr;
    std::size_t size = 0;
    ArenaMapping(std::size_t size, bool readable);
    ~ArenaMapping();
    ArenaMapping(const ArenaMapping&) = delete;
    ArenaMapping& operator=(const ArenaMapping&) = delete;
};

struct DeviceRequest {
    std::size_t asked = 0;
    std::size_t span = 0;              ///< bytes the caller may touch
    PageKind pages = PageKind::normal;
    bool falls_back = false;           ///< to normal pages when the kind has run out
    bool read_only = false;
    bool configured = false;           ///< by a call that takes a configuration; for faults
    bool cached = false;               ///< by aclrtMallocCached; for a fault
    bool combined = false;             ///< by a bandwidth beside a page size; for faults
    bool for_host = false;             ///< a page-locked host block of a form that shares memory
    std::uint32_t module = 0;
};

/// What one component holds, for aclrtGetMemUsageInfo.
struct Usage {
    std::uint32_t module = 0;
    std::size_t current = 0;
    std::size_t peak = 0;
};

class DeviceMemory {
public:
    /// Made on first use, as large as the profile says. Null only when the machine gives no addresses for it.
    static std::shared_ptr<DeviceMemory> of(int device);

    aclError allocate(const DeviceRequest& request, void** out, const char* api);
    /// Gives back what `allocate` made; the region is out of the address space already.
    void give_back(const Region& region);

    /// Takes pages for memory that lies elsewhere (physical handles, pools, managed blocks).
    bool charge(DevicePages& pages);
    void uncharge(const DevicePages& pages);

    struct Figures {
        std::size_t free = 0;
        std::size_t total = 0;
    };
    Figures figures(PageKind kind) const;
    Figures all() const;
    std::vector<Usage> usage() const;
    int arena_descriptor() const { return arena_->descriptor; }
    /// Where in the arena the bytes at an address of an allocation lie.
    std::size_t arena_offset(std::uintptr_t address) const {
        return address - reinterpret_cast<std::uintptr_t>(arena_->shown);
    }

    /// Drops every allocation. Addresses of before are not handed out again before the next but one call.
    void clear();
    bool fits_profile() const;
    explicit DeviceMemory(int device);
    ~DeviceMemory();

private:
    struct Zone {
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    RangeAllocator& places(PageKind kind) { return kind == PageKind::normal ? normal_places_ : huge_places_; }
    void open_half();
    bool take(PageKind kind, std::size_t bytes);

    int device_;
    std::size_t memory_bytes_;
    bool shared_with_host_;
    std::size_t normal_total_ = 0;
    std::size_t huge_total_ = 0;
    std::size_t half_bytes_ = 0;
    unsigned half_ = 0;
    std::shared_ptr<ArenaMapping> arena_;

    mutable std::mutex mutex_;
    std::uint64_t epoch_ = 0;  ///< of the allocations since the last clear
    std::size_t normal_free_ = 0;
    std::atomic<bool> exhausted_{false};  ///< an allocation has failed since the last reset; for faults
    std::size_t huge_free_ = 0;
    RangeAllocator normal_places_{0, 0};
    RangeAllocator huge_places_{0, 0};
    std::map<std::uint32_t, Usage> usage_;
};

/// Drops the device's allocations, and its arena when the profile has another size or form by now.
void release_device_arena(int device);

/// aclrtFree of ordinary memory: the region is given back; false when no such allocation starts there.
bool free_device_memory(std::uintptr_t base);

/// Whether the active product has 1 GiB pages, and memory that is meant for peers.
bool has_huge1g_pages();
bool has_peer_memory();

/// Overwrites fresh memory, so that a program that relies on zeroes notices. The ends are enough for that.
void spoil(std::byte* bytes, std::size_t size);

/// Overwrites the pages in use of a few MiB of freed memory, so that they can be kept for the next user; false for more
/// memory, whose pages are better given back.
bool keep_used(std::byte* bytes, std::size_t size);

/// True in a child made by fork: its device state belongs to the parent and is left alone.
bool in_forked_child();

}  // namespace aclref
