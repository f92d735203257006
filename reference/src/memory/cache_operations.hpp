// Cache maintenance on streams. Caches are coherent here: the operations keep their place in the stream and move nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/errors.hpp"

namespace aclref {

inline constexpr std::size_t cache_descriptor_bytes = 64;

/// Prefetch of device memory, in stream order.
aclError prefetch_into_cache(void* start, std::size_t size, aclrtStream stream, const char* api);

/// An operation that a later wait names by its barrier, on a stream that is bound to a model.
aclError operate_with_barrier(void* start, std::size_t size, std::uint32_t barrier, aclrtStream stream, const char* api);
/// The stream goes on when the operations before this wait are over, which stream order gives.
aclError wait_for_barriers(aclrtStream stream, const char* api);

/// A descriptor in device memory says what is to be prefetched; it is read when the stream comes to it.
aclError write_cache_descriptor(void* descriptor, void* start, std::size_t size, const char* api);
aclError prefetch_described(void* descriptor, aclrtStream stream, const char* api);

}  // namespace aclref
