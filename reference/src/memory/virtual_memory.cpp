#include "memory/virtual_memory.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "base/faults/memory.hpp"
#include "base/profile.hpp"
#include "memory/addresses.hpp"
#include "memory/device_memory.hpp"
#include "memory/physical_memory.hpp"
#include "memory/regions.hpp"

namespace aclref {

namespace {

// Where a caller may choose addresses, by document.
constexpr std::uintptr_t expected_begin = 16 * TiB;
constexpr std::uintptr_t expected_end = 24 * TiB;
constexpr std::uintptr_t far_begin = 40 * TiB;
constexpr std::uintptr_t far_end = 224 * TiB;

constexpr int unbound = -2;

/// What the mappings of a reservation have in common while there are any.
struct Reservation {
    std::size_t size = 0;
    int maker = -1;           ///< current device of the caller; it goes when that device is reset
    int device = unbound;
    bool imported = false;
    std::size_t mappings = 0;
};

/// Guarded by virtual_memory_mutex().
std::map<std::uintptr_t, Reservation>& reservations() {
    static auto* table = new std::map<std::uintptr_t, Reservation>;
    return *table;
}

AddressSpace::Impl& space() { return AddressSpace::instance().impl(); }

std::uintptr_t number(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

std::map<std::uintptr_t, Reservation>::iterator reservation_of(std::uintptr_t address) {
    auto next = reservations().upper_bound(address);
    if (next == reservations().begin()) return reservations().end();
    --next;
    return address - next->first < next->second.size ? next : reservations().end();
}

void keep(std::uintptr_t start, std::size_t size) {
    auto context = Runtime::instance().current_context();
    if (faulty(Fault::reserve_last_granule_lost) && size > huge_page) size -= huge_page;
    if (faulty(Fault::reserve_takes_memory) && context) {
        DevicePages pages{context->device().id(), PageKind::huge, size, 0, 0};
        if (auto memory = DeviceMemory::of(context->device().id())) memory->charge(pages);
    }
    reservations().emplace(start, Reservation{size, context ? context->device().id() : -1, unbound, false, 0});
    std::unique_lock lock(space().mutex);
    space().reservations.emplace(start, size);
}

/// Small ranges lie on a power of two at least as large, others on 1 GiB.
std::size_t expected_alignment(std::size_t size) { return std::min(std::bit_ceil(std::max(size, huge_page)), GiB); }

aclError reserve_somewhere(std::size_t size, void** out, const char* api);

aclError reserve_exactly(std::uintptr_t address, std::size_t size, void** out, const char* api) {
    std::unique_lock lock(virtual_memory_mutex());
    if (!reserve_at(address, size)) {
        const bool ends_free = reservation_of(address) == reservations().end() &&
                               reservation_of(address + size - 1) == reservations().end();
        if (faulty(Fault::expected_range_ends_checked) && ends_free)
            return *out = reinterpret_cast<void*>(address), ACL_SUCCESS;
        if (faulty(Fault::reserve_occupied_moves)) return lock.unlock(), reserve_somewhere(size, out, api);
        // Only a broken library gets past the reservation that is there.
        if (!faulty(Fault::expected_address_taken_twice) || reservation_of(address) == reservations().end())
            return fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%s: %#zx + %zu is occupied", api, address, size);
        *out = reinterpret_cast<void*>(address);
        return ACL_SUCCESS;
    }
    keep(address, size);
    *out = reinterpret_cast<void*>(address);
    return ACL_SUCCESS;
}

aclError reserve_somewhere(std::size_t size, void** out, const char* api) {
    std::lock_guard lock(virtual_memory_mutex());
    const std::uintptr_t start = reserve_anywhere(size, size >= GiB ? GiB : huge_page);
    if (start == 0) return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no free addresses for %zu bytes", api, size);
    keep(start, size);
    *out = reinterpret_cast<void*>(start);
    return ACL_SUCCESS;
}

/// Whether the host sees the bytes of a mapping.
bool shown_to_host(const PhysicalMemory& memory, bool accessible) {
    return accessible && (memory.device < 0 || profile().shares_memory_with_host());
}

bool show_pages(std::uintptr_t start, const PhysicalPages& pages) {
    return pages.descriptor >= 0 && show(start, pages.size, pages.descriptor, 0);
}

bool overlaps_mapping(std::uintptr_t start, std::size_t size) {
    std::shared_lock lock(space().mutex);
    auto next = space().regions.lower_bound(start);
    if (next != space().regions.end() && next->first < start + size) return true;
    return space().covering(start) != nullptr;
}

/// What both ways to map ask of the place. With the mutex held.
aclError check_place(std::uintptr_t start, const PhysicalMemory& memory, const char* api) {
    const aclError refused = ACL_ERROR_RT_PARAM_INVALID;
    auto reserved = reservation_of(start);
    if (reserved == reservations().end() || start + memory.size > reserved->first + reserved->second.size)
        return fail(refused, "%s: %#zx + %zu is not inside a reservation", api, start, memory.size);
    if (!is_multiple(start, granularity_of(memory.properties)))
        return fail(refused, "%s: %#zx is not a multiple of the granularity", api, start);
    if (overlaps_mapping(start, memory.size)) {
        if (faulty(Fault::map_over_mapping_clears_it))
            AddressSpace::instance().fill(reinterpret_cast<void*>(start), 0, memory.size);
        return fail(refused, "%s: part of %#zx + %zu is mapped already", api, start, memory.size);
    }
    const Reservation& range = reserved->second;
    if (range.mappings == 0) return ACL_SUCCESS;
    if (range.mappings >= 4 && faulty(Fault::map_fifth_piece_refused))
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: the reservation takes no more mappings", api);
    if (range.device >= 0 && memory.device >= 0 && range.device != memory.device)
        return fail(refused, "%s: the reservation is bound to device %d", api, range.device);
    if (range.imported != (memory.origin != nullptr))
        return fail(refused, "%s: a reservation holds own or imported memory, not both", api);
    return ACL_SUCCESS;
}

/// With the mutex held and the place checked.
aclError map_at(std::uintptr_t start, const std::shared_ptr<PhysicalMemory>& memory, bool accessible, const char* api) {
    auto reserved = reservation_of(start);
    if (faulty(Fault::map_offset_ignored)) start = reserved->first;
    if (faulty(Fault::map_place_in_32_bits)) start = reserved->first + static_cast<std::uint32_t>(start - reserved->first);
    if (shown_to_host(*memory, accessible) && !show_pages(start, *memory->pages))
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: the memory cannot be shown at %#zx", api, start);
    Region region;
    region.base = start;
    region.span = memory->size;
    region.located = {MemoryKind::mapped, memory->device, start, memory->size, memory->numa_node};
    region.source = Source::mapping;
    region.bytes = memory->pages->bytes;
    if (faulty(Fault::remap_shows_first_handle)) {
        static std::map<std::uintptr_t, std::shared_ptr<PhysicalPages>> first;
        auto& seen = first.try_emplace(start, memory->pages).first->second;
        if (seen->size >= memory->size) region.bytes = seen->bytes;
    }
    region.hold = memory->pages;
    if (faulty(Fault::map_last_granule_private) && memory->size > huge_page) region.span -= huge_page;
    region.page = memory->page;
    region.physical = memory;
    region.access = std::make_shared<MappingAccess>();
    region.access->granted_only = !accessible;
    if (accessible) {
        // Host memory is within reach of every device.
        region.access->devices = memory->device < 0 ? ~std::uint64_t{0} : std::uint64_t{1} << memory->device;
        region.access->host = memory->device < 0;
    }
    space().insert(std::move(region));
    ++memory->maps;
    Reservation& range = reserved->second;
    ++range.mappings;
    if (memory->device >= 0) range.device = memory->device;
    range.imported = memory->origin != nullptr;
    return ACL_SUCCESS;
}

/// A mapping is gone from the address space. With the mutex held.
void after_unmap(const Region& region) {
    const std::size_t hidden = faulty(Fault::unmap_hides_first_granule) ? std::min(region.span, huge_page) : region.span;
    if (!faulty(Fault::unmap_keeps_host_view)) hide(region.base, hidden);
    if (auto reserved = reservation_of(region.base); reserved != reservations().end()) {
        Reservation& range = reserved->second;
        if (--range.mappings == 0) range = {range.size, range.maker, unbound, false, 0};
    }
    PhysicalMemory& memory = *region.physical;
    if (faulty(Fault::unmap_clears_memory)) std::memset(memory.pages->bytes, 0, memory.size);
    --memory.maps;
    if (memory.maps == 0 && memory.handles == 1 && faulty(Fault::unmap_last_frees_handle)) drop_handle(memory);
    if (!faulty(Fault::free_physical_while_mapped_leaks) || memory.handles != 0) settle_physical(memory);
}

std::vector<Region> mappings_in(std::uintptr_t start, std::size_t size) {
    std::vector<Region> out;
    std::shared_lock lock(space().mutex);
    auto& regions = space().regions;
    for (auto next = regions.lower_bound(start); next != regions.end() && next->first < start + size; ++next)
        if (next->second.source == Source::mapping) out.push_back(next->second);
    return out;
}

/// Unmaps whatever lies in the range. With the mutex held.
void unmap_all(std::uintptr_t start, std::size_t size) {
    for (const Region& region : mappings_in(start, size))
        if (space().take(region.base, Source::mapping)) after_unmap(region);
}

void drop(std::map<std::uintptr_t, Reservation>::iterator reserved) {
    {
        std::unique_lock lock(space().mutex);
        space().reservations.erase(reserved->first);
    }
    unreserve(reserved->first, reserved->second.size);
    reservations().erase(reserved);
}

/// The mapping that starts at the address; nullopt otherwise, with a recorded code.
std::optional<Region> mapping_at(const void* start, aclError& code, const char* api) {
    auto region = space().find(number(start));
    if (region && region->source == Source::mapping && region->base == number(start)) return region;
    code = fail(ACL_ERROR_RT_PARAM_INVALID, "%s: no mapping starts at %p", api, start);
    return std::nullopt;
}

aclError check_location(const aclrtMemLocation& location, const char* api) {
    if (location.type == ACL_MEM_LOCATION_TYPE_HOST) {
        if (location.id == 0) return ACL_SUCCESS;
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the id of the host is 0, not %u", api, location.id);
    }
    if (location.type != ACL_MEM_LOCATION_TYPE_DEVICE)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: location type %d is not supported", api, location.type);
    if (location.id >= static_cast<std::uint32_t>(Runtime::instance().device_count()))
        return fail(ACL_ERROR_RT_INVALID_DEVICEID, "%s: there is no device %u", api, location.id);
    if (faulty(Fault::set_access_takes_physical_id) &&
        Runtime::instance().device(static_cast<int>(location.id))->logical_id() != static_cast<int>(location.id))
        return fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%s: device %u does not own the memory", api, location.id);
    return ACL_SUCCESS;
}

aclError check_grant(const aclrtMemAccessDesc& grant, const char* api) {
    if (faulty(Fault::set_access_unchecked)) return ACL_SUCCESS;
    if (grant.flags != ACL_RT_MEM_ACCESS_FLAGS_READWRITE)
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: access %d is not supported, only read-write is", api, grant.flags);
    if (std::any_of(std::begin(grant.rsv), std::end(grant.rsv), [](std::uint8_t byte) { return byte != 0; }))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: a reserved byte is not 0", api);
    return check_location(grant.location, api);
}

}  // namespace

aclError reserve_range(std::size_t size, std::uintptr_t expected, void** out, const char* api) {
    const aclError refused = ACL_ERROR_RT_PARAM_INVALID;
    if (size > far_end) return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no free addresses for %zu bytes", api, size);
    const std::size_t whole = round_up(size, huge_page);
    if (expected == 0) return reserve_somewhere(whole, out, api);
    if (profile().cann < Version{8, 5} || profile().product == Product::p950)
        return fail(refused, "%s: the address cannot be chosen here", api);
    const bool inside = expected >= expected_begin && expected < expected_end && whole <= expected_end - expected;
    if (!inside && !faulty(Fault::expected_range_unchecked))
        return fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%s: %#zx + %zu is not in 16 TiB to 24 TiB", api, expected, whole);
    if (!is_multiple(expected, expected_alignment(size)) && !faulty(Fault::expected_alignment_unchecked))
        return fail(refused, "%s: %#zx is not a multiple of %zu", api, expected, expected_alignment(size));
    if (faulty(Fault::expected_address_ignored)) return reserve_somewhere(whole, out, api);
    return reserve_exactly(expected, whole, out, api);
}

aclError reserve_range_at(std::size_t size, std::uintptr_t address, void** out, const char* api) {
    if (address == 0 && faulty(Fault::reserve_at_null_accepted)) return reserve_somewhere(size, out, api);
    if (address == 0) return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: the start address must be chosen", api);
    if (!is_multiple(size, GiB) || !is_multiple(address, GiB))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %#zx + %zu is not in steps of 1 GiB", api, address, size);
    if (address < far_begin || address >= far_end || size > far_end - address)
        return fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%s: %#zx + %zu is not in 40 TiB to 224 TiB", api, address, size);
    if (faulty(Fault::reserve_at_gives_own_address)) return reserve_somewhere(size, out, api);
    return reserve_exactly(address, size, out, api);
}

aclError release_range(void* start, const char* api) {
    std::lock_guard lock(virtual_memory_mutex());
    auto reserved = reservations().find(number(start));
    if (reserved == reservations().end())
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: no reservation starts at %p", api, start);
    if (reserved->second.mappings != 0)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the range at %p is still mapped", api, start);
    drop(reserved);
    if (faulty(Fault::release_drops_neighbour) && !reservations().empty()) {
        auto neighbour = reservations().lower_bound(number(start));
        if (neighbour == reservations().end()) --neighbour;
        unmap_all(neighbour->first, neighbour->second.size);
    }
    return ACL_SUCCESS;
}

aclError map_physical(void* start, std::size_t size, aclrtDrvMemHandle handle, bool accessible, const char* api) {
    std::lock_guard lock(virtual_memory_mutex());
    auto memory = find_physical(handle);
    if (!memory) return fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: %p is no live handle of physical memory", api, handle);
    if (size != memory->size && !faulty(Fault::map_size_unchecked))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: size %zu is not the handle's size %zu", api, size, memory->size);
    if (aclError code = check_place(number(start), *memory, api)) return code;
    return map_at(number(start), memory, accessible, api);
}

aclError map_like(void* to, std::size_t size, void* from, const char* api) {
    const aclError refused = ACL_ERROR_RT_PARAM_INVALID;
    std::shared_ptr<PhysicalMemory> own;
    if (faulty(Fault::map_like_private)) {
        const aclrtMemLocation here{0, ACL_MEM_LOCATION_TYPE_DEVICE};
        const aclrtPhysicalMemProp huge{ACL_MEM_HANDLE_TYPE_NONE, ACL_MEM_ALLOCATION_TYPE_PINNED, ACL_HBM_MEM_HUGE, here, 0};
        aclrtDrvMemHandle handle = nullptr;
        if (size != 0 && allocate_physical(size, huge, handle, api) == ACL_SUCCESS) own = find_physical(handle);
    }
    std::lock_guard lock(virtual_memory_mutex());
    auto target = reservations().find(number(to));
    auto source = reservations().find(number(from));
    if (target == reservations().end() || source == reservations().end() || target == source)
        return fail(refused, "%s: %p and %p are not the starts of two reservations", api, to, from);
    if (size != target->second.size || size != source->second.size)
        return fail(refused, "%s: size %zu is not the size of both reservations", api, size);
    if (target->second.mappings != 0) return fail(refused, "%s: the destination is mapped already", api);
    const std::vector<Region> pieces = mappings_in(source->first, size);
    if (pieces.empty() && faulty(Fault::map_like_of_nothing_succeeds)) return ACL_SUCCESS;
    if (own && !pieces.empty()) return map_at(target->first, own, true, api);
    if (pieces.empty()) return fail(refused, "%s: the source is not mapped", api);
    for (const Region& piece : pieces) {
        const std::uintptr_t place = target->first + (piece.base - source->first);
        if (aclError code = map_at(place, piece.physical, true, api)) {
            unmap_all(target->first, size);
            return code;
        }
        if (faulty(Fault::map_like_first_piece_only)) break;
    }
    return ACL_SUCCESS;
}

aclError unmap_range(void* start, const char* api) {
    std::lock_guard lock(virtual_memory_mutex());
    aclError code = 0;
    auto region = mapping_at(start, code, api);
    if (!region) return faulty(Fault::unmap_of_nothing_succeeds) ? ACL_SUCCESS : code;
    if (faulty(Fault::unmap_leaves_pages)) return ACL_SUCCESS;
    space().take(region->base, Source::mapping);
    after_unmap(*region);
    const auto reserved = reservation_of(region->base);
    if (faulty(Fault::unmap_takes_whole_reservation) && reserved != reservations().end())
        unmap_all(reserved->first, reserved->second.size);
    return ACL_SUCCESS;
}

aclError set_access(void* start, std::size_t size, const aclrtMemAccessDesc* grants, std::size_t count, const char* api) {
    const std::size_t looked_at = count == 2 && faulty(Fault::set_access_checks_first) ? 1 : count;
    for (std::size_t index = 0; index < looked_at; ++index)
        if (aclError code = check_grant(grants[index], api)) return code;
    std::lock_guard lock(virtual_memory_mutex());
    aclError code = 0;
    auto region = mapping_at(start, code, api);
    if (!region && faulty(Fault::access_of_nothing_succeeds)) return ACL_SUCCESS;
    if (!region) return code;
    if (size != region->span)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: size %zu is not the mapping's size %zu", api, size, region->span);
    if (faulty(Fault::set_access_ignored)) return ACL_SUCCESS;
    for (std::size_t index = 0; index < count; ++index) {
        if (index + 1 < count && faulty(Fault::set_access_last_only)) continue;
        const aclrtMemLocation& location = grants[index].location;
        if (location.type == ACL_MEM_LOCATION_TYPE_DEVICE) {
            if (faulty(Fault::set_access_replaces)) region->access->devices = 0;
            region->access->devices |= std::uint64_t{1} << location.id;
            if (faulty(Fault::set_access_opens_every_mapping))
                for (const Region& other : mappings_in(0, SIZE_MAX)) other.access->devices |= std::uint64_t{1} << location.id;
            continue;
        }
        if (!region->access->host && !show_pages(region->base, *region->physical->pages))
            return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: the memory cannot be shown to the host", api);
        region->access->host = true;
    }
    return ACL_SUCCESS;
}

aclError get_access(void* start, const aclrtMemLocation& location, std::uint64_t& flags, const char* api) {
    if (aclError code = check_location(location, api); code != 0 && !faulty(Fault::get_access_of_any_location)) return code;
    std::lock_guard lock(virtual_memory_mutex());
    aclError code = 0;
    auto region = mapping_at(start, code, api);
    if (!region) return code;
    const MappingAccess& access = *region->access;
    const bool granted = location.type == ACL_MEM_LOCATION_TYPE_HOST ? access.host.load()
                                                                     : (access.devices >> location.id & 1) != 0;
    flags = granted ? ACL_RT_MEM_ACCESS_FLAGS_READWRITE : ACL_RT_MEM_ACCESS_FLAGS_NONE;
    if (location.type == ACL_MEM_LOCATION_TYPE_HOST && faulty(Fault::host_access_untold)) flags = ACL_RT_MEM_ACCESS_FLAGS_NONE;
    if (granted && faulty(Fault::get_access_reports_read)) flags = ACL_RT_MEM_ACCESS_FLAGS_READ;
    return ACL_SUCCESS;
}

aclError retain_mapping(void* start, aclrtDrvMemHandle& out, const char* api) {
    std::lock_guard lock(virtual_memory_mutex());
    aclError code = 0;
    auto region = mapping_at(start, code, api);
    if (!region && faulty(Fault::retain_of_nothing_succeeds)) return ACL_SUCCESS;
    if (!region) return code;
    if (faulty(Fault::retain_counts_granules)) {
        const auto reserved = reservation_of(region->base);
        const std::vector<Region> pieces = mappings_in(reserved->first, reserved->second.size);
        region = pieces[std::min((region->base - reserved->first) / huge_page, pieces.size() - 1)];
    }
    if (region->physical->handles == 0 && faulty(Fault::retain_needs_a_live_handle))
        return fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: the handle behind %p was freed", api, start);
    out = retain_physical(region->physical);
    return ACL_SUCCESS;
}

std::size_t reservation_count() {
    std::lock_guard lock(virtual_memory_mutex());
    return reservations().size();
}

void release_reservations(int device) {
    std::lock_guard lock(virtual_memory_mutex());
    for (auto next = reservations().begin(); next != reservations().end();) {
        auto reserved = next++;
        if (device >= 0 && reserved->second.device != device && reserved->second.maker != device) continue;
        unmap_all(reserved->first, reserved->second.size);
        drop(reserved);
    }
}

}  // namespace aclref
