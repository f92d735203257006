/* See probe.h. C11, no dependency but libc. */
#define _GNU_SOURCE
#include "probe.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum phase { PREPARE, OPEN, BODY, CLOSE, BARRIER, RELEASE, WAIT, READ, CHECK };

#define U uint64_t
typedef int32_t (*fn0)(void);
typedef int32_t (*fn1)(U);
typedef int32_t (*fn2)(U, U);
typedef int32_t (*fn3)(U, U, U);
typedef int32_t (*fn4)(U, U, U, U);
typedef int32_t (*fn5)(U, U, U, U, U);
typedef int32_t (*fn6)(U, U, U, U, U, U);
typedef int32_t (*fn7)(U, U, U, U, U, U, U);
typedef int32_t (*fn8)(U, U, U, U, U, U, U, U);
typedef int32_t (*fn9)(U, U, U, U, U, U, U, U, U);
typedef int32_t (*fn10)(U, U, U, U, U, U, U, U, U, U);
typedef int32_t (*fn11)(U, U, U, U, U, U, U, U, U, U, U);
typedef int32_t (*fn12)(U, U, U, U, U, U, U, U, U, U, U, U);

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Makes a call `repeat` times; the first code that is not 0, or 0. The switch stands outside the loop: inside it there is
 * nothing but the call and the look at its code. */
#define LOOP(n, ...)                                                       \
    case n: {                                                              \
        fn##n call = (fn##n)function;                                      \
        for (U i = 0; i < repeat; ++i)                                     \
            if (__builtin_expect((code = call(__VA_ARGS__)) != 0, 0)) break; \
        break;                                                             \
    }

static int32_t invoke(const aclcts_call *given, U repeat) {
    U a[ACLCTS_MOST_ARGS];
    void *function = given->function;
    int32_t code = 0;
    memcpy(a, given->args, sizeof a);
    for (uint32_t n = 0; given->indirect >> n; ++n)
        if (given->indirect >> n & 1) a[n] = *(const U *)(uintptr_t)a[n];
    switch (given->count) {
        LOOP(0)
        LOOP(1, a[0])
        LOOP(2, a[0], a[1])
        LOOP(3, a[0], a[1], a[2])
        LOOP(4, a[0], a[1], a[2], a[3])
        LOOP(5, a[0], a[1], a[2], a[3], a[4])
        LOOP(6, a[0], a[1], a[2], a[3], a[4], a[5])
        LOOP(7, a[0], a[1], a[2], a[3], a[4], a[5], a[6])
        LOOP(8, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7])
        LOOP(9, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8])
        LOOP(10, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9])
        LOOP(11, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10])
        LOOP(12, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11])
        default:
            code = -1;
    }
    return code;
}

static int run_calls(const aclcts_calls *list, enum phase phase, aclcts_failure *failure) {
    for (U n = 0; n < list->count; ++n) {
        int32_t code = invoke(&list->calls[n], 1);
        if (code != 0) {
            *failure = (aclcts_failure){(int32_t)phase, (int32_t)n, code};
            return 1;
        }
    }
    return 0;
}

static int run_body(const aclcts_plan *plan, aclcts_failure *failure) {
    if (plan->body.count == 1) {
        int32_t code = invoke(plan->body.calls, plan->repeat);
        if (code != 0) *failure = (aclcts_failure){BODY, 0, code};
        return code != 0;
    }
    for (U n = 0; n < plan->repeat; ++n)
        if (run_calls(&plan->body, BODY, failure)) return 1;
    return 0;
}

/* Waits until every party has come here as often as this one. */
static int meet(const aclcts_plan *plan, U round, aclcts_failure *failure) {
    if (plan->barrier == NULL) return 0;
    _Atomic(U) *arrived = (_Atomic(U) *)plan->barrier;
    atomic_fetch_add(arrived, 1);
    double end = now_ns() + (double)plan->patience_ns;
    while (atomic_load(arrived) < round * plan->parties)
        if (now_ns() > end) {
            *failure = (aclcts_failure){BARRIER, 0, -1};
            return 1;
        }
    return 0;
}

/* Eight bytes of the pattern: neighbours, rows, pages and sample numbers differ. */
static U word_at(U index, U number) {
    U mixed = (index + number * 0x632BE59BD9B4E019u + 1) * 0x9E3779B97F4A7C15u;
    return mixed ^ (mixed >> 29);
}

static uint8_t byte_at(U offset, U number) { return (uint8_t)(word_at(offset / 8, number) >> (offset % 8 * 8)); }

/* `size` bytes of the pattern from `offset` on: the ends byte by byte, the middle word by word. */
static void put(uint8_t *to, U size, U offset, U number) {
    U done = 0;
    for (; done < size && (offset + done) % 8 != 0; ++done) to[done] = byte_at(offset + done, number);
    for (; done + 8 <= size; done += 8) {
        U word = word_at((offset + done) / 8, number);
        memcpy(to + done, &word, 8);
    }
    for (; done < size; ++done) to[done] = byte_at(offset + done, number);
}

static U differing(const uint8_t *at, U size, U offset, U number) {
    U wrong = 0;
    U done = 0;
    for (; done < size && (offset + done) % 8 != 0; ++done) wrong += at[done] != byte_at(offset + done, number);
    for (; done + 8 <= size; done += 8) {
        U word;
        memcpy(&word, at + done, 8);
        U difference = word ^ word_at((offset + done) / 8, number);
        for (; difference != 0; difference >>= 8) wrong += (difference & 0xFF) != 0;
    }
    for (; done < size; ++done) wrong += at[done] != byte_at(offset + done, number);
    return wrong;
}

void aclcts_probe_fill(const aclcts_area *area, uint64_t number) {
    for (U row = 0; row < area->height; ++row)
        put(area->memory + row * area->pitch, area->width, row * area->width, number);
}

uint64_t aclcts_probe_differences(const aclcts_area *area, uint64_t number) {
    U wrong = 0;
    for (U row = 0; row < area->height; ++row)
        wrong += differing(area->memory + row * area->pitch, area->width, row * area->width, number);
    return wrong;
}

static uint32_t not_constant(const aclcts_area *area, uint8_t byte) {
    uint32_t wrong = 0;
    for (U row = 0; row < area->height; ++row)
        for (U column = 0; column < area->width; ++column) wrong |= area->memory[row * area->pitch + column] != byte;
    return wrong;
}

static int take_sample(const aclcts_plan *plan, U number, U round, int verify, aclcts_sample *out,
                       aclcts_failure *failure) {
    if (verify && plan->fill.memory != NULL) aclcts_probe_fill(&plan->fill, number);
    if (verify && run_calls(&plan->prepare, PREPARE, failure)) return 1;
    if (run_calls(&plan->open, OPEN, failure)) return 1;
    double before = now_ns();
    if (run_body(plan, failure)) return 1;
    out->call_ns = now_ns() - before;
    if (run_calls(&plan->close, CLOSE, failure)) return 1;
    if (meet(plan, round, failure)) return 1;
    before = now_ns();
    if (run_calls(&plan->release, RELEASE, failure) || run_calls(&plan->wait, WAIT, failure)) return 1;
    out->host_ns = now_ns() - before;
    if (run_calls(&plan->read, READ, failure)) return 1;
    out->verified = 0;
    out->mismatch = 0;
    if (!verify || plan->verify.memory == NULL) return 0;
    if (run_calls(&plan->check, CHECK, failure)) return 1;
    out->verified = 1;
    if (plan->constant >= 0) out->mismatch = not_constant(&plan->verify, (uint8_t)plan->constant);
    else out->mismatch = aclcts_probe_differences(&plan->verify, number) != 0;
    return 0;
}

int aclcts_probe_run(const aclcts_plan *plan, uint64_t first, uint64_t samples, const uint8_t *verify,
                     const float *elapsed, uint64_t elapsed_count, float *times, aclcts_sample *out, uint64_t *done,
                     aclcts_failure *failure) {
    for (*done = 0; *done < samples; ++*done) {
        U number = first + *done;
        if (take_sample(plan, number, number + 1, verify[*done], &out[*done], failure)) return 1;
        if (elapsed_count > 0) memcpy(times + *done * elapsed_count, elapsed, elapsed_count * sizeof *elapsed);
    }
    return 0;
}

int aclcts_probe_version(void) { return ACLCTS_PROBE_VERSION; }

int32_t aclcts_probe_nothing(void) { return 0; }

int32_t aclcts_probe_clock(void) { return now_ns() < 0; }

int32_t aclcts_probe_host_copy(void *to, const void *from, size_t count) {
    memcpy(to, from, count);
    return 0;
}
