// Callbacks that a thread of the caller serves: aclrtSubscribeReport, aclrtLaunchCallback, aclrtProcessReport.
#pragma once

#include <chrono>
#include <cstdint>

#include "runtime/stream.hpp"

namespace aclref {

/// A process can subscribe this many threads.
inline constexpr std::size_t most_report_threads = 1024;

/// Makes the thread serve the stream's callbacks. 0, or the code of what stands against it.
aclError subscribe_reports(std::uint64_t thread, const Stream& stream);
aclError unsubscribe_reports(std::uint64_t thread, const Stream& stream);
bool has_report_thread(const Stream& stream);

/// The task that hands the callback to the stream's thread; `blocks` keeps the stream waiting until it has run.
Task callback_task(const std::shared_ptr<Stream>& stream, aclrtCallback function, void* argument, bool blocks);

/// Runs the next callback of the calling thread, waiting for one. 0, ACL_ERROR_RT_THREAD_SUBSCRIBE or
/// ACL_ERROR_RT_REPORT_TIMEOUT. Negative timeout: no bound.
aclError process_report(std::chrono::milliseconds timeout);

/// Threads subscribed, for the leak check.
std::uint64_t report_thread_count();

/// Subscriptions of a stream that is destroyed end with it.
void forget_stream_reports(const Stream& stream);
void forget_reports();

}  // namespace aclref
