#include "base/handle_table.hpp"

#include <atomic>

namespace aclref {

void* new_handle_value() {
    // Not a canonical x86-64 address (and beyond any user mapping elsewhere): using a handle as a pointer faults at once.
    static constinit std::atomic<std::uintptr_t> next{0x41636C0000000010};
    return reinterpret_cast<void*>(next.fetch_add(16, std::memory_order_relaxed));
}

}  // namespace aclref
