// Graph capture as the rest of the library sees it: which calls a running capture forbids, and what recording or
// waiting for an event means to it.
//
// Every check costs one relaxed load while nothing is being captured.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "runtime/stream.hpp"

namespace aclref::capture {

/// A call that is synchronous by itself (aclrtMemcpy, aclrtMemset, …): ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT when a
/// capture of this thread or, in global mode, of any thread of its context forbids it; else 0.
aclError check_synchronous(const Context& context, const char* api);

/// An asynchronous call that would block (pageable host memory): ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC, else 0.
aclError check_blocking_async(const Stream& stream, const char* api);

/// Waiting for, asking or destroying a stream: ACL_ERROR_RT_STREAM_CAPTURED while it is being captured, else 0.
aclError check_stream(Stream& stream, const char* api);

/// Waiting for or resetting a device: ACL_ERROR_RT_STREAM_CAPTURED while one of its streams is being captured, else 0.
aclError check_device(const Device& device, const char* api);

/// Asking or waiting on the host for an event: ACL_ERROR_RT_EVENT_CAPTURED when a capture recorded it last, else 0.
aclError check_event(const Event& event, const char* api);

/// True while the stream is between capture begin and end (not for streams bound to a built instance).
bool capturing(const Stream& stream);

/// What a capture has to know of an event.
struct EventTraits {
    bool sync_only = false;  ///< made by aclrtCreateEventExWithFlag with the sync flag alone
    bool interprocess = false;
    bool external = false;   ///< the call asked for an external record or wait
};

/// To be asked by every call that records an event. nullopt: not a matter of capture, go on as usual (an earlier mark
/// of the event is gone). Otherwise the call is over with this code; `task` is kept where the capture needs it.
std::optional<aclError> record_event(Stream& stream, const std::shared_ptr<Event>& event, EventTraits traits,
                                     Task task);
/// The same for every call that makes a stream wait for an event. A plain stream that waits for a captured event joins
/// that capture.
std::optional<aclError> wait_event(Stream& stream, const std::shared_ptr<Event>& event, EventTraits traits, Task task);
/// The same for resetting an event on a stream.
std::optional<aclError> reset_event(Stream& stream, const std::shared_ptr<Event>& event, EventTraits traits, Task task);

/// A wait could not be made for want of resources: the capture of the stream, or the one that recorded the event, has
/// lost a dependency and can only be ended with an error.
void wait_failed(aclrtStream stream, aclrtEvent event);

/// The stream is destroyed: instances it is bound to forget it.
void stream_destroyed(const Stream& stream);

// Branches between the streams of an instance that is being built. Each becomes a task of `stream`;
// ACL_ERROR_RT_STREAM_MODEL when a stream is not bound to an instance, or to another one.

/// aclrtActiveStream: the tasks of `target` start, beside those of `stream`.
aclError activate(Stream& stream, const Stream& target);
/// aclrtSwitchStream: where the condition holds, `target` goes on and `stream` stops.
aclError switch_to(Stream& stream, const Stream& target, std::function<bool()> holds);
/// aclrtSetLabel: the next task of the stream is where the label leads.
aclError set_label(Stream& stream, void* label);
/// aclrtSwitchLabelByIndex: execution goes on at the label that `choose` names, `stream` stops.
aclError switch_label(Stream& stream, std::function<void*()> choose);

/// Instances alive, for the leak check.
std::size_t instance_count();

/// Ends every capture, drops every instance.
void forget_everything();

}  // namespace aclref::capture
