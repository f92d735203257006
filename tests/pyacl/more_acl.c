/* More ACL functions, for the manners of pyACL: they show what reached C. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef union { uint64_t mode; uint32_t word; uint32_t reserve[4]; } AttrValue;
static AttrValue attribute;
int aclrtSetStreamAttribute(void *stream, int kind, AttrValue *value) { (void)kind; attribute = *value; return stream == NULL; }
int aclrtGetStreamAttribute(void *stream, int kind, AttrValue *value) {
    (void)kind;
    *value = attribute;
    return stream == NULL ? 0 : 107000;
}
int aclrtCreateStreamWithConfig(void **stream, uint32_t priority, uint32_t flag) {
    *stream = (void *)(uintptr_t)(priority * 1000 + flag);
    return 0;
}
int aclrtGetDeviceInfo(uint32_t device, int attr, int64_t *value) { (void)attr; *value = ((int64_t)7 << 32) | device; return 0; }
int aclrtWaitAndResetNotify(void *notify, void *stream, uint32_t timeout) { (void)notify; (void)stream; return (int)(timeout % 1000); }
int aclrtNotifyBatchReset(void **notifies, size_t count) { return notifies == NULL ? -1 : (int)((uintptr_t)notifies[0] + count); }
typedef struct { char version[128], major[64], minor[64], release[64], patch[64], reserved[128]; } Version;
int aclsysGetCANNVersion(int name, Version *version) {
    strcpy(version->version, "9.0.0");
    strcpy(version->major, "9");
    return name == 0 ? 0 : 100000;
}
int aclsysGetVersionStr(char *package, char *version) { sprintf(version, "%s-9.0", package); return 0; }
typedef struct { char name[128]; size_t count; int64_t dims[128]; } Dims;
int aclmdlGetInputDims(const void *desc, size_t index, Dims *dims) {
    if (desc == NULL) return 100000;
    strcpy(dims->name, "data");
    dims->count = 3;
    for (int i = 0; i < 128; ++i) dims->dims[i] = (int64_t)index + i;
    return 0;
}
static const int attributes[] = {1, 2};
int aclGetCannAttributeList(const int **list, size_t *count) { *list = attributes; *count = 2; return 0; }
void *aclrtCreateBinary(void *data, size_t length) { return length ? data : 0; }
static void **allocator_slot;
int aclrtAllocatorSetObjToDesc(void *desc, void *allocator) { (void)desc; allocator_slot = allocator; return (int)(intptr_t)*allocator_slot; }
static void (*on_exception)(void *);
int aclrtSetExceptionInfoCallback(void (*callback)(void *)) { on_exception = callback; return 0; }
/* Stands in for a failing task. */
int aclrtDestroyStream(void *stream) { if (on_exception != NULL) on_exception(stream); return 0; }
void *aclCreateTensorDesc(int type, int count, const int64_t *dims, int format) {
    (void)type; (void)format;
    return dims == NULL ? NULL : (void *)(uintptr_t)(count * 100 + (count > 0 ? dims[0] : 1));
}
void aclAppLog(int level, const char *function, const char *file, uint32_t line, const char *format, ...) {
    (void)level; (void)function; (void)file; (void)line; (void)format;
}
int aclrtReserveMemAddress(void **out, size_t size, size_t alignment, void *expected, uint64_t flags) {
    *out = (void *)(size + alignment + (uintptr_t)expected + flags);
    return 0;
}
int aclrtMemSetPidToShareableHandle(uint64_t handle, int32_t *pids, size_t count) {
    return pids == NULL ? -1 : (int)(handle + count + (count ? (uint64_t)pids[0] : 0));
}

/* What the last configuration option held: 32 bits, a text's first letter, or an address. */
int aclmdlSetConfigOpt(void *handle, int attribute, const void *value, size_t size) {
    (void)handle;
    if (size == 4) return *(const int32_t *)value;
    if (attribute == 2) return **(const char *const *)value;
    return (int)*(const uint64_t *)value + 1000;
}
typedef struct { int32_t type; uint32_t value[4]; } LoadOption;
typedef struct { LoadOption *options; size_t count; } LoadOptions;
int aclrtBinaryLoadFromFile(const char *path, LoadOptions *options, void **handle) {
    *handle = options == NULL ? (void *)1 : (void *)(uintptr_t)(options->count * 100 + options->options[0].value[0]);
    return path[0] == '\0';
}
int aclopSetAttrListListInt(void *attr, const char *name, int lists, const int *counts, const int64_t *const *values) {
    (void)attr; (void)name;
    return lists * 100 + counts[1] * 10 + (int)values[1][0];
}
