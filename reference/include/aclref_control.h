/* Control of the reference device: which product it plays, which promise it breaks, what is still alive.
 * Not part of the ACL interface; a library that exports aclrefVersion is a reference device. */
#ifndef ACLREF_CONTROL_H_
#define ACLREF_CONTROL_H_

#include <stddef.h>
#include <stdint.h>

#ifndef ACLREF_CONTROL_API
#define ACLREF_CONTROL_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the reference device, e.g. "0.1.0". */
ACLREF_CONTROL_API const char *aclrefVersion(void);

/* Drops all state and plays the profile of `spec`: "product=910b;form=EP;cann=9.0;devices=2;memory=1GiB;seed=7;timing=off".
 * With timing=on transfers take latency + bytes / link (or device, within a device), "link=24e9;latency=8e-6;device=1e12",
 * scattered by the relative standard deviation jitter=0.02 as the seed says. Event times tell exactly that, also where it
 * is faster than this host; host time tells it where the host can move the bytes meanwhile.
 * Keys left out keep the product's defaults. 0, or non-zero with aclrefLastError(). The same text in the environment
 * variable ACLREF_PROFILE is used at load. */
ACLREF_CONTROL_API int aclrefConfigure(const char *spec);

/* Selects faults by name, comma separated; NULL or "" selects none. The environment variable ACLREF_FAULT does it at load. */
ACLREF_CONTROL_API int aclrefSetFault(const char *names);

/* "name<TAB>sentence" lines of every fault there is. */
ACLREF_CONTROL_API const char *aclrefFaultList(void);

/* Drops all state, as if the library had just been loaded; profile and faults stay. */
ACLREF_CONTROL_API int aclrefReset(void);

/* Counts of live objects as JSON: {"contexts":0,"streams":0,"events":0,"device_allocations":0,"device_bytes":0,
 * "host_allocations":0,"registrations":0,"reservations":0,"physical":0,"mappings":0,"allocator_descs":0,
 * "allocators":0,"initialised":0, …}. What the library makes by itself for a device that is set (its default context and
 * stream) does not count. Returns the length the text needs without the zero byte. */
ACLREF_CONTROL_API int aclrefLiveObjects(char *buffer, size_t size);

/* The k-th task (0 = next) submitted to the stream from now on fails with `code` when it runs. NULL: the current
 * context's default stream. */
ACLREF_CONTROL_API int aclrefInjectTaskError(void *stream, unsigned k, int code);

/* The next `count` calls of the named function fail with `code` before they do anything. */
ACLREF_CONTROL_API int aclrefInjectCallError(const char *function, unsigned count, int code);

/* A device variable, as a program built by the device compiler brings one along: `size` bytes that begin as `initial`
 * (NULL: zeros) on every device, known to the functions of device variables by the host address `symbol`. Non-zero when
 * the symbol is NULL or known already, or when the size is 0. aclrefReset and aclrefConfigure forget all of them. */
ACLREF_CONTROL_API int aclrefAddVariable(const void *symbol, size_t size, const void *initial);

/* Takes a device variable away, with its memory on every device. Non-zero when there is none. */
ACLREF_CONTROL_API int aclrefRemoveVariable(const void *symbol);

/* How many groups of compute units every device has, at most 8; none from the start, and after aclrefReset. */
ACLREF_CONTROL_API int aclrefSetGroups(unsigned count);

/* Seed of the scheduler (0 is a valid seed). The environment variable ACLREF_SEED does it at load. */
ACLREF_CONTROL_API int aclrefSetSeed(uint64_t seed);

/* What was wrong with the last control call of this thread. */
ACLREF_CONTROL_API const char *aclrefLastError(void);

#ifdef __cplusplus
}
#endif
#endif /* ACLREF_CONTROL_H_ */
