// Virtual memory: reserved addresses, physical handles, mappings, access, sharing between processes.
#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/faults/memory.hpp"
#include "base/profile.hpp"
#include "memory/foreign.hpp"
#include "memory/physical_memory.hpp"
#include "memory/virtual_memory.hpp"

using namespace aclref;

namespace {

constexpr uint64_t export_flags = ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION;

uintptr_t number(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

/// For a fault: a null pointer that nobody looks at.
bool unnoticed(const void* pointer) { return pointer == nullptr && faulty(Fault::virtual_null_accepted); }

/// For a fault, as above.
bool unshared(const void* pointer) { return pointer == nullptr && faulty(Fault::sharing_null_accepted); }

/// For a fault: counts a mapping that is not there.
void hold_for_good(aclrtDrvMemHandle handle) {
    std::lock_guard lock(virtual_memory_mutex());
    if (const auto memory = find_physical(handle)) ++memory->maps;
}

/// What both reserving calls ask of their arguments.
aclError check_reservation(void** virPtr, size_t size, size_t alignment, uint64_t flags, const char* api) {
    if (virPtr == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: virPtr is null", api);
    if (size == 0 && faulty(Fault::virtual_size_zero_accepted)) return ACL_SUCCESS;
    if (size == 0) return fail(ACL_ERROR_INVALID_PARAM, "%s: size is 0", api);
    if (flags > (faulty(Fault::reserve_huge_flag_refused) ? 0U : 1U))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: flags %#lx is not supported", api, flags);
    if (alignment != 0 && !faulty(Fault::reserve_alignment_ignored))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: alignment is %zu, not 0", api, alignment);
    return ACL_SUCCESS;
}

aclError map_memory(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags, bool accessible,
                    const char* api) {
    if (unnoticed(virPtr) || unnoticed(handle)) return ACL_SUCCESS;
    if (virPtr == nullptr || handle == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: a pointer is null", api);
    if (size == 0 && !faulty(Fault::map_size_unchecked)) return fail(ACL_ERROR_INVALID_PARAM, "%s: size is 0", api);
    if (flags != 0 && !faulty(Fault::map_flags_unchecked))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: flags is %#lx, not 0", api, flags);
    if (offset != 0 && faulty(Fault::map_refused_keeps_memory)) hold_for_good(handle);
    if (offset != 0 && !faulty(Fault::map_offset_argument_ignored))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: offset is %zu, not 0", api, offset);
    return map_physical(virPtr, size, handle, accessible, api);
}

aclError check_share_type(aclrtMemSharedHandleType type, const char* api) {
    if (faulty(Fault::share_type_unchecked) && type != ACL_MEM_SHARE_HANDLE_TYPE_FABRIC) return ACL_SUCCESS;
    if (type != ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT && type != ACL_MEM_SHARE_HANDLE_TYPE_FABRIC)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: share type %d is not defined", api, type);
    if (type == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC && (profile().product != Product::A3 || faulty(Fault::share_fabric_refused)))
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: this product has no fabric handles", api);
    return ACL_SUCCESS;
}

aclError check_export_flags(uint64_t flags, const char* api) {
    if (flags != 0 && faulty(Fault::export_no_list_flag_refused))
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: flags %#lx is not supported", api, flags);
    if (flags <= export_flags || faulty(Fault::export_flags_unchecked)) return ACL_SUCCESS;
    return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: flags %#lx is not defined", api, flags);
}

aclError allow(uint64_t shareable, const int32_t* pid, size_t count, const char* api) {
    if (count > most_listed_processes && faulty(Fault::share_list_unlimited)) return ACL_SUCCESS;
    if (count > most_listed_processes)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %zu processes are too many", api, count);
    if (faulty(Fault::set_pid_lists_nobody)) return ACL_SUCCESS;
    if (faulty(Fault::share_first_process_only)) count = 1;
    if (faulty(Fault::share_list_cut_at_16)) count = std::min<size_t>(count, 16);
    if (allow_processes(shareable, OfferKind::physical, pid, count)) return ACL_SUCCESS;
    if (faulty(Fault::share_list_of_unknown_handle_accepted)) return ACL_SUCCESS;
    return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: this process exported no such handle", api);
}

size_t shareable_bytes(aclrtMemSharedHandleType type) {
    return type == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC ? fabric_handle_bytes : sizeof(uint64_t);
}

/// The number in a shareable handle of either type; 0 when it is none. The address says nothing of what lies there, so
/// the bytes are read like any memory of the caller.
uint64_t shareable_number(const void* handle, aclrtMemSharedHandleType type) {
    unsigned char bytes[fabric_handle_bytes];
    if (!read_foreign(bytes, handle, shareable_bytes(type))) return 0;
    if (type == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC) return read_fabric_handle(bytes);
    uint64_t value = 0;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
}

}  // namespace

aclError aclrtReserveMemAddress(void** virPtr, size_t size, size_t alignment, void* expectPtr, uint64_t flags) {
    ACLREF_ENTER(aclrtReserveMemAddress);
    if (unnoticed(virPtr)) return ACL_SUCCESS;
    if (aclError code = check_reservation(virPtr, size, alignment, flags, __func__)) return code;
    return reserve_range(size, number(expectPtr), virPtr, __func__);
}

aclError aclrtReserveMemAddressNoUCMemory(void** virPtr, size_t size, size_t alignment, void* expectPtr, uint64_t flags) {
    ACLREF_ENTER(aclrtReserveMemAddressNoUCMemory);
    if (unnoticed(virPtr)) return ACL_SUCCESS;
    if (aclError code = check_reservation(virPtr, size, alignment, flags, __func__)) return code;
    return reserve_range_at(size, number(expectPtr), virPtr, __func__);
}

aclError aclrtReleaseMemAddress(void* virPtr) {
    ACLREF_ENTER(aclrtReleaseMemAddress);
    if (unnoticed(virPtr)) return ACL_SUCCESS;
    if (virPtr == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: virPtr is null", __func__);
    return release_range(virPtr, __func__);
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size, const aclrtPhysicalMemProp* prop, uint64_t flags) {
    ACLREF_ENTER(aclrtMallocPhysical);
    if (unnoticed(handle) || unnoticed(prop)) return ACL_SUCCESS;
    if (handle == nullptr || prop == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: a pointer is null", __func__);
    if (size == 0 && faulty(Fault::virtual_size_zero_accepted)) return ACL_SUCCESS;
    if (size == 0) return fail(ACL_ERROR_INVALID_PARAM, "%s: size is 0", __func__);
    if (flags != 0) return fail(ACL_ERROR_INVALID_PARAM, "%s: flags is %#lx, not 0", __func__, flags);
    return allocate_physical(size, *prop, *handle, __func__);
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle) {
    ACLREF_ENTER(aclrtFreePhysical);
    if (handle == nullptr && !faulty(Fault::free_physical_anything_succeeds))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: handle is null", __func__);
    return free_physical(handle, __func__);
}

aclError aclrtMapMem(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags) {
    ACLREF_ENTER(aclrtMapMem);
    return map_memory(virPtr, size, offset, handle, flags, true, __func__);
}

aclError aclrtMemMapNoAccess(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags) {
    ACLREF_ENTER(aclrtMemMapNoAccess);
    if (faulty(Fault::map_no_access_offset_ignored)) offset = 0;
    return map_memory(virPtr, size, offset, handle, flags, false, __func__);
}

aclError aclrtUnmapMem(void* virPtr) {
    ACLREF_ENTER(aclrtUnmapMem);
    if (unnoticed(virPtr)) return ACL_SUCCESS;
    if (virPtr == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: virPtr is null", __func__);
    return unmap_range(virPtr, __func__);
}

aclError aclrtMemMapSelectedLink(void* virPtrDst, size_t size, void* virPtrSrc, uint32_t linkIdx) {
    ACLREF_ENTER(aclrtMemMapSelectedLink);
    if (unnoticed(virPtrDst) || unnoticed(virPtrSrc)) return ACL_SUCCESS;
    if (virPtrDst == nullptr || virPtrSrc == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: a pointer is null", __func__);
    if (size == 0 && faulty(Fault::virtual_size_zero_accepted)) return ACL_SUCCESS;
    if (size == 0) return fail(ACL_ERROR_INVALID_PARAM, "%s: size is 0", __func__);
    if (linkIdx > ACL_RT_MEM_LINK_IDX_1 && !faulty(Fault::map_like_any_link)) return fail(ACL_ERROR_INVALID_PARAM, "%s: there is no link %u", __func__, linkIdx);
    return map_like(virPtrDst, size, virPtrSrc, __func__);
}

aclError aclrtMemSetAccess(void* virPtr, size_t size, aclrtMemAccessDesc* desc, size_t count) {
    ACLREF_ENTER(aclrtMemSetAccess);
    if (unnoticed(virPtr) || unnoticed(desc)) return ACL_SUCCESS;
    if (virPtr == nullptr || desc == nullptr) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: a pointer is null", __func__);
    if (size == 0 && faulty(Fault::virtual_size_zero_accepted)) return ACL_SUCCESS;
    if (count == 0 && faulty(Fault::set_access_of_nobody_accepted)) return ACL_SUCCESS;
    if (size == 0 || count == 0) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: size or count is 0", __func__);
    return set_access(virPtr, size, desc, count, __func__);
}

aclError aclrtMemGetAccess(void* virPtr, aclrtMemLocation* location, uint64_t* flag) {
    ACLREF_ENTER(aclrtMemGetAccess);
    if (unnoticed(virPtr) || unnoticed(location) || unnoticed(flag)) return ACL_SUCCESS;
    if (virPtr == nullptr || location == nullptr || flag == nullptr)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: a pointer is null", __func__);
    return get_access(virPtr, *location, *flag, __func__);
}

aclError aclrtMemRetainAllocationHandle(void* virPtr, aclrtDrvMemHandle* handle) {
    ACLREF_ENTER(aclrtMemRetainAllocationHandle);
    if (unnoticed(virPtr) || unnoticed(handle)) return ACL_SUCCESS;
    if (virPtr == nullptr || handle == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: a pointer is null", __func__);
    return retain_mapping(virPtr, *handle, __func__);
}

aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle, aclrtPhysicalMemProp* prop) {
    ACLREF_ENTER(aclrtMemGetAllocationPropertiesFromHandle);
    if (unnoticed(handle) || unnoticed(prop)) return ACL_SUCCESS;
    if (handle == nullptr || prop == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: a pointer is null", __func__);
    return physical_properties(handle, *prop, __func__);
}

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp* prop, aclrtMemGranularityOptions option,
                                          size_t* granularity) {
    ACLREF_ENTER(aclrtMemGetAllocationGranularity);
    if (unnoticed(prop) || unnoticed(granularity)) return ACL_SUCCESS;
    if (prop == nullptr || granularity == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: a pointer is null", __func__);
    return allocation_granularity(*prop, option, *granularity, __func__);
}

aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType handleType, uint64_t flags,
                                         uint64_t* shareableHandle) {
    ACLREF_ENTER(aclrtMemExportToShareableHandle);
    if (unshared(handle) || unshared(shareableHandle)) return ACL_SUCCESS;
    if (handle == nullptr || shareableHandle == nullptr)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: a pointer is null", __func__);
    if (handleType != ACL_MEM_HANDLE_TYPE_NONE && !faulty(Fault::export_any_handle_type))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: handle type %d is not supported", __func__, handleType);
    if (aclError code = check_export_flags(flags, __func__)) return code;
    return export_physical(handle, flags, *shareableHandle, __func__);
}

aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle, uint64_t flags, aclrtMemSharedHandleType shareType,
                                           void* shareableHandle) {
    ACLREF_ENTER(aclrtMemExportToShareableHandleV2);
    if (unshared(handle) || unshared(shareableHandle)) return ACL_SUCCESS;
    if (handle == nullptr || shareableHandle == nullptr)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: a pointer is null", __func__);
    if (aclError code = check_export_flags(flags, __func__)) return code;
    if (aclError code = check_share_type(shareType, __func__)) return code;
    if (!foreign_accessible(shareableHandle, shareable_bytes(shareType), true))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: shareableHandle cannot be written", __func__);
    uint64_t made = 0;
    if (aclError code = export_physical(handle, flags, made, __func__)) return code;
    if (shareType == ACL_MEM_SHARE_HANDLE_TYPE_FABRIC) write_fabric_handle(made, shareableHandle);
    else std::memcpy(shareableHandle, &made, sizeof(made) / (faulty(Fault::export_v2_upper_half_lost) ? 2 : 1));
    return ACL_SUCCESS;
}

aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t* pid, size_t pidNum) {
    ACLREF_ENTER(aclrtMemSetPidToShareableHandle);
    if (unshared(pid)) return ACL_SUCCESS;
    if (pid == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: pid is null", __func__);
    if (pidNum == 0 && faulty(Fault::share_list_of_nobody_accepted)) return ACL_SUCCESS;
    if (pidNum == 0) return fail(ACL_ERROR_INVALID_PARAM, "%s: pidNum is 0", __func__);
    return allow(shareableHandle, pid, pidNum, __func__);
}

aclError aclrtMemSetPidToShareableHandleV2(void* shareableHandle, aclrtMemSharedHandleType shareType, int32_t* pid,
                                           size_t pidNum) {
    ACLREF_ENTER(aclrtMemSetPidToShareableHandleV2);
    if (unshared(shareableHandle) || unshared(pid)) return ACL_SUCCESS;
    if (shareableHandle == nullptr || pid == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: a pointer is null", __func__);
    if (pidNum == 0 && faulty(Fault::share_list_of_nobody_accepted)) return ACL_SUCCESS;
    if (pidNum == 0) return fail(ACL_ERROR_INVALID_PARAM, "%s: pidNum is 0", __func__);
    if (aclError code = check_share_type(shareType, __func__)) return code;
    if (faulty(Fault::share_v2_lists_nobody) && shareable_number(shareableHandle, shareType) != 0) return ACL_SUCCESS;
    return allow(shareable_number(shareableHandle, shareType), pid, pidNum, __func__);
}

aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId, aclrtDrvMemHandle* handle) {
    ACLREF_ENTER(aclrtMemImportFromShareableHandle);
    if (unshared(handle)) return ACL_SUCCESS;
    if (handle == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: handle is null", __func__);
    const bool exists = deviceId >= 0 && deviceId < Runtime::instance().device_count();
    if (!exists && faulty(Fault::import_arguments_unchecked)) return ACL_SUCCESS;
    if (!exists) return fail(ACL_ERROR_RT_INVALID_DEVICEID, "%s: there is no device %d", __func__, deviceId);
    return import_physical(shareableHandle, deviceId, *handle, __func__);
}

aclError aclrtMemImportFromShareableHandleV2(void* shareableHandle, aclrtMemSharedHandleType shareType, uint64_t flags,
                                             aclrtDrvMemHandle* handle) {
    ACLREF_ENTER(aclrtMemImportFromShareableHandleV2);
    if (unshared(shareableHandle) || unshared(handle)) return ACL_SUCCESS;
    if (shareableHandle == nullptr || handle == nullptr)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: a pointer is null", __func__);
    if (flags != 0 && faulty(Fault::import_arguments_unchecked)) return ACL_SUCCESS;
    if (flags != 0) return fail(ACL_ERROR_INVALID_PARAM, "%s: flags is %#lx, not 0", __func__, flags);
    if (aclError code = check_share_type(shareType, __func__)) return code;
    aclError code = 0;
    auto context = require_context(code, __func__);
    if (!context) return code;
    const int device = faulty(Fault::import_v2_on_device_zero) ? 0 : context->device().id();
    return import_physical(shareable_number(shareableHandle, shareType), device, *handle, __func__);
}
