// Stream-ordered memory pools.
#include "memory/memory_pool.hpp"

#include "base/faults/memory.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;

namespace {

aclError null_pointer(const char* name, const char* api, aclError code = ACL_ERROR_INVALID_PARAM) {
    if (faulty(Fault::pool_null_accepted)) return ACL_SUCCESS;
    return fail(code, "%s: %s is null", api, name);
}

}  // namespace

aclError aclrtMemPoolCreate(aclrtMemPool* memPool, const aclrtMemPoolProps* poolProps) {
    ACLREF_ENTER(aclrtMemPoolCreate);
    if (memPool == nullptr || poolProps == nullptr) return null_pointer("memPool or poolProps", __func__);
    return create_memory_pool(*poolProps, *memPool, __func__);
}

aclError aclrtMemPoolDestroy(const aclrtMemPool memPool) {
    ACLREF_ENTER(aclrtMemPoolDestroy);
    if (memPool == nullptr) return null_pointer("memPool", __func__);
    return destroy_memory_pool(memPool, __func__);
}

aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void* value) {
    ACLREF_ENTER(aclrtMemPoolSetAttr);
    if (memPool == nullptr) return null_pointer("memPool", __func__);
    if (value == nullptr) return null_pointer("value", __func__, ACL_ERROR_RT_PARAM_INVALID);
    return set_memory_pool_attribute(memPool, attr, value, __func__);
}

aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void* value) {
    ACLREF_ENTER(aclrtMemPoolGetAttr);
    if (memPool == nullptr) return null_pointer("memPool", __func__);
    if (value == nullptr) return null_pointer("value", __func__, ACL_ERROR_RT_PARAM_INVALID);
    return get_memory_pool_attribute(memPool, attr, value, __func__);
}

aclError aclrtMemPoolMallocAsync(void** ptr, size_t size, aclrtMemPool memPool, aclrtStream stream) {
    ACLREF_ENTER(aclrtMemPoolMallocAsync);
    if (ptr == nullptr || memPool == nullptr) return null_pointer("ptr or memPool", __func__);
    return allocate_from_pool(memPool, size, stream, ptr, __func__);
}

aclError aclrtMemPoolFreeAsync(void* ptr, aclrtStream stream) {
    ACLREF_ENTER(aclrtMemPoolFreeAsync);
    if (ptr == nullptr) return null_pointer("ptr", __func__);
    return free_to_pool(ptr, stream, __func__);
}

aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep) {
    ACLREF_ENTER(aclrtMemPoolTrimTo);
    if (memPool == nullptr) return null_pointer("memPool", __func__);
    return trim_memory_pool(memPool, minBytesToKeep, __func__);
}
