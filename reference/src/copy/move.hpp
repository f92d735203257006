// Moving the bytes of checked copies: the last step of every copy, on the caller's thread or on a stream.
#pragma once

#include <cstddef>
#include <cstdint>

#include "copy/copy.hpp"
#include "copy/ends.hpp"

namespace aclref {

/// Moves `count` bytes; both ranges are checked. 0 or a code.
aclError move_bytes(void* to, const void* from, std::size_t count, Route route);

/// Moves the rows; both planes are checked. 0 or a code.
aclError move_rows(const Rows& rows, Route route);

/// Repeats a 32-bit value `words` times.
aclError move_words(void* to, std::uint32_t value, std::size_t words);

/// Bytes a plane of rows spans, without a gap behind the last row. False when it does not fit the address space.
bool plane_bytes(std::size_t pitch, std::size_t width, std::size_t height, std::size_t& bytes);

}  // namespace aclref
