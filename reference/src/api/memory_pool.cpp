// Stream-ordered memory pools.
#include "memory/memory_pool.hpp"

#include "runtime/runtime.hpp"

using namespace aclref;

aclError aclrtMemPoolCreate(aclrtMemPool* memPool, const aclrtMemPoolProps* poolProps) {
    ACLREF_ENTER(aclrtMemPoolCreate);
    if (memPool == nullptr || poolProps == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: a pointer is null", __func__);
    return create_memory_pool(*poolProps, *memPool, __func__);
}

aclError aclrtMemPoolDestroy(const aclrtMemPool memPool) {
    ACLREF_ENTER(aclrtMemPoolDestroy);
    if (memPool == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: memPool is null", __func__);
    return destroy_memory_pool(memPool, __func__);
}

aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void* value) {
    ACLREF_ENTER(aclrtMemPoolSetAttr);
    if (memPool == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: memPool is null", __func__);
    if (value == nullptr) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: value is null", __func__);
    return set_memory_pool_attribute(memPool, attr, value, __func__);
}

aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void* value) {
    ACLREF_ENTER(aclrtMemPoolGetAttr);
    if (memPool == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: memPool is null", __func__);
    if (value == nullptr) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: value is null", __func__);
    return get_memory_pool_attribute(memPool, attr, value, __func__);
}

aclError aclrtMemPoolMallocAsync(void** ptr, size_t size, aclrtMemPool memPool, aclrtStream stream) {
    ACLREF_ENTER(aclrtMemPoolMallocAsync);
    if (ptr == nullptr || memPool == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: a pointer is null", __func__);
    return allocate_from_pool(memPool, size, stream, ptr, __func__);
}

aclError aclrtMemPoolFreeAsync(void* ptr, aclrtStream stream) {
    ACLREF_ENTER(aclrtMemPoolFreeAsync);
    if (ptr == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: ptr is null", __func__);
    return free_to_pool(ptr, stream, __func__);
}

aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep) {
    ACLREF_ENTER(aclrtMemPoolTrimTo);
    if (memPool == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: memPool is null", __func__);
    return trim_memory_pool(memPool, minBytesToKeep, __func__);
}
