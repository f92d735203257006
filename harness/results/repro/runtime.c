/* --- what follows is the same in every such program ----------------------------------------------------- */

#define PIECE ((size_t)1 << 16)

enum { ENDS_IN_ORDER, ENDS_WITH_A_CRASH, ENDS_WITH_A_HANG };

/* Memory the calls point into, with what must be in it as far as the calls say. */
struct area {
    const char *name;
    int on_device;
    size_t size;
    unsigned char *base;
    unsigned char *must;  /* the bytes that must be there */
    unsigned char *known; /* 1 where `must` is known */
};

static struct area *live[MOST_AREAS];
static size_t live_areas;
static int other_codes;
static int other_bytes;
static int finished;

static inline void say(const char *text) {
    ssize_t written = write(STDOUT_FILENO, text, strlen(text));
    (void)written;
}

/* Ends the program when a call has ended it or does not return. */
static inline void ended(int how) {
    say(how == ENDS_WITH_A_CRASH ? "the process was ended in the last call\n" : "the last call does not return\n");
    say(how == RECORDED_END ? "shows what was recorded\n" : "does not show what was recorded\n");
    _exit(how == RECORDED_END ? 0 : 1);
}

static inline void on_signal(int number) { ended(number == SIGALRM ? ENDS_WITH_A_HANG : ENDS_WITH_A_CRASH); }

static inline void on_exit_of_the_library(void) {
    if (!finished) ended(ENDS_WITH_A_CRASH);
}

static inline void watch(void) {
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM, SIGALRM};
    size_t number;
    setvbuf(stdout, NULL, _IONBF, 0);
    for (number = 0; number < sizeof deadly / sizeof *deadly; ++number) signal(deadly[number], on_signal);
    atexit(on_exit_of_the_library);
    alarm(DEADLINE_S);
}

/* Takes memory into account. Host memory is filled with bytes of its own; device memory holds nobody knows what. */
static inline void take(struct area *area, void *base) {
    size_t number;
    area->base = base;
    area->must = malloc(area->size + 1);
    area->known = calloc(area->size + 1, 1);
    if (base == NULL || area->must == NULL || area->known == NULL) abort();
    for (number = 0; !area->on_device && number < area->size; ++number) {
        area->base[number] = area->must[number] = (unsigned char)(number * 37 + (number >> 8) * 11 + live_areas);
        area->known[number] = 1;
    }
    live[live_areas++] = area;
}

static inline struct area *area_at(const void *address) {
    size_t number = live_areas;
    while (number-- > 0) {
        struct area *area = live[number];
        if ((const unsigned char *)address >= area->base && (const unsigned char *)address < area->base + area->size)
            return area;
    }
    return NULL;
}

/* Bytes that may be used from an address on, at most `wanted`. */
static inline size_t room(const struct area *area, const void *address, size_t wanted) {
    size_t left = area->size - (size_t)((const unsigned char *)address - area->base);
    return wanted < left ? wanted : left;
}

/* What is in the area is no longer known. */
static inline void unknown(const void *address) {
    struct area *area = area_at(address);
    if (area != NULL) memset(area->known, 0, area->size);
}

static inline void moved(void *target, const void *source, size_t count) {
    struct area *to = area_at(target), *from = area_at(source);
    size_t first, start;
    if (to == NULL) return;
    first = (size_t)((unsigned char *)target - to->base);
    count = room(to, target, count);
    if (from == NULL) {
        memset(to->known + first, 0, count);
        return;
    }
    start = (size_t)((const unsigned char *)source - from->base);
    count = room(from, source, count);
    memmove(to->must + first, from->must + start, count);
    memmove(to->known + first, from->known + start, count);
}

/* A number has been written. */
static inline void numbered(void *target, unsigned long long value) {
    struct area *to = area_at(target);
    size_t first;
    if (to == NULL || room(to, target, sizeof value) < sizeof value) return;
    first = (size_t)((unsigned char *)target - to->base);
    memcpy(to->must + first, &value, sizeof value);
    memset(to->known + first, 1, sizeof value);
}

/* Host memory gets a number that a stream waits for. */
static inline void put(void *place, unsigned long long value) {
    struct area *area = area_at(place);
    if (area == NULL || area->on_device || room(area, place, sizeof value) < sizeof value) return;
    memcpy(place, &value, sizeof value);
    numbered(place, value);
}

static inline void moved_rows(void *target, size_t to, const void *source, size_t from, size_t width, size_t rows) {
    size_t row;
    for (row = 0; row < rows; ++row)
        moved((unsigned char *)target + row * to, (const unsigned char *)source + row * from, width);
}

static inline void moved_pieces(void **targets, void **sources, const size_t *counts, size_t pieces) {
    size_t piece;
    for (piece = 0; piece < pieces; ++piece) moved(targets[piece], sources[piece], counts[piece]);
}

static inline void filled(void *target, int value, size_t count) {
    struct area *to = area_at(target);
    size_t first;
    if (to == NULL) return;
    first = (size_t)((unsigned char *)target - to->base);
    count = room(to, target, count);
    memset(to->must + first, value, count);
    memset(to->known + first, 1, count);
}

static inline int read_back(struct area *area, unsigned char *copy, size_t first, size_t count) {
    return aclrtMemcpy(copy + first, count, area->base + first, count, ACL_MEMCPY_DEVICE_TO_HOST) == 0;
}

/* Compares what is in the memory with what must be; of memory that is mapped in parts, the parts that are. */
static inline void look_into(struct area *area) {
    unsigned char *now = area->base, *copy = NULL;
    size_t number, first = 0, wrong = 0;
    if (area->base == NULL) return;
    if (area->on_device) {
        if (memchr(area->known, 1, area->size) == NULL) return;
        copy = now = malloc(area->size);
        if (copy == NULL) return;
        if (!read_back(area, copy, 0, area->size)) {
            for (number = 0; number < area->size; number += PIECE) {
                size_t count = area->size - number < PIECE ? area->size - number : PIECE;
                if (!read_back(area, copy, number, count)) memset(area->known + number, 0, count);
            }
        }
    }
    for (number = area->size; number-- > 0;) {
        if (!area->known[number] || now[number] == area->must[number]) continue;
        first = number;
        ++wrong;
    }
    if (wrong > 0) {
        printf("%s: %zu of %zu bytes are not what they must be, the first at +%zu: %02x instead of %02x\n",
               area->name, wrong, area->size, first, now[first], area->must[first]);
        other_bytes = 1;
    }
    free(copy);
}

/* The area is looked into for the last time. */
static inline void give_up(struct area *area) {
    size_t number;
    if (area->base == NULL) return;
    look_into(area);
    for (number = 0; number < live_areas; ++number) {
        if (live[number] == area) live[number] = live[--live_areas];
    }
    area->base = NULL;
}

/* What comes before the recorded calls has to succeed. */
static inline void prepared(const char *function, aclError code) {
    if (code == 0) return;
    printf("cannot be run here: %s -> %d\n", function, code);
    finished = 1;
    exit(2);
}

static inline void compare(int call, const char *function, long long now, long long recorded) {
    printf("%3d %s -> %lld%s\n", call, function, now, now == recorded ? "" : "   (another one was recorded)");
    if (now != recorded) ++other_codes;
}

static inline int conclude(void) {
    int same = RECORDED_END == ENDS_IN_ORDER && other_codes == 0 && (!RECORDED_BYTES || other_bytes);
    finished = 1;
    puts(same ? "shows what was recorded" : "does not show what was recorded");
    return same ? 0 : 1;
}

