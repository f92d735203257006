// Copies by descriptor: asked for its size, allocated by the caller, set, launched.
#include "base/faults/copy.hpp"
#include "copy/copy.hpp"

using namespace aclref;

namespace {

/// Only copies inside one device have descriptors.
aclError check_kind(aclrtMemcpyKind kind, const char* api) {
    if (kind == ACL_MEMCPY_INNER_DEVICE_TO_DEVICE || faulty(Fault::inner_copy_any_kind)) return 0;
    if (static_cast<unsigned>(kind) > ACL_MEMCPY_INTER_DEVICE_TO_DEVICE)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: there is no kind %d", api, kind);
    return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: kind %d is not supported", api, kind);
}

}  // namespace

aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t* descSize) {
    ACLREF_ENTER(aclrtGetMemcpyDescSize);
    if (descSize == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: descSize is null", __func__);
    if (aclError code = check_kind(kind, __func__)) return code;
    aclError code = 0;
    if (!require_context(code, __func__)) return code;
    *descSize = copy_descriptor_size();
    return 0;
}

aclError aclrtSetMemcpyDesc(void* desc, aclrtMemcpyKind kind, void* srcAddr, void* dstAddr, size_t count, void* config) {
    ACLREF_ENTER(aclrtSetMemcpyDesc);
    if (desc == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: desc is null", __func__);
    if (config != nullptr && !faulty(Fault::descriptor_config_ignored))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: config is reserved and has to be null", __func__);
    if (aclError code = check_kind(kind, __func__)) return code;
    return write_copy_descriptor(desc, srcAddr, dstAddr, count, __func__);
}

aclError aclrtMemcpyAsyncWithDesc(void* desc, aclrtMemcpyKind kind, aclrtStream stream) {
    ACLREF_ENTER(aclrtMemcpyAsyncWithDesc);
    if (aclError code = check_kind(kind, __func__)) return code;
    return copy_described(desc, stream, __func__);
}
