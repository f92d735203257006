/* A library with the ABI of a few ACL functions, good enough to run cases on. FAKE_ACL, a comma-separated list, makes it
 * misbehave:
 *   segv       aclrtSynchronizeStream reads a wild address
 *   hang       aclrtMemcpy of 77 bytes never returns
 *   exit       aclrtFree of a block that holds 0x99 ends the process
 *   leak       aclrtFree forgets to count
 *   pending    aclrtSynchronizeDevice fails after aclrtMemset with 0x66
 *   overrun    aclrtMemcpy of 78 bytes writes one more
 *   noise      aclrtMemset prints
 *   stillborn  loading aborts, with a last word
 *   forks      loading forks, and both processes go on
 *   nocopy     aclrtMemcpy fails
 *   nullcrash  aclrtMemcpy follows a null source
 *   wildcrash  aclrtMemcpy follows a target at address 1
 *   lax        aclrtMallocHost takes size 0, and a null data buffer has a size
 *   poison     aclrtSynchronizeStream dies and makes the file FAKE_ACL_POISON names; with it there, aclrtMalloc fails */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static int initialised;
static int failing;
static int streams;
static size_t used;
static const size_t total = (size_t)1 << 30;

static int has(const char *name) {
    const char *list = getenv("FAKE_ACL");
    return list != NULL && strstr(list, name) != NULL;
}

EXPORT int aclInit(const char *config) {
    (void)config;
    if (initialised) return 100002;
    initialised = 1;
    return 0;
}
EXPORT int aclFinalize(void) {
    if (!initialised) return 100001;
    initialised = 0;
    return 0;
}
EXPORT int aclrtSetDevice(int32_t device) { return device == 0 ? 0 : 107001; }
EXPORT int aclrtResetDevice(int32_t device) { return device == 0 ? 0 : 107001; }
EXPORT int aclrtGetDeviceCount(uint32_t *count) { *count = 1; return 0; }
EXPORT int aclrtGetCurrentContext(void **context) {
    if (!initialised) return 107002;
    *context = (void *)0xC0;
    return 0;
}
EXPORT int aclrtSetCurrentContext(void *context) {
    return initialised && context == (void *)0xC0 ? 0 : 107002;
}

EXPORT int aclrtMalloc(void **pointer, size_t size, int policy) {
    (void)policy;
    if (pointer == NULL || size == 0) return 100000;
    if (size > total - used || (has("poison") && access(getenv("FAKE_ACL_POISON"), F_OK) == 0)) return 207001;
    size_t *block = aligned_alloc(64, (size + 128 + 63) / 64 * 64);
    block[0] = size;
    used += size;
    *pointer = (char *)block + 64;
    return 0;
}
EXPORT int aclrtFree(void *pointer) {
    if (pointer == NULL) return 100000;
    size_t *block = (size_t *)((char *)pointer - 64);
    if (has("exit") && ((unsigned char *)pointer)[256] == 0x99) exit(0);
    if (!has("leak")) used -= block[0];
    free(block);
    return 0;
}
EXPORT size_t aclGetDataBufferSizeV2(const void *buffer) { return buffer != NULL ? 16 : has("lax") ? 7 : 0; }
EXPORT int aclrtMallocHost(void **pointer, size_t size) {
    if (pointer == NULL || (size == 0 && !has("lax"))) return 100000;
    *pointer = aligned_alloc(64, (size + 64) / 64 * 64);
    return 0;
}
EXPORT int aclrtFreeHost(void *pointer) {
    free(pointer);
    return 0;
}
EXPORT int aclrtMemcpy(void *target, size_t room, const void *source, size_t size, int kind) {
    (void)kind;
    if (has("nocopy")) return 507000;
    if (has("nullcrash") && source == NULL) raise(SIGSEGV);
    if (has("wildcrash") && target == (void *)1) raise(SIGSEGV);
    if ((uintptr_t)target < 4096 || (uintptr_t)source < 4096 || size > room) return 100000;
    while (has("hang") && size == 77) usleep(1000);
    memmove(target, source, size);
    if (has("overrun") && size == 78) ((char *)target)[size] = 0x11;
    return 0;
}
EXPORT int aclrtMemset(void *target, size_t room, int32_t value, size_t size) {
    if (target == NULL || size > room) return 100000;
    memset(target, value, size);
    failing = failing || (has("pending") && value == 0x66);
    if (has("noise")) {
        printf("memset of %zu bytes\n", size);
        fprintf(stderr, "memset on stderr\n");
    }
    return 0;
}
EXPORT int aclrtGetMemInfo(int attr, size_t *free_bytes, size_t *total_bytes) {
    (void)attr;
    *free_bytes = total - used;
    *total_bytes = total;
    return 0;
}
EXPORT int aclrtSynchronizeDevice(void) {
    int code = failing ? 507011 : 0;
    failing = 0;
    return code;
}
EXPORT int aclrtSynchronizeStream(void *stream) {
    if (has("poison")) {
        fclose(fopen(getenv("FAKE_ACL_POISON"), "w"));
        raise(SIGBUS);
    }
    if (has("segv")) *(volatile int *)8 = (int)(intptr_t)stream;
    return 0;
}
EXPORT int aclrtCreateStream(void **stream) {
    streams++;
    *stream = malloc(8);
    return 0;
}
EXPORT int aclrtDestroyStream(void *stream) {
    streams--;
    free(stream);
    return 0;
}

#ifdef REFERENCE
/* What makes a library a reference device. FAKE_ACL_LOG names a file that gets a line for each configuration. */
EXPORT const char *aclrefVersion(void) { return "0.0-fake"; }
EXPORT const char *aclrefLastError(void) { return "no such profile"; }
EXPORT int aclrefConfigure(const char *spec) {
    const char *log = getenv("FAKE_ACL_LOG");
    if (log != NULL) {
        FILE *file = fopen(log, "a");
        fprintf(file, "%s\n", spec);
        fclose(file);
    }
    initialised = 0;
    return 0;
}
EXPORT int aclrefSetFault(const char *names) { return names != NULL && strcmp(names, "known") != 0; }
EXPORT const char *aclrefFaultList(void) { return "known\ta fault\n"; }
EXPORT int aclrefReset(void) {
    initialised = 0;
    return 0;
}
EXPORT int aclrefSetSeed(uint64_t seed) { return seed == 13; }
EXPORT int aclrefLiveObjects(char *buffer, size_t size) {
    return snprintf(buffer, size, "{\"initialised\":%d,\"streams\":%d}", initialised, streams);
}
#endif

__attribute__((constructor)) static void load(void) {
    if (has("stillborn")) {
        fprintf(stderr, "the driver\033[31m is too old\n");
        abort();
    }
    if (has("forks")) (void)!fork();
}
