// What a broken library moves instead of what it was told: the faults that concern the bytes of a copy.
#pragma once

#include <cstddef>

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

/// Whether a broken library takes this queued copy for one that it has made already.
bool skips_queued_copy(const Stream& queue);

/// A task that ends, where a broken library says so, before its last page has moved.
Task ends_early(Task task, Stretch asked, Route route);

}  // namespace aclref
