// Memory of the caller that the library did not hand out: malloc, stack, mmap, registered ranges.
//
// Its addresses may be wild, and its pages may go away while an asynchronous copy is under way. All moves of such bytes
// are made by the kernel (process_vm_readv/writev on the own process), so that a bad address becomes a return value and
// never a signal. Where a sandbox forbids those calls, the ranges are checked against /proc/self/maps and moved directly.
#pragma once

#include <cstddef>

namespace aclref {

/// Whether every byte may be read (or written) by this process. Changes no byte; pages may be populated by it.
bool foreign_accessible(const void* address, std::size_t bytes, bool write);

/// Moves bytes from or to foreign memory. False when some of it is not accessible; earlier bytes may have moved.
bool read_foreign(void* to, const void* foreign, std::size_t bytes);
bool write_foreign(void* foreign, const void* from, std::size_t bytes);

/// Moves bytes between two foreign ranges like memmove.
bool move_foreign(void* to, const void* from, std::size_t bytes);

/// Sets bytes of foreign memory.
bool fill_foreign(void* foreign, unsigned char value, std::size_t bytes);

}  // namespace aclref
