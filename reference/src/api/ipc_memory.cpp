// Device blocks shared between processes by key.
#include <cstring>
#include <vector>

#include "base/faults/memory.hpp"
#include "memory/ipc_memory.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;

namespace {

/// The driver takes no longer list in one call.
constexpr size_t most_processes = 31;

/// The documents name no bound; a superpod has fewer servers.
constexpr size_t most_servers = 1024;

/// Undocumented link numbers of another product line pass the argument check and are then not available.
constexpr uint64_t last_known_link = ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH;

aclError null_pointer(aclError code, const char* api) {
    if (faulty(Fault::ipc_null_accepted)) return ACL_SUCCESS;
    return fail(code, "%s: a pointer is null", api);
}

aclError check_flags(uint64_t flags, const char* api) {
    // Export and import have the flags 0 and 1.
    if (flags <= 1 || faulty(Fault::ipc_flags_unchecked)) return ACL_SUCCESS;
    return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: flags %#lx is not defined", api, flags);
}

}  // namespace

aclError aclrtIpcMemGetExportKey(void* devPtr, size_t size, char* key, size_t len, uint64_t flags) {
    ACLREF_ENTER(aclrtIpcMemGetExportKey);
    if (devPtr == nullptr || key == nullptr) return null_pointer(ACL_ERROR_INVALID_PARAM, __func__);
    if (size == 0 && faulty(Fault::ipc_size_zero_accepted)) return ACL_SUCCESS;
    if (size == 0) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: size is 0", __func__);
    if (len < ipc_key_bytes && faulty(Fault::ipc_short_key_accepted))
        return std::memset(key, 'x', len), ACL_SUCCESS;
    if (len < ipc_key_bytes)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: a key needs %zu bytes, not %zu", __func__, ipc_key_bytes, len);
    if (aclError code = check_flags(flags, __func__)) return code;
    aclError code = 0;
    if (!require_context(code, __func__)) return faulty(Fault::ipc_export_needs_no_context) ? 0 : code;
    if (code = export_block(devPtr, size, flags, key, __func__); code != 0) return code;
    if (faulty(Fault::ipc_key_not_terminated)) key[len - 1] = 'x';
    return ACL_SUCCESS;
}

aclError aclrtIpcMemSetImportPid(const char* key, int32_t* pid, size_t num) {
    ACLREF_ENTER(aclrtIpcMemSetImportPid);
    if (key == nullptr || pid == nullptr) return null_pointer(ACL_ERROR_INVALID_PARAM, __func__);
    if (num == 0 && faulty(Fault::ipc_empty_list_accepted)) return ACL_SUCCESS;
    if (num == 0 || num > most_processes)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %zu processes, 1 to %zu are possible", __func__, num, most_processes);
    if (faulty(Fault::ipc_first_importer_only) && check_key(key, __func__) == ACL_SUCCESS) {
        static std::vector<int32_t> listed;
        if (!listed.empty() && listed.front() != *pid) return ACL_SUCCESS;
        listed = {*pid};
    }
    return allow_importers(key, pid, num, __func__);
}

aclError aclrtIpcMemImportPidInterServer(const char* key, aclrtServerPid* serverPids, size_t num) {
    ACLREF_ENTER(aclrtIpcMemImportPidInterServer);
    if (key == nullptr || serverPids == nullptr) return null_pointer(ACL_ERROR_RT_PARAM_INVALID, __func__);
    if (num == 0 && faulty(Fault::ipc_empty_list_accepted)) return ACL_SUCCESS;
    if (num == 0 || num > most_servers)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %zu servers, 1 to %zu are possible", __func__, num, most_servers);
    for (size_t index = 0; index < num; ++index)
        if (serverPids[index].pid == nullptr || serverPids[index].num == 0)
            return faulty(Fault::ipc_server_entries_unchecked)
                       ? 0
                       : fail(ACL_ERROR_RT_PARAM_INVALID, "%s: entry %zu has no processes", __func__, index);
    if (aclError code = check_key(key, __func__)) return code;
    // One server stands alone: the list is kept for nobody.
    for (size_t index = 0; index < num; ++index)
        if (aclError code = allow_importers(key, serverPids[index].pid, serverPids[index].num, __func__)) return code;
    return ACL_SUCCESS;
}

aclError aclrtIpcMemImportByKey(void** devPtr, const char* key, uint64_t flags) {
    ACLREF_ENTER(aclrtIpcMemImportByKey);
    if (devPtr == nullptr || key == nullptr) return null_pointer(ACL_ERROR_INVALID_PARAM, __func__);
    if (aclError code = check_flags(flags, __func__)) return code;
    const bool enable_peer =
        flags == ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS && !faulty(Fault::ipc_import_peer_flag_ignored);
    return import_block(key, enable_peer, devPtr, __func__);
}

aclError aclrtIpcMemSetAttr(const char* key, aclrtIpcMemAttrType type, uint64_t attr) {
    ACLREF_ENTER(aclrtIpcMemSetAttr);
    if (key == nullptr) return null_pointer(ACL_ERROR_RT_PARAM_INVALID, __func__);
    if (faulty(Fault::ipc_attribute_unchecked)) return check_key(key, __func__);
    if (type != ACL_RT_IPC_MEM_ATTR_ACCESS_LINK)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: type %d is not defined", __func__, type);
    if (attr > last_known_link) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: link %lu is not defined", __func__, attr);
    if (attr > ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS)
        return fail(ACL_ERROR_RT_LINK_TYPE_NOT_SUPPORTED, "%s: link %lu is not available", __func__, attr);
    return check_key(key, __func__);
}

aclError aclrtIpcMemClose(const char* key) {
    ACLREF_ENTER(aclrtIpcMemClose);
    if (key == nullptr) return null_pointer(ACL_ERROR_INVALID_PARAM, __func__);
    return close_key(key, __func__);
}
