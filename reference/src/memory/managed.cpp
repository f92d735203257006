#include "memory/managed.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/faults/memory.hpp"
#include "memory/addresses.hpp"
#include "memory/device_memory.hpp"
#include "memory/range_allocator.hpp"
#include "memory/regions.hpp"

namespace aclref {

namespace {

// The documented window. The sanitizers keep their shadow there, so their builds use another one.
#if defined(__SANITIZE_THREAD__)
constexpr std::uintptr_t window_base = 64 * GiB;
constexpr std::size_t window_bytes = 400 * GiB;
#elif defined(__SANITIZE_ADDRESS__)
constexpr std::uintptr_t window_base = 32 * TiB;
constexpr std::size_t window_bytes = 3 * TiB;
#else
constexpr std::uintptr_t window_base = 0x90000000000;
constexpr std::size_t window_bytes = 3 * TiB;
#endif

constexpr int no_location = -2;
constexpr int host_location = -1;

AddressSpace::Impl& space() { return AddressSpace::instance().impl(); }

struct Addresses {
    std::mutex mutex;
    RangeAllocator free{window_base, window_base + window_bytes};
};

Addresses& addresses() {
    static auto* instance = new Addresses;
    return *instance;
}

bool is_host(aclrtMemManagedLocationType type) {
    return type == ACL_MEM_LOCATIONTYPE_HOST || type == ACL_MEM_LOCATIONTYPE_HOST_NUMA ||
           type == ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT;
}

/// A location as the integer attributes tell it.
int location_number(aclrtMemManagedLocation location) {
    if (location.type == ACL_MEM_LOCATIONTYPE_DEVICE)
        return faulty(Fault::managed_preferred_device_as_host) ? host_location : location.id;
    if (!is_host(location.type)) return no_location;
    return faulty(Fault::managed_preferred_host_as_device) ? 0 : host_location;
}

constexpr aclrtMemManagedLocation nowhere{ACL_MEM_LOCATIONTYPE_INVALID, no_location};

bool same(aclrtMemManagedLocation one, aclrtMemManagedLocation other) {
    return one.type == other.type && one.id == other.id;
}

bool node_exists(int node) {
    char path[64];
    std::snprintf(path, sizeof(path), "/sys/devices/system/node/node%d", node);
    struct stat entry {};
    // A machine without the folder has one node.
    return node == 0 || (node > 0 && stat(path, &entry) == 0);
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

}  // namespace

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
    std::map<std::size_t, Granule> granules;  ///< by index; a block may have more than can be kept for each
    DevicePages at_once;                      ///< charged when its bytes are not 0
};

const Granule& ManagedBlock::seen(std::size_t index) const {
    static const Granule untouched;
    const auto found = granules.find(index);
    return found == granules.end() ? untouched : found->second;
}

void ManagedBlock::live_on_device(std::size_t index, int owner) {
    Granule& granule = granules[index];
    if (granule.resident != owner || granule.pages.bytes == 0) {
        live_on_host(index);
        granule.pages = {owner, PageKind::huge, huge_page, 0, 0};
        auto memory = DeviceMemory::of(owner);
        // A device that is full keeps serving the page: managed memory may be larger than the device.
        if (!memory || !memory->charge(granule.pages)) granule.pages.bytes = 0;
        granule.resident = owner;
    }
    granule.touched_by_device = true;
    // The host has to fault the page in again: this is how its next access is noticed. The bytes stay in the memfd.
    if (!granule.read_mostly) madvise(reinterpret_cast<void*>(address(index)), huge_page, MADV_DONTNEED);
}

void ManagedBlock::live_on_host(std::size_t index) {
    Granule& granule = granules[index];
    granule.resident = host_location;
    if (granule.pages.bytes == 0) return;
    if (auto memory = DeviceMemory::of(granule.pages.device)) memory->uncharge(granule.pages);
    granule.pages.bytes = 0;
}

bool ManagedBlock::mapped_on_host(std::size_t index) const {
    constexpr std::size_t pages = huge_page / small_page;
    std::array<std::uint64_t, pages> entries{};
    const int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    const auto wanted = static_cast<ssize_t>(sizeof(entries));
    const bool known = map >= 0 && pread(map, entries.data(), sizeof(entries),
                                         static_cast<off_t>(address(index) / small_page * 8)) == wanted;
    if (map >= 0) close(map);
    // Bit 63: the page is in the page table, so the host touched it since it last moved away.
    if (known) return std::any_of(entries.begin(), entries.end(), [](std::uint64_t entry) { return entry >> 63 != 0; });
    std::array<unsigned char, pages> present{};
    if (seen(index).touched_by_device) return false;
    return mincore(reinterpret_cast<void*>(address(index)), huge_page, present.data()) == 0 &&
           std::any_of(present.begin(), present.end(), [](unsigned char page) { return (page & 1) != 0; });
}

namespace {

/// Calls visit(block, index) for every granule of the range, each block under its lock. False when part of the range is
/// not managed memory, or a visit said so.
template <class Visit>
bool for_each_granule(const void* pointer, std::size_t size, Visit visit) {
    const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
    if (size > ~begin) return false;
    for (std::uintptr_t at = begin; at < begin + size;) {
        auto region = space().find(at);
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

/// Whether the page may be given this preferred place: not while it is mapped somewhere else, unless every place may
/// have its copy.
bool may_prefer(const ManagedBlock& block, std::size_t index, aclrtMemManagedLocation location) {
    const Granule& granule = block.seen(index);
    if ((granule.read_mostly && !faulty(Fault::managed_read_mostly_conflicts)) || faulty(Fault::managed_preferred_conflict_ignored)) return true;
    if (is_host(location.type)) return granule.resident == host_location;
    if (granule.resident != host_location && granule.resident != location.id) return false;
    return !block.mapped_on_host(index);
}

/// Gives the host a copy of its own; what it writes from now on nobody else sees.
void split_host_copy(ManagedBlock& block, std::size_t index) {
    void* place = reinterpret_cast<void*>(block.address(index));
    mmap(place, huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (faulty(Fault::managed_read_mostly_keeps_old_copy)) std::memcpy(place, block.bytes + index * huge_page, huge_page);
}

void advise(ManagedBlock& block, std::size_t index, aclrtMemManagedAdviseType advice, aclrtMemManagedLocation location) {
    Granule& granule = block.granules[index];
    const bool on_device = location.type == ACL_MEM_LOCATIONTYPE_DEVICE;
    switch (advice) {
        case ACL_MEM_ADVISE_SET_READ_MOSTLY:
            granule.read_mostly = !faulty(Fault::managed_read_mostly_ignored);
            if (faulty(Fault::managed_read_mostly_keeps_old_copy) || faulty(Fault::managed_read_mostly_empty_copy))
                split_host_copy(block, index);
            break;
        case ACL_MEM_ADVISE_UNSET_READ_MOSTLY:
            granule.read_mostly = faulty(Fault::managed_unset_read_mostly_ignored);
            if (on_device) block.live_on_device(index, location.id);
            else block.live_on_host(index);
            break;
        case ACL_MEM_ADVISE_SET_PREFERRED_LOCATION: granule.preferred = location; break;
        case ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
            if (!faulty(Fault::managed_unset_preferred_ignored)) granule.preferred = nowhere;
            break;
        case ACL_MEM_ADVISE_SET_ACCESSED_BY:
        case ACL_MEM_ADVISE_UNSET_ACCESSED_BY: {
            const bool set = advice == ACL_MEM_ADVISE_SET_ACCESSED_BY;
            if (faulty(Fault::managed_accessed_by_ignored)) break;
            if (on_device) granule.accessed_by.set(static_cast<std::size_t>(location.id), set);
            else granule.accessed_by_host = set;
            break;
        }
    }
}

/// What all granules of a range agree on.
struct Common {
    bool first = true;
    bool read_mostly = false;
    aclrtMemManagedLocation preferred = nowhere;
    aclrtMemManagedLocation prefetched = nowhere;
    std::bitset<64> accessed_by;
    bool accessed_by_host = false;

    void add(const Granule& granule) {
        if (std::exchange(first, false)) {
            read_mostly = granule.read_mostly;
            preferred = granule.preferred;
            prefetched = granule.prefetched;
            accessed_by = granule.accessed_by;
            accessed_by_host = granule.accessed_by_host;
            return;
        }
        if (faulty(Fault::managed_mixed_range_reports_first)) return;
        read_mostly = read_mostly && granule.read_mostly;
        if (!same(preferred, granule.preferred)) preferred = nowhere;
        if (!same(prefetched, granule.prefetched)) prefetched = nowhere;
        accessed_by &= granule.accessed_by;
        accessed_by_host = accessed_by_host && granule.accessed_by_host;
    }
};

void write_accessed_by(const Common& common, void* data, std::size_t data_size) {
    std::vector<std::int32_t> list;
    for (std::size_t device = 0; device < common.accessed_by.size(); ++device)
        if (common.accessed_by[device]) list.push_back(static_cast<std::int32_t>(device));
    if (common.accessed_by_host) list.push_back(host_location);
    list.resize(data_size / sizeof(std::int32_t), faulty(Fault::managed_list_filled_with_zeros) ? 0 : no_location);
    std::memcpy(data, list.data(), data_size);
}

bool attribute_size_fits(aclrtMemManagedRangeAttribute attribute, std::size_t data_size) {
    switch (attribute) {
        case ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
            if (faulty(Fault::managed_short_list_refused) && data_size < 2 * sizeof(std::int32_t)) return false;
            return data_size != 0 && data_size % sizeof(std::int32_t) == 0;
        case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
        case ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
            return data_size == sizeof(aclrtMemManagedLocationType);
        default: return data_size == sizeof(std::int32_t);
    }
}

void write_attribute(aclrtMemManagedRangeAttribute attribute, const Common& common, void* data, std::size_t data_size) {
    auto number = [&](int value) {
        const std::int32_t out = value;
        std::memcpy(data, &out, sizeof(out));
    };
    auto type = [&](aclrtMemManagedLocationType value) { std::memcpy(data, &value, sizeof(value)); };
    switch (attribute) {
        case ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY: number(common.read_mostly ? 1 : 0); break;
        case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION: number(location_number(common.preferred)); break;
        case ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY: write_accessed_by(common, data, data_size); break;
        case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE: type(common.preferred.type); break;
        case ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID: number(common.preferred.id); break;
        case ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION: number(location_number(common.prefetched)); break;
        case ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE: type(common.prefetched.type); break;
        case ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID: number(common.prefetched.id); break;
    }
}

/// Places `size` bytes of a memfd wherever there is room.
std::uintptr_t place_anywhere(std::size_t size, int descriptor) {
    const std::uintptr_t start = reserve_anywhere(size, huge_page);
    if (start == 0 || show(start, size, descriptor, 0)) return start;
    unreserve(start, size);
    return 0;
}

bool in_window(std::uintptr_t start) { return start >= window_base && start - window_base < window_bytes; }

/// Places `size` bytes of a fresh memfd at free addresses of the window. 0 when there are none.
std::uintptr_t place_in_window(std::size_t size, int descriptor) {
    if (faulty(Fault::managed_outside_window)) return place_anywhere(size, descriptor);
    std::lock_guard lock(addresses().mutex);
    // Somebody else may live in a piece of the window; such pieces stay taken.
    for (int attempt = 0; attempt < 16; ++attempt) {
        auto start = addresses().free.allocate(size, huge_page);
        if (!start) return faulty(Fault::managed_limit_unchecked) ? place_anywhere(size, descriptor) : 0;
        if (!reserve_at(*start, size)) continue;
        if (show(*start, size, descriptor, 0)) return *start;
        unreserve(*start, size);
        addresses().free.release(*start, size);
        return 0;
    }
    return 0;
}

}  // namespace

aclError allocate_managed(std::uint64_t bytes, int device, void** out, const char* api) {
    const aclError failed = ACL_ERROR_RT_MEMORY_ALLOCATION;
    if (bytes > window_bytes && !faulty(Fault::managed_limit_unchecked)) return fail(failed, "%s: %zu bytes are more than a process can hold", api, bytes);
    const std::size_t size = faulty(Fault::managed_not_rounded) ? round_up(bytes, small_page) : round_up(bytes, huge_page);
    const int descriptor = memfd_create("aclref-managed", MFD_CLOEXEC);
    void* view = MAP_FAILED;
    std::uintptr_t base = 0;
    if (descriptor >= 0 && ftruncate(descriptor, static_cast<off_t>(size)) == 0) {
        view = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
        if (view != MAP_FAILED) base = place_in_window(size, descriptor);
        if (view != MAP_FAILED && base == 0) munmap(view, size);
    }
    if (descriptor >= 0) close(descriptor);
    if (base == 0) return fail(failed, "%s: no managed addresses for %zu bytes", api, bytes);
    auto block = std::make_shared<ManagedBlock>(base, size, device, static_cast<std::byte*>(view));
    if (faulty(Fault::managed_taken_at_once)) {
        block->at_once = {device, PageKind::huge, round_up(size, huge_page), 0, 0};
        if (!DeviceMemory::of(device)->charge(block->at_once)) block->at_once.bytes = 0;
    }
    Region region;
    region.base = base;
    region.span = size;
    region.located = {MemoryKind::managed, device, base, bytes};
    region.source = Source::managed;
    region.bytes = block->bytes;
    region.hold = block;
    region.page = huge_page;
    region.managed = std::move(block);
    *out = reinterpret_cast<void*>(base);
    space().insert(std::move(region));
    return ACL_SUCCESS;
}

namespace {

void drop(Region region) {
    ManagedBlock& block = *region.managed;
    {
        std::lock_guard lock(block.mutex);
        for (const auto& [index, granule] : block.granules) block.live_on_host(index);
        auto memory = DeviceMemory::of(block.device);
        if (memory && block.at_once.bytes != 0) memory->uncharge(block.at_once);
    }
    std::lock_guard lock(addresses().mutex);
    unreserve(block.base, block.size);
    if (in_window(block.base) && !faulty(Fault::managed_freed_addresses_lost))
        addresses().free.release(block.base, block.size);
}

}  // namespace

bool free_managed(std::uintptr_t base) {
    auto region = space().take(base, Source::managed);
    if (region) drop(std::move(*region));
    return region.has_value();
}

void touch_managed(ManagedBlock& block, std::uintptr_t begin, std::uintptr_t end, bool write) {
    std::lock_guard lock(block.mutex);
    for (std::size_t index = block.first(begin); index < block.last(end); ++index) {
        Granule& granule = block.granules[index];
        if (write) granule.read_mostly = false;
        if (faulty(Fault::managed_host_bytes_lost) && granule.resident == host_location && block.mapped_on_host(index))
            std::memset(block.bytes + index * huge_page, 0, huge_page);
        block.live_on_device(index, granule.resident == host_location ? block.device : granule.resident);
    }
}

aclError check_managed_range(const void* pointer, std::size_t size, const char* api) {
    if (size > window_bytes || !is_multiple(size, huge_page))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: size %zu is not a multiple of 2 MiB up to 3 TiB", api, size);
    if (!for_each_granule(pointer, size, [](ManagedBlock&, std::size_t) { return true; }))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p + %zu is not managed memory", api, pointer, size);
    return ACL_SUCCESS;
}

aclError check_managed_location(aclrtMemManagedLocation location, const char* api) {
    switch (location.type) {
        case ACL_MEM_LOCATIONTYPE_DEVICE:
            if (location.id >= 0 && location.id < Runtime::instance().device_count()) return ACL_SUCCESS;
            if (faulty(Fault::managed_advice_unchecked)) return ACL_SUCCESS;
            return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: there is no device %d", api, location.id);
        case ACL_MEM_LOCATIONTYPE_HOST_NUMA:
            if (node_exists(location.id)) return ACL_SUCCESS;
            return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: there is no NUMA node %d", api, location.id);
        case ACL_MEM_LOCATIONTYPE_HOST:
        case ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT: return ACL_SUCCESS;
        case ACL_MEM_LOCATIONTYPE_INVALID: break;
    }
    return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: location type %d cannot be used here", api, location.type);
}

aclError advise_managed(const void* pointer, std::uint64_t size, aclrtMemManagedAdviseType advice,
                        aclrtMemManagedLocation location, const char* api) {
    if (static_cast<unsigned>(advice) > ACL_MEM_ADVISE_UNSET_ACCESSED_BY)
        return faulty(Fault::managed_advice_unchecked) ? ACL_SUCCESS : fail(ACL_ERROR_RT_PARAM_INVALID, "%s: advice %d is not defined", api, advice);
    if (aclError code = check_managed_range(pointer, size, api))
        return faulty(Fault::managed_range_unchecked) ? ACL_SUCCESS : code;
    const bool place_ignored =
        advice == ACL_MEM_ADVISE_SET_READ_MOSTLY || advice == ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION;
    const bool place_optional = advice == ACL_MEM_ADVISE_UNSET_READ_MOSTLY && location.type == ACL_MEM_LOCATIONTYPE_INVALID;
    if (!place_ignored && !place_optional)
        if (aclError code = check_managed_location(location, api)) return code;
    if (is_host(location.type) && location.type != ACL_MEM_LOCATIONTYPE_HOST_NUMA) location.id = 0;
    if (advice == ACL_MEM_ADVISE_SET_PREFERRED_LOCATION &&
        !for_each_granule(pointer, size, [&](const ManagedBlock& block, std::size_t index) {
            return may_prefer(block, index, location);
        }))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: part of %p + %zu is mapped elsewhere", api, pointer, size);
    for_each_granule(pointer, size, [&](ManagedBlock& block, std::size_t index) {
        advise(block, index, advice, location);
        return true;
    });
    return ACL_SUCCESS;
}

aclError managed_attribute(aclrtMemManagedRangeAttribute attribute, const void* pointer, std::size_t size, void* data,
                           std::size_t data_size, const char* api) {
    if (attribute < ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY || attribute > ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID)
        return faulty(Fault::managed_attributes_unchecked)
                   ? ACL_SUCCESS
                   : fail(ACL_ERROR_RT_PARAM_INVALID, "%s: attribute %d is not defined", api, attribute);
    if (!attribute_size_fits(attribute, data_size))
        return faulty(Fault::managed_attributes_unchecked) ? ACL_SUCCESS : fail(ACL_ERROR_RT_PARAM_INVALID, "%s: attribute %d does not fit %zu bytes", api, attribute, data_size);
    Common common;
    const bool managed = for_each_granule(pointer, size, [&](const ManagedBlock& block, std::size_t index) {
        common.add(block.seen(index));
        return true;
    });
    if (!managed && !faulty(Fault::managed_range_unchecked))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p + %zu is not managed memory", api, pointer, size);
    write_attribute(attribute, common, data, data_size);
    return ACL_SUCCESS;
}

void move_managed(const void* pointer, std::size_t size, aclrtMemManagedLocation location) {
    for_each_granule(pointer, size, [&](ManagedBlock& block, std::size_t index) {
        block.granules[index].prefetched = location;
        if (location.type == ACL_MEM_LOCATIONTYPE_DEVICE) block.live_on_device(index, location.id);
        else block.live_on_host(index);
        if (faulty(Fault::managed_prefetch_loses_bytes)) std::memset(block.bytes + index * huge_page, 0, huge_page);
        return true;
    });
}

std::size_t managed_count() { return space().count(Source::managed); }

void release_managed(int device) {
    std::vector<Region> gone;
    {
        std::unique_lock lock(space().mutex);
        for (auto next = space().regions.begin(); next != space().regions.end();) {
            const bool ours = device < 0 || next->second.located.device == device;
            if (next->second.source != Source::managed || !ours) ++next;
            else gone.push_back(std::move(next->second)), next = space().regions.erase(next);
        }
    }
    for (Region& region : gone) drop(std::move(region));
}

}  // namespace aclref
