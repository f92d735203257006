// Putting copies on streams: queued for later, or run behind the stream's work while the caller waits.
#pragma once

#include "runtime/stream.hpp"

namespace aclref {

/// Queues the task, waits until it has run and returns its code. Other streams are not waited for, and an error of an
/// earlier task stays pending for the next synchronise.
aclError submit_and_wait(Stream& stream, Task task);

/// The task, but not before a while has passed: how a library behaves that returns before its work is done.
Task late(Task task);

/// For faults: waits for the default stream of the context, where it has one.
void wait_for_default_stream(Context& context);

}  // namespace aclref
