// The engine of copies and fills: what a call may do is decided here, the bytes are moved by AddressSpace.
//
// Every function checks its arguments in the order of the promises (cheap ones first), answers a code, and has either
// done the work, queued it or changed nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/errors.hpp"
#include "runtime/stream.hpp"

namespace aclref {

/// aclrtMemcpy: the direction comes from the addresses, no stream is waited for.
aclError copy_now(void* to, std::size_t room, const void* from, std::size_t count, aclrtMemcpyKind kind,
                  const char* api);

/// aclrtMemcpyAsync and its siblings: queued when the host end is pinned, done at return when it is not; the latter in
/// versions whose documents promise it, or in any (`always_blocks`).
aclError copy_on_stream(void* to, std::size_t room, const void* from, std::size_t count, aclrtMemcpyKind kind,
                        aclrtStream stream, const char* api, bool always_blocks = false);

/// A strided copy: `height` rows of `width` bytes.
struct Rows {
    void* to;
    std::size_t to_pitch;
    const void* from;
    std::size_t from_pitch;
    std::size_t width;
    std::size_t height;
};
aclError copy_rows_now(const Rows& rows, aclrtMemcpyKind kind, const char* api);
aclError copy_rows_on_stream(const Rows& rows, aclrtMemcpyKind kind, aclrtStream stream, const char* api);

/// A batch of copies in one direction, each governed by an entry of `attributes`.
struct Batch {
    void** to;
    std::size_t* rooms;
    void** from;
    std::size_t* sizes;
    std::size_t count;
    aclrtMemcpyBatchAttr* attributes;
    std::size_t* attribute_starts;
    std::size_t attribute_count;
    std::size_t* fail_index;  ///< null: the caller asked for no report
};
aclError copy_batch_now(const Batch& batch, const char* api);
aclError copy_batch_on_stream(const Batch& batch, aclrtStream stream, const char* api);

/// Copies inside one device described in device memory.
std::size_t copy_descriptor_size();
aclError write_copy_descriptor(void* descriptor, void* from, void* to, std::size_t count, const char* api);
aclError copy_described(void* descriptor, aclrtStream stream, const char* api);

/// A copy inside one device whose two base addresses are read, when it runs, from device memory.
struct IndirectCopy {
    void** to;
    std::size_t room;
    std::size_t to_offset;
    const void** from;
    std::size_t count;
    std::size_t from_offset;
};
aclError copy_indirect(const IndirectCopy& copy, aclrtStream stream, const char* api);

aclError fill_now(void* to, std::size_t room, std::uint8_t value, std::size_t count, const char* api);
aclError fill_on_stream(void* to, std::size_t room, std::uint8_t value, std::size_t count, aclrtStream stream,
                        const char* api);
aclError fill_words_now(void* to, std::size_t room, std::uint32_t value, std::size_t words, const char* api);
aclError fill_words_on_stream(void* to, std::size_t room, std::uint32_t value, std::size_t words, aclrtStream stream,
                              const char* api);

/// Forgets peer access, allocators, captures and instances: the library is as if just loaded.
void forget_copy_state();

}  // namespace aclref
