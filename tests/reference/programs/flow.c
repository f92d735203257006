/* A C program against the public headers: the seven steps of virtual memory, a strided copy, an event. */
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"

#define EXPECT(call)                                                                                       \
    do {                                                                                                   \
        aclError code_ = (call);                                                                           \
        if (code_ != ACL_SUCCESS) {                                                                        \
            const char *why_ = aclGetRecentErrMsg();                                                       \
            printf("%s:%d: %s gave %d: %s\n", __FILE__, __LINE__, #call, code_, why_ ? why_ : "no reason"); \
            return 1;                                                                                      \
        }                                                                                                  \
    } while (0)

static int virtual_memory(void) {
    /* 1 granularity, 2 reserve, 3 physical memory, 4 map, 5 use, 6 unmap, 7 give everything back */
    aclrtPhysicalMemProp property;
    memset(&property, 0, sizeof(property));
    property.handleType = ACL_MEM_HANDLE_TYPE_NONE;
    property.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    property.memAttr = ACL_HBM_MEM_HUGE;
    property.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    property.location.id = 0;
    size_t granule = 0;
    EXPECT(aclrtMemGetAllocationGranularity(&property, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granule));
    void *range = NULL;
    EXPECT(aclrtReserveMemAddress(&range, granule, 0, NULL, 0));
    aclrtDrvMemHandle physical = NULL;
    EXPECT(aclrtMallocPhysical(&physical, granule, &property, 0));
    EXPECT(aclrtMapMem(range, granule, 0, physical, 0));
    char sent[64] = "through a mapping and back";
    char received[64] = "";
    EXPECT(aclrtMemcpy(range, granule, sent, sizeof(sent), ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT(aclrtMemcpy(received, sizeof(received), range, sizeof(received), ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(aclrtUnmapMem(range));
    EXPECT(aclrtFreePhysical(physical));
    EXPECT(aclrtReleaseMemAddress(range));
    return strcmp(sent, received) == 0 ? 0 : 1;
}

static int strided_copy(void) {
    enum { width = 16, height = 4, pitch = 64 };
    unsigned char sent[height * width];
    unsigned char received[height * width];
    for (int index = 0; index < height * width; ++index) sent[index] = (unsigned char)index;
    void *device = NULL;
    EXPECT(aclrtMalloc(&device, height * pitch, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT(aclrtMemcpy2d(device, pitch, sent, width, width, height, ACL_MEMCPY_HOST_TO_DEVICE));
    memset(received, 0, sizeof(received));
    EXPECT(aclrtMemcpy2d(received, width, device, pitch, width, height, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT(aclrtFree(device));
    return memcmp(sent, received, sizeof(sent)) == 0 ? 0 : 1;
}

static int events(void) {
    aclrtStream producer = NULL;
    aclrtStream consumer = NULL;
    aclrtEvent start = NULL;
    aclrtEvent end = NULL;
    void *device = NULL;
    unsigned char *host = NULL;
    float ms = -1.0f;
    EXPECT(aclrtCreateStream(&producer));
    EXPECT(aclrtCreateStream(&consumer));
    EXPECT(aclrtCreateEvent(&start));
    EXPECT(aclrtCreateEvent(&end));
    EXPECT(aclrtMalloc(&device, 4096, ACL_MEM_MALLOC_NORMAL_ONLY));
    EXPECT(aclrtMallocHost((void **)&host, 4096));
    EXPECT(aclrtRecordEvent(start, producer));
    EXPECT(aclrtMemsetAsync(device, 4096, 0x5A, 4096, producer));
    EXPECT(aclrtRecordEvent(end, producer));
    EXPECT(aclrtStreamWaitEvent(consumer, end));
    EXPECT(aclrtMemcpyAsync(host, 4096, device, 4096, ACL_MEMCPY_DEVICE_TO_HOST, consumer));
    EXPECT(aclrtSynchronizeStream(consumer));
    EXPECT(aclrtEventElapsedTime(&ms, start, end));
    int right = host[0] == 0x5A && host[4095] == 0x5A && ms >= 0.0f;
    EXPECT(aclrtFreeHost(host));
    EXPECT(aclrtFree(device));
    EXPECT(aclrtDestroyEvent(end));
    EXPECT(aclrtDestroyEvent(start));
    EXPECT(aclrtDestroyStream(consumer));
    EXPECT(aclrtDestroyStream(producer));
    return right ? 0 : 1;
}

int main(void) {
    EXPECT(aclInit(NULL));
    EXPECT(aclrtSetDevice(0));
    if (virtual_memory() || strided_copy() || events()) return 1;
    EXPECT(aclrtResetDevice(0));
    EXPECT(aclFinalize());
    puts("all steps done");
    return 0;
}
