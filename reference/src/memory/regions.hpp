// What the address space knows of each live range, and the tables behind AddressSpace. Internal to the memory part.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "memory/address_space.hpp"
#include "memory/pages.hpp"

namespace aclref {

class ManagedBlock;
struct PhysicalMemory;

/// Which call made a range, and so which call gives it back.
enum class Source : std::uint8_t { malloc, malloc_host, pool, import, mapping, managed, alias };

/// Pages of a device that something holds.
struct DevicePages {
    int device = -1;
    PageKind kind = PageKind::normal;
    std::size_t bytes = 0;        ///< charged, a multiple of the page
    std::uint32_t module = 0;     ///< aclrtGetMemUsageInfo's component
    std::uint64_t epoch = 0;      ///< set when charged
};

/// Who may touch a mapped range. Grants may be added while copies look at them.
struct MappingAccess {
    std::atomic<std::uint64_t> devices{0};  ///< bit per logical device
    std::atomic<bool> host{false};
    bool granted_only = false;              ///< mapped without access: peers of a granted device need a grant too
};

/// A live range.
struct Region {
    std::uintptr_t base = 0;
    std::size_t span = 0;                   ///< bytes that may be touched from `base` on
    Located located;
    Source source = Source::malloc;
    std::byte* bytes = nullptr;             ///< where the library touches them
    std::shared_ptr<const void> hold;       ///< keeps `bytes` usable while a copy is under way
    bool caller_owned = false;              ///< `bytes` belong to the caller and may vanish
    bool cached = false;       ///< made by aclrtMallocCached; for a fault
    bool configured = false;   ///< made with a configuration; for faults
    bool read_only = false;                 ///< only the host may write (ACL_MEM_ACCESS_USER_SPACE_READONLY)
    bool same_address = false;              ///< registration yields a device pointer equal to the host pointer
    std::uint32_t page = small_page;
    std::shared_ptr<MappingAccess> access;  ///< mapped ranges only
    std::shared_ptr<ManagedBlock> managed;  ///< managed ranges only
    std::shared_ptr<PhysicalMemory> physical;  ///< mapped ranges only
    std::uint64_t serial = 0;               ///< pool only: which allocation it belongs to
    DevicePages pages;                      ///< malloc only
    std::size_t offset = 0;                 ///< malloc: place in the arena
    std::size_t room = 0;                   ///< malloc: bytes taken there

    std::uintptr_t end() const { return base + span; }
};

/// A registered host range.
struct Registration {
    std::size_t size = 0;
    std::uint32_t flags = 0;        ///< ACL_HOST_REG_*
    int device = 0;
    std::uintptr_t alias = 0;       ///< device pointer; 0 when not mapped
};

/// Addresses that are never the caller's own memory, whether something lives there or not.
struct Window {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    int device = -1;
};

/// A piece of memory behind a range.
struct Piece {
    std::byte* bytes = nullptr;
    std::size_t size = 0;
    bool foreign = false;           ///< to be moved by the kernel
    std::shared_ptr<const void> hold;
};

struct AddressSpace::Impl {
    mutable std::shared_mutex mutex;
    std::map<std::uintptr_t, Region> regions;              // never overlapping
    std::map<std::uintptr_t, Registration> registrations;  // never overlapping; may lie in pinned regions
    std::map<std::uintptr_t, std::size_t> reservations;    // mapped regions lie inside
    std::vector<Window> windows;

    void insert(Region region);
    /// Removes the region that starts at `base` and was made by `source`; nullopt when there is none.
    std::optional<Region> take(std::uintptr_t base, Source source);
    /// Copy of the region that covers the address.
    std::optional<Region> find(std::uintptr_t address) const;
    std::size_t count(Source source) const;

    void add_window(Window window);
    void drop_window(std::uintptr_t begin);

    // With the mutex held:
    const Region* covering(std::uintptr_t address) const;
    std::map<std::uintptr_t, Registration>::const_iterator registration_covering(std::uintptr_t address) const;
    bool registration_overlaps(std::uintptr_t base, std::size_t size) const;
    std::optional<std::pair<std::uintptr_t, std::size_t>> reservation_covering(std::uintptr_t address) const;
    const Window* window_covering(std::uintptr_t address) const;
    /// First address from `address` on, at most `end`, that is not foreign.
    std::uintptr_t foreign_until(std::uintptr_t address, std::uintptr_t end) const;
};

}  // namespace aclref
