// What the allocation calls promise: which pages a policy means, what a configuration may say, how sizes are rounded.
#pragma once

#include <cstddef>

#include "base/errors.hpp"

namespace aclref {

/// How a call of the aclrtMalloc family differs from the plain one.
struct AllocationStyle {
    bool padded = true;            ///< rounded to 32 bytes and 32 more, where the product adds them
    bool cached = false;           ///< aclrtMallocCached; for a fault
    bool groups_of_bits = false;   ///< one value of each policy group may be combined (the calls with a configuration)
};

/// aclrtMalloc and its siblings on the current device.
aclError allocate_device(void** out, std::size_t size, aclrtMemMallocPolicy policy, const aclrtMallocConfig* config,
                         AllocationStyle style, const char* api);

/// aclrtFree: anything the aclrtMalloc family, managed allocation and memory pools hand out.
aclError free_device(void* pointer, const char* api);

/// aclrtMallocHost and its sibling with a configuration.
aclError allocate_pinned(void** out, std::size_t size, const aclrtMallocConfig* config, const char* api);

}  // namespace aclref
