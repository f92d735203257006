// Bytes that a caller names, on host or device: read and written where that is possible, refused where it is not.
#pragma once

#include <cstddef>

#include "memory/address_space.hpp"

namespace aclref {

/// Whether the caller's range can be read, or written. 0 or a recorded code.
inline aclError check_bytes(const void* address, std::size_t bytes, bool write) {
    return bytes == 0 ? 0 : AddressSpace::instance().check_range(address, bytes, write, -1);
}

/// Copies from the caller. 0 or a recorded code.
inline aclError take_bytes(void* to, const void* from, std::size_t bytes) {
    if (aclError code = check_bytes(from, bytes, false)) return code;
    return bytes == 0 ? 0 : AddressSpace::instance().copy(to, from, bytes, true);
}

/// Copies to the caller. 0 or a recorded code.
inline aclError give_bytes(void* to, const void* from, std::size_t bytes) {
    if (aclError code = check_bytes(to, bytes, true)) return code;
    return bytes == 0 ? 0 : AddressSpace::instance().copy(to, from, bytes, true);
}

}  // namespace aclref
