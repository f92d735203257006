/* A handful of ACL functions, just enough to see what a binding does. Plain malloc, no device. */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct { uint32_t id; int32_t type; } Location;
typedef struct { Location dst, src; uint8_t rsv[16]; } BatchAttr;
typedef struct { int32_t attr; union { uint16_t module; uint32_t device; uint8_t rsv[8]; } value; } MallocAttr;
typedef struct { MallocAttr *attrs; size_t count; } MallocConfig;
typedef struct { int32_t handle_type, allocation_type, attr; Location location; uint64_t reserve; } Prop;
typedef struct { Location location; uint32_t page; uint32_t rsv[4]; } PtrAttributes;
typedef struct { char bytes[16]; } Uuid;

static uint64_t references;
static int last_policy;
static uint32_t device_count = 2;

int aclInit(const char *path) {
    if (path != NULL && strcmp(path, "missing.json") == 0) return 100000;
    ++references;
    return 0;
}
int aclFinalizeReference(uint64_t *count) { if (count != NULL) *count = --references; return 0; }
const char *aclrtGetSocName(void) { return references ? "Ascend910B1" : NULL; }
const char *aclGetRecentErrMsg(void) { return NULL; }
int aclrtGetDeviceCount(uint32_t *count) { *count = device_count; return 0; }
/* Says that it succeeded and tells nothing. */
int aclrtGetStreamAvailableNum(uint32_t *count) { (void)count; return 0; }
int aclrtSetDevice(int32_t id) { return id < 0 || id >= (int32_t)device_count ? 107001 : 0; }
int aclrtMalloc(void **out, size_t size, int policy) {
    last_policy = policy;
    if (out == NULL) return 100000;
    if (size == 0) return 100000;
    if (size > ((size_t)1 << 40)) return 200000;
    *out = malloc(size);
    return 0;
}
int aclrtMallocWithCfg(void **out, size_t size, int policy, MallocConfig *cfg) {
    last_policy = policy;
    *out = cfg == NULL ? NULL : (void *)(uintptr_t)(cfg->count * 1000 + cfg->attrs[0].value.module);
    return size == 0 ? 100000 : 0;
}
int aclrtFree(void *p) { free(p); return 0; }
int aclrtMemcpy(void *dst, size_t max, const void *src, size_t count, int kind) {
    if (kind < 0 || kind > 4) return 100000;
    if (count > max) return 100000;
    memcpy(dst, src, count);
    return 0;
}
int aclrtMemcpyBatch(void **dsts, size_t *maxs, void **srcs, size_t *sizes, size_t n, BatchAttr *attrs,
                     size_t *indexes, size_t attr_count, size_t *fail) {
    for (size_t i = 0; i < n; ++i) {
        if (sizes[i] > maxs[i] || attrs[indexes[0]].rsv[15] != 0) { *fail = i; return 100000; }
        memcpy(dsts[i], srcs[i], sizes[i]);
    }
    return attr_count == 1 && attrs[0].dst.type == 1 && attrs[0].dst.id == 3 ? 0 : 500000;
}
int aclrtMallocPhysical(void **handle, size_t size, const Prop *prop, uint64_t flags) {
    if (prop == NULL || prop->reserve != 0 || flags != 0) return 107000;
    *handle = (void *)(uintptr_t)(size + prop->location.id);
    return 0;
}
int aclrtPointerGetAttributes(const void *p, PtrAttributes *out) {
    if (p == NULL) return 107000;
    memset(out, 0, sizeof *out);
    out->location.id = 7; out->location.type = 1; out->page = 4096; out->rsv[3] = 9;
    return 0;
}
int aclrtDeviceGetUuid(int32_t device, Uuid *uuid) {
    for (int i = 0; i < 16; ++i) uuid->bytes[i] = (char)(i < 8 ? 200 + i : 0);
    return device == 0 ? 0 : 107001;
}
int aclrtGetMemInfo(int attr, size_t *free_bytes, size_t *total) {
    *free_bytes = 1000 + (size_t)attr; *total = 2000;
    return 0;
}
/* Writes eight bytes where the caller has four. */
int aclrtStreamGetPriority(void *stream, uint32_t *priority) {
    (void)stream;
    uint64_t wide = 3;
    memcpy(priority, &wide, sizeof wide);
    return 0;
}
int aclrtGetPrimaryCtxState(int32_t device, uint32_t *flags, int32_t *active) {
    (void)device;
    if (flags != NULL) *flags = 5;
    *active = 1;
    return 0;
}
int aclrtEventElapsedTime(float *ms, void *start, void *end) {
    *ms = (float)((uintptr_t)end - (uintptr_t)start) / 2;
    return 0;
}
int aclrtIpcMemGetExportKey(void *p, size_t size, char *key, size_t len, uint64_t flags) {
    (void)p; (void)size; (void)flags;
    if (len < 8) return 107000;
    strcpy(key, "key-123");
    return 0;
}
int aclrtIpcMemSetImportPid(const char *key, int32_t *pids, size_t count) {
    if (strcmp(key, "key-123") != 0) return 107000;
    int sum = 0;
    for (size_t i = 0; i < count; ++i) sum += pids[i];
    return sum;
}
int aclrtSetMemcpyDesc(void *desc, int kind, void *src, void *dst, size_t count, void *config) {
    (void)kind; (void)src; (void)dst; (void)count;
    return desc == NULL || config != NULL ? 107000 : 0;
}
int aclrtSetStreamFailureMode(void *stream, uint64_t mode) { return stream == NULL && mode == UINT64_MAX ? 0 : 107000; }
int aclrtSynchronizeDevice(void) { return 0; }
float aclFloat16ToFloat(uint16_t value) { return (float)value; }
size_t aclDataTypeSize(int type) { return type == 1 ? 2 : 4; }
void *aclCreateDataBuffer(void *data, size_t size) {
    if (size == 0) return NULL;
    void **made = malloc(16);
    made[0] = data;
    return made;
}
int aclDestroyDataBuffer(const void *buffer) { free((void *)buffer); return 0; }
void *aclGetDataBufferAddr(const void *buffer) { return *(void **)buffer; }

typedef void (*Callback)(void *);
typedef struct { Callback fn; void *user; } Job;
static void *run(void *argument) {
    Job *job = argument;
    job->fn(job->user);
    free(job);
    return NULL;
}
/* Calls back from a thread of its own and waits for it. */
int aclrtLaunchCallback(Callback fn, void *user, int block, void *stream) {
    (void)block; (void)stream;
    if (fn == NULL) return 107000;
    Job *job = malloc(sizeof *job);
    job->fn = fn; job->user = user;
    pthread_t thread;
    pthread_create(&thread, NULL, run, job);
    pthread_join(thread, NULL);
    return 0;
}
typedef void *(*AllocFunc)(void *, size_t);
static AllocFunc alloc_func;
int aclrtAllocatorSetAllocFuncToDesc(void *desc, AllocFunc func) { (void)desc; alloc_func = func; return 0; }
void *aclrtAllocatorCreateDesc(void) { return (void *)0x1000; }
/* Stands in for an allocation through the registered function. */
int aclrtAllocatorRegister(void *stream, void *desc) { (void)desc; return (int)(intptr_t)alloc_func(stream, 64); }

int aclrtSynchronizeStreamWithTimeout(void *stream, int32_t timeout) {
    (void)stream;
    usleep((useconds_t)timeout * 1000);
    return 0;
}
/* Takes the process down inside the call. */
int aclrtResetDevice(int32_t device) { (void)device; raise(SIGKILL); return 0; }
int aclrtGetLastError(int level) { (void)level; return last_policy; }
