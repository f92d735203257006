/* Leaves the process in the ways programs do. Argument: live, atexit or fork. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"

static void finalise(void) {
    aclError code = aclFinalize();
    if (code != ACL_SUCCESS) _exit(3);
}

static void nothing(void *unused) { (void)unused; }

int main(int count, char **arguments) {
    const char *way = count > 1 ? arguments[1] : "";
    aclrtStream stream = NULL;
    aclrtEvent event = NULL;
    void *device = NULL;
    if (strcmp(way, "atexit") == 0) atexit(finalise);
    if (aclInit(NULL) || aclrtSetDevice(0) || aclrtCreateStream(&stream) || aclrtCreateEvent(&event)) return 2;
    if (aclrtMalloc(&device, 64 << 20, ACL_MEM_MALLOC_HUGE_FIRST)) return 2;
    if (aclrtMemsetAsync(device, 64 << 20, 1, 64 << 20, stream) || aclrtLaunchHostFunc(stream, nothing, NULL)) return 2;
    if (aclrtRecordEvent(event, stream)) return 2;
    if (strcmp(way, "fork") == 0) {
        int status = 1;
        unsigned char seen = 0;
        pid_t child = fork();
        if (child == 0) exit(0); /* runs the exit handlers it inherited */
        if (waitpid(child, &status, 0) != child || status != 0) return 4;
        if (aclrtSynchronizeStream(stream) || aclrtMemcpy(&seen, 1, device, 1, ACL_MEMCPY_DEVICE_TO_HOST)) return 5;
        if (seen != 1) return 6;
    }
    return 0;
}
