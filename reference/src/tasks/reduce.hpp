// Element-wise reductions of device memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/errors.hpp"

namespace aclref {

/// Bytes of one element of a type that some product reduces.
std::size_t element_size(aclDataType type);

/// Whether there is such a kind on some product.
bool reduce_kind_exists(aclrtReduceKind kind);

/// Whether the product reduces this type this way.
bool can_reduce(aclrtReduceKind kind, aclDataType type);

/// dst = kind(dst, src) over `bytes` bytes; both ranges checked already. 0 or a code.
aclError reduce(void* dst, const void* src, std::uint64_t bytes, aclrtReduceKind kind, aclDataType type);

}  // namespace aclref
