/* Loads the library and looks whether the process is still the same. Argument: the library. */
#include <dlfcn.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

struct State {
    unsigned floating;
    void *handlers[32];
    char locale[64];
    char folder[4096];
    struct rlimit limits[RLIM_NLIMITS];
    int threads;
};

static int count_threads(void) {
    char line[256];
    int count = -1;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof(line), status)) sscanf(line, "Threads: %d", &count);
    if (status) fclose(status);
    return count;
}

static void look(struct State *state) {
    memset(state, 0, sizeof(*state));
#if defined(__SSE__)
    state->floating = _mm_getcsr() & ~0x3Fu; /* without the flags that any operation sets */
#endif
    for (int number = 1; number < 32; ++number) {
        struct sigaction action;
        memset(&action, 0, sizeof(action));
        sigaction(number, NULL, &action);
        state->handlers[number] = (void *)action.sa_handler;
    }
    snprintf(state->locale, sizeof(state->locale), "%s", setlocale(LC_ALL, NULL));
    if (!getcwd(state->folder, sizeof(state->folder))) state->folder[0] = '?';
    for (int which = 0; which < RLIM_NLIMITS; ++which) getrlimit(which, &state->limits[which]);
    state->threads = count_threads();
}

int main(int count, char **arguments) {
    struct State before;
    struct State loaded;
    struct State used;
    if (count != 2) return 2;
    look(&before);
    void *library = dlopen(arguments[1], RTLD_NOW);
    if (!library) {
        puts(dlerror());
        return 3;
    }
    look(&loaded);
    if (memcmp(&before, &loaded, sizeof(before)) != 0) return 4;
    int (*initialise)(const char *) = (int (*)(const char *))dlsym(library, "aclInit");
    if (!initialise || initialise(NULL) != 0) return 5;
    look(&used);
    if (memcmp(&before, &used, sizeof(before)) != 0) return 6;
    return 0;
}
