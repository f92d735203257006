// Questions about memory: how much there is, who uses it, what an address is.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/faults/memory.hpp"
#include "base/profile.hpp"
#include "memory/device_memory.hpp"
#include "memory/regions.hpp"

using namespace aclref;

namespace {

constexpr uint32_t memory_types = ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP | ACL_RT_MEM_TYPE_RSVD;

/// For a fault: a null pointer that nobody looks at.
bool unnoticed(const void* pointer) { return pointer == nullptr && faulty(Fault::memory_query_null_accepted); }

/// Component names by module id; memory of the application carries 33.
void write_name(uint32_t module, aclrtMemUsageInfo& out) {
    if (module == 33) std::snprintf(out.name, sizeof(out.name), "APP");
    else if (module == 0) std::snprintf(out.name, sizeof(out.name), "RUNTIME");
    else std::snprintf(out.name, sizeof(out.name), "MODULE_%u", module);
}

aclrtMemUsageInfo usage_info(const Usage& usage) {
    aclrtMemUsageInfo out{};
    write_name(usage.module, out);
    out.curMemSize = usage.current;
    out.memPeakSize = usage.peak;
    return out;
}

/// Bits of aclrtCheckMemType that an address answers to.
uint32_t type_bits(const void* address) {
    const Located located = AddressSpace::instance().locate(address);
    switch (located.kind) {
        case MemoryKind::device: return ACL_RT_MEM_TYPE_DEV;
        case MemoryKind::mapped: return ACL_RT_MEM_TYPE_RSVD;
        case MemoryKind::reserved: return located.base != 0 ? ACL_RT_MEM_TYPE_RSVD : 0;
        default: return 0;
    }
}

void set_location(aclrtPtrAttributes& out, aclrtMemLocationType type, int id) {
    out.location.type = type;
    out.location.id = static_cast<uint32_t>(id);
}

/// For a fault: makes a mapping as large as all that touch it.
void join_mappings(Region& region) {
    const AddressSpace::Impl& space = AddressSpace::instance().impl();
    const auto mapped = [](const std::optional<Region>& one) { return one && one->source == Source::mapping; };
    for (auto next = space.find(region.end()); mapped(next); next = space.find(region.end())) region.span += next->span;
    for (auto next = space.find(region.base - 1); mapped(next); next = space.find(region.base - 1)) {
        region.base = next->base;
        region.span += next->span;
    }
}

/// For a fault: the byte in front of registered memory, or the one behind it.
bool beside_registered(const void* address) {
    const auto* byte = static_cast<const std::byte*>(address);
    const AddressSpace& space = AddressSpace::instance();
    return space.locate(byte - 1).kind == MemoryKind::registered || space.locate(byte + 1).kind == MemoryKind::registered;
}

/// For a fault: more than 64 KiB from both ends of a block of device memory.
bool in_the_middle(const void* address) {
    const Located located = AddressSpace::instance().locate(address);
    const std::size_t offset = reinterpret_cast<uintptr_t>(address) - located.base;
    return located.kind == MemoryKind::device && offset > 64 * 1024 && located.size - offset > 64 * 1024;
}

/// For a fault: 2 MiB or more behind the start of a block of another device than the current one.
bool far_inside_other_device(const void* address) {
    const Located located = AddressSpace::instance().locate(address);
    auto context = Runtime::instance().current_context();
    return located.kind == MemoryKind::device && context && context->device().id() != located.device &&
           reinterpret_cast<uintptr_t>(address) - located.base >= huge_page;
}

/// False where an address must not be asked about.
bool describe(const void* pointer, aclrtPtrAttributes& out) {
    const AddressSpace& space = AddressSpace::instance();
    const Located located = space.locate(pointer);
    auto region = AddressSpace::instance().impl().find(reinterpret_cast<uintptr_t>(pointer));
    out.pageSize = region ? region->page : 0;
    switch (located.kind) {
        case MemoryKind::device: set_location(out, ACL_MEM_LOCATION_TYPE_DEVICE, located.device); return true;
        case MemoryKind::pinned:
            if (faulty(Fault::pointer_attributes_host_for_2_mib) &&
                reinterpret_cast<uintptr_t>(pointer) - located.base >= huge_page)
                return set_location(out, ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0), true;
            // Where host and device share memory, a host block is device memory.
            if (located.device >= 0) set_location(out, ACL_MEM_LOCATION_TYPE_DEVICE, located.device);
            else set_location(out, ACL_MEM_LOCATION_TYPE_HOST, 0);
            return true;
        case MemoryKind::registered:
            if (faulty(Fault::pointer_attributes_miss_registered)) set_location(out, ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0);
            else set_location(out, ACL_MEM_LOCATION_TYPE_HOST, 0);
            out.pageSize = small_page;
            return true;
        case MemoryKind::mapped:
            if (located.device >= 0) set_location(out, ACL_MEM_LOCATION_TYPE_DEVICE, located.device);
            else if (located.numa_node < 0 || faulty(Fault::pointer_attributes_node_is_host))
                set_location(out, ACL_MEM_LOCATION_TYPE_HOST, 0);
            else set_location(out, ACL_MEM_LOCATION_TYPE_HOST_NUMA, located.numa_node);
            return true;
        case MemoryKind::managed:
            if (faulty(Fault::pointer_attributes_managed_is_device))
                set_location(out, ACL_MEM_LOCATION_TYPE_DEVICE, located.device);
            else set_location(out, ACL_MEM_LOCATION_TYPE_MANAGED, 0);
            return true;
        case MemoryKind::foreign:
            if (faulty(Fault::pointer_attributes_foreign_refused)) return false;
            if (faulty(Fault::pointer_attributes_registered_neighbours) && beside_registered(pointer))
                return set_location(out, ACL_MEM_LOCATION_TYPE_HOST, 0), true;
            [[fallthrough]];
        case MemoryKind::reserved: set_location(out, ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0); return true;
        case MemoryKind::host_mapped: break;
    }
    return false;
}

}  // namespace

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
    ACLREF_ENTER(aclrtGetMemInfo);
    if (unnoticed(free) || unnoticed(total)) return ACL_SUCCESS;
    if (free == nullptr || total == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: a pointer is null", __func__);
    aclError code = 0;
    auto context = require_context(code, __func__);
    if (!context && faulty(Fault::meminfo_without_context) && Runtime::instance().device(0) != nullptr) {
        Runtime::instance().set_device(*Runtime::instance().device(0));
        context = Runtime::instance().current_context();
    }
    if (!context) return code;
    return memory_info(context->device().id(), attr, *free, *total);
}

aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo* memUsageInfo, size_t inputNum, size_t* outputNum) {
    ACLREF_ENTER(aclrtGetMemUsageInfo);
    if (unnoticed(memUsageInfo) || unnoticed(outputNum)) return ACL_SUCCESS;
    if (memUsageInfo == nullptr || outputNum == nullptr)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: a pointer is null", __func__);
    if (faulty(Fault::usage_device_unchecked) && (deviceId < 0 || deviceId >= Runtime::instance().device_count())) deviceId = 0;
    if (deviceId < 0 || deviceId >= Runtime::instance().device_count())
        return fail(ACL_ERROR_RT_INVALID_DEVICEID, "%s: there is no device %d", __func__, deviceId);
    *outputNum = 0;
    if (inputNum == 0 && faulty(Fault::usage_of_nothing_accepted)) return ACL_SUCCESS;
    if (inputNum == 0) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: inputNum is 0", __func__);
    auto memory = DeviceMemory::of(deviceId);
    std::vector<Usage> usage;
    if (memory) usage = memory->usage();
    const bool ascending = faulty(Fault::usage_sorted_ascending);
    std::stable_sort(usage.begin(), usage.end(), [&](const Usage& one, const Usage& other) {
        return ascending ? one.current < other.current : one.current > other.current;
    });
    const size_t count = std::min(inputNum, usage.size());
    for (size_t index = 0; index < count; ++index) memUsageInfo[index] = usage_info(usage[index]);
    *outputNum = faulty(Fault::usage_count_above_input) ? inputNum + 1 : count;
    return ACL_SUCCESS;
}

aclError aclrtCheckMemType(void** addrList, uint32_t size, uint32_t memType, uint32_t* checkResult, uint32_t reserve) {
    ACLREF_ENTER(aclrtCheckMemType);
    if (unnoticed(addrList) || unnoticed(checkResult)) return ACL_SUCCESS;
    if (addrList == nullptr || checkResult == nullptr)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: a pointer is null", __func__);
    *checkResult = 0;
    if (faulty(Fault::check_type_arguments_unchecked) && size != 0) reserve = 0, memType &= memory_types;
    if (faulty(Fault::check_type_any_bits)) memType &= memory_types;
    if (faulty(Fault::check_type_any_bits) && size == 0) return ACL_SUCCESS;
    if (size == 0 || reserve != 0)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: size is %u, reserve is %u", __func__, size, reserve);
    if (memType == 0 || (memType & ~memory_types) != 0)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: memType %#x is not defined", __func__, memType);
    const bool first_only = faulty(Fault::check_type_looks_at_first);
    const auto matches = [&](const void* address) { return (type_bits(address) & memType) != 0; };
    if (faulty(Fault::check_type_never_matches)) return ACL_SUCCESS;
    if (faulty(Fault::check_type_one_will_do))
        return *checkResult = std::any_of(addrList, addrList + size, matches) ? 1 : 0, ACL_SUCCESS;
    if (faulty(Fault::check_type_any_address)) return *checkResult = 1, ACL_SUCCESS;
    const uint32_t most = faulty(Fault::check_type_stops_at_64) ? 64 : size;
    *checkResult = std::all_of(addrList, addrList + (first_only ? 1 : std::min(size, most)), matches) ? 1 : 0;
    return ACL_SUCCESS;
}

aclError aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes) {
    ACLREF_ENTER(aclrtPointerGetAttributes);
    if (ptr == nullptr || attributes == nullptr)
        return faulty(Fault::managed_null_accepted) ? ACL_SUCCESS
                                                    : fail(ACL_ERROR_INVALID_PARAM, "%s: a pointer is null", __func__);
    if (faulty(Fault::pointer_attributes_refused_on_rc) && profile().shares_memory_with_host())
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p is no device memory", __func__, ptr);
    aclrtPtrAttributes found{};
    if (!describe(ptr, found))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p cannot be asked about", __func__, ptr);
    if (faulty(Fault::pointer_attributes_interior_unknown)) {
        auto region = AddressSpace::instance().impl().find(reinterpret_cast<uintptr_t>(ptr));
        if (region && region->base != reinterpret_cast<uintptr_t>(ptr))
            set_location(found, ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0);
    }
    const bool current = faulty(Fault::pointer_attributes_report_current_device) ||
                         (faulty(Fault::pointer_attributes_large_report_current_device) &&
                          AddressSpace::instance().locate(ptr).size > huge_page);
    if (current && found.location.type == ACL_MEM_LOCATION_TYPE_DEVICE)
        if (auto context = Runtime::instance().current_context())
            set_location(found, ACL_MEM_LOCATION_TYPE_DEVICE, context->device().id());
    if (faulty(Fault::pointer_attributes_know_first_bytes_only) &&
        AddressSpace::instance().locate(ptr).base != reinterpret_cast<uintptr_t>(ptr))
        set_location(found, ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0);
    if (faulty(Fault::pointer_attributes_other_device_for_2_mib) && far_inside_other_device(ptr))
        set_location(found, ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0);
    if (faulty(Fault::pointer_attributes_middle_unknown) && in_the_middle(ptr))
        set_location(found, ACL_MEM_LOCATION_TYPE_UNREGISTERED, 0);
    if (faulty(Fault::page_size_always_small) && found.pageSize != 0) found.pageSize = small_page;
    *attributes = found;
    return ACL_SUCCESS;
}

aclError aclrtMemGetAddressRange(void* ptr, void** pbase, size_t* psize) {
    ACLREF_ENTER(aclrtMemGetAddressRange);
    if ((ptr == nullptr || (!pbase && !psize)) && faulty(Fault::address_range_needs_none)) return ACL_SUCCESS;
    if (ptr == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: ptr is null", __func__);
    if ((pbase == nullptr) != (psize == nullptr) && faulty(Fault::address_range_needs_both))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: a result is null", __func__);
    if (pbase == nullptr && psize == nullptr) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: both results are null", __func__);
    auto region = AddressSpace::instance().impl().find(reinterpret_cast<uintptr_t>(ptr));
    if (!region && faulty(Fault::address_range_of_anything)) {
        region.emplace();
        region->base = reinterpret_cast<uintptr_t>(ptr);
        region->span = 1;
    }
    if (!region || region->source == Source::alias)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p is in no block", __func__, ptr);
    if (faulty(Fault::address_range_last_byte_unknown) && reinterpret_cast<uintptr_t>(ptr) == region->end() - 1)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p is in no block", __func__, ptr);
    if (faulty(Fault::address_range_of_reservation) && region->source == Source::mapping) {
        AddressSpace::Impl& space = AddressSpace::instance().impl();
        std::shared_lock lock(space.mutex);
        if (auto reserved = space.reservation_covering(region->base)) {
            region->base = reserved->first;
            region->span = reserved->second;
        }
    }
    if (faulty(Fault::address_range_joins_neighbours) && region->source == Source::mapping) join_mappings(*region);
    const bool interior = faulty(Fault::address_range_starts_at_pointer);
    if (pbase != nullptr) *pbase = interior ? ptr : reinterpret_cast<void*>(region->base);
    if (psize != nullptr) *psize = region->span;
    return ACL_SUCCESS;
}
