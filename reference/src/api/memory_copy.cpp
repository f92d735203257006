// One-dimensional copies.
#include "copy/copy.hpp"

#include "base/faults/copy.hpp"

using namespace aclref;

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
    ACLREF_ENTER(aclrtMemcpy);
    return copy_now(dst, destMax, src, count, kind, __func__);
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
    ACLREF_ENTER(aclrtMemcpyAsync);
    return copy_on_stream(dst, destMax, src, count, kind, stream, __func__);
}

aclError aclrtMemcpyAsyncWithCondition(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                                       aclrtStream stream) {
    ACLREF_ENTER(aclrtMemcpyAsyncWithCondition);
    if (faulty(Fault::memcpy_with_condition_refused))
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: deprecated", __func__);
    if (faulty(Fault::memcpy_with_condition_tail_overrun) && (count + 7) / 8 * 8 <= destMax) count = (count + 7) / 8 * 8;
    return copy_on_stream(dst, destMax, src, count, kind, stream, __func__);
}

aclError aclrtMemcpyAsyncWithOffset(void** dst, size_t destMax, size_t dstDataOffset, const void** src, size_t count,
                                    size_t srcDataOffset, aclrtMemcpyKind kind, aclrtStream stream) {
    ACLREF_ENTER(aclrtMemcpyAsyncWithOffset);
    if (count == 0) return 0;
    if (kind != ACL_MEMCPY_INNER_DEVICE_TO_DEVICE && !faulty(Fault::inner_copy_any_kind))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: kind %d is not supported", __func__, kind);
    return copy_indirect({dst, destMax, dstDataOffset, src, count, srcDataOffset}, stream, __func__);
}
