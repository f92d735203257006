/* The measuring loop: calls of any ACL library, repeated and timed with nothing of Python between two of them.
 *
 * A plan is lists of calls for the phases of a sample. One sample is:
 *
 *   fill     where data is compared: the source gets a pattern that depends on offset and sample number
 *   prepare  where data is compared: what else has to be brought into place
 *   open     what goes ahead of the body in its streams: a gate that is shut, an event that tells the start
 *   body     repeated; its time is `call_ns`, with the calls of `open` and `close` outside
 *   close    what goes behind the body: an event that tells the end
 *   barrier  until every party is here
 *   release  opens the gate
 *   wait     until everything has run; the time from `release` on is `host_ns`
 *   read     asks for the events' times
 *   check    where data is compared: brings the target's bytes where the host can look at them
 */
#ifndef ACLCTS_PROBE_H_
#define ACLCTS_PROBE_H_

#include <stddef.h>
#include <stdint.h>

#define ACLCTS_API __attribute__((visibility("default")))
#define ACLCTS_MOST_ARGS 12
/* Version of the structs below; whoever hands over a plan must have the same. */
#define ACLCTS_PROBE_VERSION 1

/* A function that takes whole numbers and pointers and returns a 32-bit code, 0 for success. */
typedef struct {
    void *function;
    uint64_t args[ACLCTS_MOST_ARGS];
    uint32_t count;
    uint32_t indirect; /* bit n: argument n is read from the address args[n] when the call is made */
} aclcts_call;

typedef struct {
    const aclcts_call *calls;
    uint64_t count;
} aclcts_calls;

/* Rows of bytes in host memory; nothing where `memory` is NULL. */
typedef struct {
    uint8_t *memory;
    uint64_t width;
    uint64_t height;
    uint64_t pitch;
} aclcts_area;

typedef struct {
    aclcts_calls prepare, open, body, close, release, wait, read, check;
    uint64_t repeat; /* of the body, at least 1 */
    aclcts_area fill;
    aclcts_area verify;
    int32_t constant;  /* what every byte must be; negative for the pattern */
    uint64_t *barrier; /* memory shared by `parties` processes, or NULL */
    uint64_t parties;
    uint64_t patience_ns; /* how long a party waits for the others */
} aclcts_plan;

typedef struct {
    double call_ns;     /* all repeats of the body */
    double host_ns;     /* from the release to the end of the wait */
    uint32_t verified;  /* 1 where the data of this sample was compared */
    uint32_t mismatch;  /* 1 where it was wrong */
} aclcts_sample;

/* Where a run stopped: phase (in the order of `phases` in probe.c), index of the call, and the code it returned. */
typedef struct {
    int32_t phase;
    int32_t call;
    int32_t code;
} aclcts_failure;

ACLCTS_API int aclcts_probe_version(void);

/* Takes `samples` samples numbered from `first`. `verify[n]` says whether sample n is filled and compared. `elapsed` are
 * `elapsed_count` floats that the calls of `read` write; they are copied to `times` after each sample. Returns 0, or 1 with
 * `failure`: then the samples before the failing one are good, and *done tells how many. */
ACLCTS_API int aclcts_probe_run(const aclcts_plan *plan, uint64_t first, uint64_t samples, const uint8_t *verify,
                                const float *elapsed, uint64_t elapsed_count, float *times, aclcts_sample *out,
                                uint64_t *done, aclcts_failure *failure);

/* Fills, and counts the bytes that differ from what a fill of the same number would leave. */
ACLCTS_API void aclcts_probe_fill(const aclcts_area *area, uint64_t number);
ACLCTS_API uint64_t aclcts_probe_differences(const aclcts_area *area, uint64_t number);

/* Bodies of its own: nothing at all, reading the clock, and moving bytes with this host's processor. */
ACLCTS_API int32_t aclcts_probe_nothing(void);
ACLCTS_API int32_t aclcts_probe_clock(void);
ACLCTS_API int32_t aclcts_probe_host_copy(void *to, const void *from, size_t count);

#endif
