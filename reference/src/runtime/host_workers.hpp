// Threads of the library that run functions of the caller.
#pragma once

#include <functional>

namespace aclref {

/// Runs the function on a thread of the library that runs nothing else meanwhile: a function that blocks holds up
/// nobody but its own stream. Threads are kept for the next function.
void run_on_host_worker(std::function<void()> function);

}  // namespace aclref
