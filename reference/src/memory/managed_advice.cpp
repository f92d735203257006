// Advice about managed memory, and the attributes that tell of it.
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <bitset>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "base/faults/memory.hpp"
#include "memory/managed_block.hpp"
#include "runtime/runtime.hpp"

namespace aclref {

namespace {

/// A location as the integer attributes tell it.
int location_number(aclrtMemManagedLocation location) {
    if (location.type == ACL_MEM_LOCATIONTYPE_DEVICE)
        return faulty(Fault::managed_preferred_device_as_host) ? host_location : location.id;
    if (!is_host(location.type)) return no_location;
    return faulty(Fault::managed_preferred_host_as_device) ? 0 : host_location;
}

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

/// Whether the page may be given this preferred place: not while it is mapped somewhere else, unless every place may
/// have its copy.
bool may_prefer(const ManagedBlock& block, std::size_t index, aclrtMemManagedLocation location) {
    const Granule& granule = block.seen(index);
    if (granule.read_mostly && !faulty(Fault::managed_read_mostly_conflicts)) return true;
    if (faulty(Fault::managed_preferred_conflict_ignored)) return true;
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
        case ACL_MEM_ADVISE_SET_PREFERRED_LOCATION:
            granule.preferred = location;
            if (faulty(Fault::managed_preferred_device_is_zero) && on_device) granule.preferred.id = 0;
            break;
        case ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
            if (!faulty(Fault::managed_unset_preferred_ignored)) granule.preferred = nowhere;
            break;
        case ACL_MEM_ADVISE_SET_ACCESSED_BY:
        case ACL_MEM_ADVISE_UNSET_ACCESSED_BY: {
            const bool set = advice == ACL_MEM_ADVISE_SET_ACCESSED_BY;
            if (faulty(Fault::managed_accessed_by_ignored)) break;
            const bool forgets = faulty(set ? Fault::managed_accessed_by_one_only : Fault::managed_accessed_by_all_withdrawn);
            if (forgets) granule.accessed_by.reset();
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
        const bool places = preferred.type != nowhere.type && granule.preferred.type != nowhere.type;
        const bool first_wins = places && faulty(Fault::managed_different_places_first_wins);
        if (!same(preferred, granule.preferred) && !first_wins) preferred = nowhere;
        if (!same(prefetched, granule.prefetched)) prefetched = nowhere;
        if (faulty(Fault::managed_mixed_accessed_by_added_up)) accessed_by |= granule.accessed_by;
        else accessed_by &= granule.accessed_by;
        accessed_by_host = accessed_by_host && granule.accessed_by_host;
    }
};

void write_accessed_by(const Common& common, void* data, std::size_t data_size) {
    std::vector<std::int32_t> list;
    for (std::size_t device = 0; device < common.accessed_by.size(); ++device)
        if (common.accessed_by[device]) list.push_back(static_cast<std::int32_t>(device));
    if (common.accessed_by_host) list.push_back(host_location);
    list.resize(data_size / sizeof(std::int32_t), faulty(Fault::managed_list_filled_with_zeros) ? 0 : no_location);
    if (faulty(Fault::managed_list_of_eight) && list.size() > 8) std::fill(list.begin() + 8, list.end(), 0);
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

}  // namespace

namespace {

/// For faults: the part of a block that a broken library takes advice for.
void misplace_advice(const void*& pointer, std::uint64_t& size, aclrtMemManagedAdviseType advice) {
    const auto region = AddressSpace::instance().impl().find(reinterpret_cast<std::uintptr_t>(pointer));
    if (faulty(Fault::managed_unset_read_mostly_of_rest) && advice == ACL_MEM_ADVISE_UNSET_READ_MOSTLY)
        size = region->end() - reinterpret_cast<std::uintptr_t>(pointer);
    if (faulty(Fault::managed_unset_preferred_of_first_part) && advice == ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION)
        pointer = reinterpret_cast<const void*>(region->base);
}

}  // namespace

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
        return faulty(Fault::managed_advice_unchecked)
                   ? ACL_SUCCESS
                   : fail(ACL_ERROR_RT_PARAM_INVALID, "%s: advice %d is not defined", api, advice);
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
    misplace_advice(pointer, size, advice);
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
        return faulty(Fault::managed_attributes_unchecked)
                   ? ACL_SUCCESS
                   : fail(ACL_ERROR_RT_PARAM_INVALID, "%s: attribute %d does not fit %zu bytes", api, attribute, data_size);
    Common common;
    const bool managed = for_each_granule(pointer, size, [&](const ManagedBlock& block, std::size_t index) {
        const std::uintptr_t offset = block.address(index) - reinterpret_cast<std::uintptr_t>(pointer);
        const bool inner = offset != 0 && offset + huge_page < size;
        if (!inner || !faulty(Fault::managed_mixed_range_looks_at_ends)) common.add(block.seen(index));
        return true;
    });
    if (!managed && !faulty(Fault::managed_range_unchecked))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p + %zu is not managed memory", api, pointer, size);
    write_attribute(attribute, common, data, data_size);
    return ACL_SUCCESS;
}

}  // namespace aclref
