// What the runtime knows of the calling thread.
#pragma once

#include <cstdint>

#include "base/errors.hpp"

namespace aclref {

/// Trivially destructible on purpose: exit handlers run after a thread's objects are gone and may still call in.
/// Contexts and streams are kept as handle values, so that a destroyed one is found missing instead of dangling.
struct ThreadState {
    void* context = nullptr;         ///< current context, null while none is
    void* resource_stream = nullptr; ///< stream of aclrtUseStreamResInCurrentThread
    std::uint32_t last_task = 0;     ///< id of the task this thread queued last
};

/// For a fault: the device that aclrtGetDevice tells this thread until it changes its context; negative: the true one.
inline thread_local constinit int stale_device = -1;

inline ThreadState& thread_state() noexcept {
    static thread_local constinit ThreadState state;
    return state;
}

}  // namespace aclref
