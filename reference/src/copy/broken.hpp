// What a broken library moves instead of what it was told: the faults that concern the bytes of a copy.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "copy/copy.hpp"
#include "copy/ends.hpp"

namespace aclref {

/// One stretch of bytes to move.
struct Stretch {
    std::byte* to;
    const std::byte* from;
    std::size_t count;
};

/// The stretch a broken library would move; the same where no such fault is selected.
Stretch broken_stretch(Stretch asked, Route route);

/// Bytes from an address to the end of the mapping behind the one it lies in; no end where there are not two.
std::size_t two_mappings_left(const void* address);

/// The rows a broken library would move.
Rows broken_rows(Rows asked, Route route);

/// What a broken library writes, or writes again, after the right bytes have moved.
void spoil_after_copy(Stretch asked, Route route);

/// Whether a broken library never writes to this memory of the caller.
bool misses_target(const void* to);

inline constexpr std::size_t shared_buffer_bytes = 128 * 1024;

/// A copy of at most `shared_buffer_bytes` by way of one buffer, which all threads share.
aclError copy_through_shared_buffer(void* to, const void* from, std::size_t count);

inline constexpr std::size_t reused_buffer_bytes = 64 * 1024;

/// One of 32 buffers in turn, whether or not the copy that had it before has been made.
std::shared_ptr<std::vector<std::byte>> reused_buffer();

/// Whether a broken library takes this queued copy for one that it has made already.
bool skips_queued_copy(const Stream& queue, Route route);

/// A task that ends, where a broken library says so, before its last page has moved.
Task ends_early(Task task, Stretch asked, Route route);

/// A task that, whenever it runs again, writes what it has moved at its first run.
Task keeps_first_bytes(Task task, void* to);

}  // namespace aclref
