// Arrays that a caller passes: read where they can be read, refused where they cannot.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "memory/address_space.hpp"

namespace aclref {

/// Copies `count` values from memory the caller names, host or device. 0, or a recorded code and `out` as it was.
template <class Value>
    requires std::is_trivially_copyable_v<Value>
aclError read_array(const void* from, std::size_t count, std::vector<Value>& out) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, sizeof(Value), &bytes))
        return refuse(ACL_ERROR_INVALID_PARAM, "%zu values do not fit the address space", count);
    AddressSpace& space = AddressSpace::instance();
    // Checked before anything is allocated: a wild count must not take the machine's memory.
    if (aclError code = bytes == 0 ? 0 : space.check_range(from, bytes, false, -1)) return code;
    std::vector<Value> values(count);
    if (aclError code = bytes == 0 ? 0 : space.copy(values.data(), from, bytes, true)) return code;
    out = std::move(values);
    return 0;
}

}  // namespace aclref
