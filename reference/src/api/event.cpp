// Chapter 07: events.
#include <string.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "capture/capture.hpp"
#include "capture/recorder.hpp"
#include "base/faults/copy.hpp"
#include "base/faults/memory.hpp"
#include "base/faults/runtime.hpp"
#include "memory/memory_pool.hpp"
#include "runtime/event.hpp"
#include "runtime/limits.hpp"
#include "runtime/runtime.hpp"
#include "runtime/settings.hpp"
#include "runtime/thread_state.hpp"

using namespace aclref;

namespace {

constexpr std::uint32_t combinable = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE;

aclError bad_flag(std::uint32_t flag) { return refuse(ACL_ERROR_RT_PARAM_INVALID, "flag 0x%x is not valid here", flag); }

bool has_device_only_events() { return profile().product != Product::p310b && profile().product != Product::p910; }

bool has_interprocess_events() {
    Product product = profile().product;
    return product == Product::p950 || product == Product::A3 || product == Product::p910b;
}

aclError check_flag(std::uint32_t flag) {
    if (flag == ACL_EVENT_EXTERNAL) return 0;
    if (flag == ACL_EVENT_DEVICE_USE_ONLY) {
        if (has_device_only_events()) return 0;
        return refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the product has no device-only events");
    }
    return flag == 0 || (flag & ~combinable) != 0 ? bad_flag(flag) : 0;
}

aclError check_ex_flag(std::uint32_t flag) {
    if (flag == ACL_EVENT_IPC) {
        if (has_interprocess_events()) return 0;
        return refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the product has no inter-process events");
    }
    return flag == 0 || (flag & ~combinable) != 0 ? bad_flag(flag) : 0;
}

aclError publish(const std::shared_ptr<Event>& event, aclrtEvent* out) {
    event->handle = Runtime::instance().events().add(event);
    *out = event->handle;
    return 0;
}

aclError create(aclrtEvent* out, EventKind kind, std::uint32_t flags) {
    aclError code = 0;
    auto context = require_context(code, current_function());
    if (!context) return code;
    std::shared_ptr<SharedWord> shared;
    if (kind == EventKind::interprocess && !(shared = SharedWord::create()))
        return refuse(ACL_ERROR_RT_NO_EVENT_RESOURCE, "no memory to share with other processes");
    auto event = std::make_shared<Event>(context->device(), kind, flags, std::move(shared));
    // Events of the plain kind take one of the device's events with their first record only.
    bool limited = kind == EventKind::flagged || (kind == EventKind::extended && faulty(Fault::extended_events_limited));
    if (limited && !event->take_slot())
        return refuse(ACL_ERROR_RT_NO_EVENT_RESOURCE, "the device has no event left");
    return publish(event, out);
}

std::shared_ptr<Event> require_event(aclrtEvent handle, aclError& code) {
    auto event = Runtime::instance().events().find(handle);
    if (!event) code = refuse(ACL_ERROR_RT_INVALID_HANDLE, "the event does not exist");
    return event;
}

aclError not_for_kind() {
    return refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the event was created in a way that does not support this");
}

capture::EventTraits traits(const Event& event, bool external) {
    return {event.kind() == EventKind::extended && event.flags() == ACL_EVENT_SYNC,
            event.kind() == EventKind::interprocess, external};
}

/// Event and stream of one call, checked against each other.
struct Pair {
    std::shared_ptr<Event> event;
    std::shared_ptr<Stream> stream;
};

aclError require_pair(aclrtEvent event, aclrtStream stream, Pair& pair) {
    aclError code = 0;
    pair.event = require_event(event, code);
    if (!pair.event) return code;
    pair.stream = require_stream(stream, code, current_function());
    if (!pair.stream) return code;
    if (&pair.event->device() != &pair.stream->device() && !faulty(Fault::event_other_device_accepted))
        return refuse(ACL_ERROR_RT_STREAM_CONTEXT, "event and stream belong to different devices");
    return 0;
}

aclError record(const Pair& pair, bool external) {
    if (!pair.event->take_slot()) return refuse(ACL_ERROR_RT_NO_EVENT_RESOURCE, "the device has no event left");
    Task task = pair.event->record_task(pair.stream);
    if (faulty(Fault::event_record_on_default_stream_at_once) && pair.stream->is_default()) return task.run().code;
    if (faulty(Fault::instance_event_behind_early) && capture::last_executed().exchange(nullptr) == pair.stream.get())
        return task.run().code;
    if (faulty(Fault::event_record_behind_wait_at_once) && pair.stream->ends_with_event_wait()) return task.run().code;
    if (auto over = capture::record_event(*pair.stream, pair.event, traits(*pair.event, external), task)) return *over;
    return pair.stream->submit(std::move(task));
}

/// What stands against a wait for this event, before any stream is looked at.
aclError check_waitable(const Event& event) {
    if (!event.can_be_waited_for()) return not_for_kind();
    if (event.kind() == EventKind::plain && !event.ever_recorded())
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "the event was never recorded");
    return 0;
}

/// For a fault: whether the stream waits for another event, which is not complete. Else it waits for this one now.
bool waits_already(const Pair& pair) {
    static std::mutex mutex;
    static std::map<const Stream*, std::weak_ptr<Event>> waited_for;
    std::lock_guard lock(mutex);
    std::weak_ptr<Event>& known = waited_for[pair.stream.get()];
    const std::shared_ptr<Event> earlier = known.lock();
    if (earlier && earlier != pair.event && !earlier->complete()) return true;
    known = pair.event;
    return false;
}

aclError wait(const Pair& pair, std::uint32_t seconds, bool external) {
    if (aclError code = check_waitable(*pair.event)) return code;
    bool never = !pair.event->ever_recorded();
    if (never && pair.event->kind() == EventKind::extended && !external) return 0;
    if (faulty(Fault::event_wait_ignored) || (faulty(Fault::event_wait_other_thread_ignored) && !pair.event->recorded_here()))
        return 0;
    if (faulty(Fault::event_wait_of_default_stream_ignored) && pair.stream->is_default()) return 0;
    if (faulty(Fault::event_second_wait_ignored) && waits_already(pair)) return 0;
    if (pair.event->count_wait() > 4 && faulty(Fault::event_wait_four_streams)) return 0;
    if (faulty(Fault::event_wait_blocks_host)) (void)pair.event->synchronize(std::chrono::milliseconds(-1));
    if (seconds == 0) seconds = settings().wait_timeout_seconds;
    if (seconds == 0 && faulty(Fault::wait_limit_from_start)) seconds = 1;
    if (faulty(Fault::pool_event_reuse_by_earlier_wait)) note_event_wait(*pair.stream);
    Task task = pair.event->wait_task(seconds);
    auto over = capture::wait_event(*pair.stream, pair.event, traits(*pair.event, external), task);
    if (!over) return pair.stream->submit(std::move(task));
    return *over;
}

/// Injected failures of a wait under capture must not lose the dependency unnoticed.
aclError enter_wait(Function function, aclrtStream stream, aclrtEvent event) {
    aclError code = enter(function);
    if (code) capture::wait_failed(stream, event);
    return code;
}

aclError check_external_flag(std::uint32_t flag) {
    return flag <= 1 ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "flag %u is neither 0 nor 1", flag);
}

/// Ordinary and external use of one event exclude each other, from the first call on.
aclError check_external_use(Event& event, const Stream& stream, std::uint32_t flag) {
    if (!event.fix_external(flag == 1))
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "the event was used with the other flag before");
    if (flag == 0) return 0;
    if (!capture::capturing(stream))
        return refuse(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "an external event needs a stream under capture");
    return 0;
}

/// A code that belongs to the newest record: a task before it failed, or the stream was aborted.
aclError trouble(const Event& event) {
    auto mark = event.newest();
    if (!mark) return 0;
    return mark->state == Mark::State::aborted ? mark->aborted_by : mark->error;
}

/// Looks at the event for a query; who polls wants it done.
aclError look(const Event& event, bool& complete) {
    if (aclError code = capture::check_event(event, current_function())) return code;
    complete = event.complete();
    if (!complete) hurry_all_executors();
    if (aclError code = trouble(event)) return refuse(code, "a task before the record failed");
    return 0;
}

aclError synchronise(aclrtEvent handle, std::chrono::milliseconds timeout) {
    aclError code = 0;
    auto event = require_event(handle, code);
    if (!event) return code;
    if ((code = capture::check_event(*event, current_function()))) return code;
    if (faulty(Fault::sync_event_other_device_refused)) {
        auto context = require_context(code, current_function());
        if (!context) return code;
        if (&context->device() != &event->device()) return refuse(ACL_ERROR_RT_STREAM_CONTEXT, "another device");
    }
    if (faulty(Fault::sync_event_returns_early)) return 0;
    if (event->kind() == EventKind::flagged && faulty(Fault::sync_event_flagged_early)) return 0;
    if (event->kind() == EventKind::extended && faulty(Fault::sync_event_extended_early)) return 0;
    code = event->synchronize(timeout);
    if (code == 0) return 0;
    return refuse(code, code == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT ? "the time is over and the event is not complete"
                                                                : "the tasks before the event failed or were aborted");
}

/// The time of a complete event that keeps one.
aclError time_of(const Event& event, const char* which, Clock::time_point& time) {
    if (event.kind() == EventKind::interprocess) return not_for_kind();
    if (!event.keeps_time()) return refuse(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "%s keeps no time", which);
    auto mark = event.newest();
    if (!mark) return refuse(ACL_ERROR_RT_INTERNAL_ERROR, "%s was never recorded", which);
    if (mark->state != Mark::State::complete && !faulty(Fault::elapsed_time_of_pending_event))
        return refuse(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "%s is not complete", which);
    time = faulty(Fault::event_time_of_first_record) ? event.first_time() : mark->time;
    return 0;
}

}  // namespace

extern "C" {

aclError aclrtCreateEvent(aclrtEvent* event) {
    ACLREF_ENTER(aclrtCreateEvent);
    ACLREF_REQUIRE(event);
    return create(event, EventKind::plain, 0);
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
    ACLREF_ENTER(aclrtCreateEventWithFlag);
    ACLREF_REQUIRE(event);
    if (aclError code = check_flag(flag)) return code;
    return create(event, EventKind::flagged, flag);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
    ACLREF_ENTER(aclrtCreateEventExWithFlag);
    ACLREF_REQUIRE(event);
    if (aclError code = check_ex_flag(flag)) return code;
    return create(event, flag == ACL_EVENT_IPC ? EventKind::interprocess : EventKind::extended, flag);
}

aclError aclrtDestroyEvent(aclrtEvent event) {
    ACLREF_ENTER(aclrtDestroyEvent);
    ACLREF_REQUIRE(event);
    aclError code = 0;
    auto found = require_event(event, code);
    if (!found) return code;
    if (faulty(Fault::destroy_event_touches_stream) && found->stream_is_gone()) __builtin_trap();
    if (faulty(Fault::destroy_event_waits)) (void)found->synchronize(std::chrono::milliseconds(-1));
    if (!Runtime::instance().events().remove(event))
        return refuse(ACL_ERROR_RT_INVALID_HANDLE, "the event was destroyed by another thread");
    found->retire();
    return 0;
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
    ACLREF_ENTER(aclrtRecordEvent);
    ACLREF_REQUIRE(event);
    Pair pair;
    if (aclError code = require_pair(event, stream, pair)) return code;
    return record(pair, false);
}

aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag) {
    ACLREF_ENTER(aclrtRecordEventWithFlag);
    ACLREF_REQUIRE(event);
    if (aclError code = check_external_flag(flag)) return code;
    Pair pair;
    if (aclError code = require_pair(event, stream, pair)) return code;
    if (aclError code = check_external_use(*pair.event, *pair.stream, flag)) return code;
    if (flag == 0 && faulty(Fault::event_record_with_flag_at_once) && !capture::capturing(*pair.stream))
        return pair.event->record_task(pair.stream).run().code;
    return record(pair, flag == 1);
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
    ACLREF_ENTER(aclrtResetEvent);
    ACLREF_REQUIRE(event);
    Pair pair;
    if (aclError code = require_pair(event, stream, pair)) return code;
    bool fit = pair.event->kind() == EventKind::flagged && (pair.event->flags() & ACL_EVENT_SYNC) != 0;
    if (!fit && !faulty(Fault::event_of_any_kind_reset)) return not_for_kind();
    Task task;
    task.kind = "event reset";
    task.run = [kept = pair.event] {
        kept->forget_mark();
        return Progress::Done();
    };
    if (auto over = capture::reset_event(*pair.stream, pair.event, traits(*pair.event, false), std::move(task)))
        return *over;
    // Waits made before keep the mark they found, later ones need a new record: that is what a reset in the stream does
    // to every wait that the caller ordered against it.
    if (!faulty(Fault::event_reset_ignored)) pair.event->forget_mark();
    return 0;
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
    ACLREF_ENTER(aclrtQueryEvent);
    ACLREF_REQUIRE(event);
    ACLREF_REQUIRE(status);
    aclError code = 0;
    auto found = require_event(event, code);
    if (!found) return code;
    if (found->kind() == EventKind::extended || found->kind() == EventKind::interprocess) return not_for_kind();
    bool complete = false;
    if ((code = look(*found, complete))) return code;
    if (faulty(Fault::old_event_status_inverted)) complete = !complete;
    *status = complete ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
    return 0;
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
    ACLREF_ENTER(aclrtQueryEventStatus);
    ACLREF_REQUIRE(event);
    ACLREF_REQUIRE(status);
    aclError code = 0;
    auto found = require_event(event, code);
    if (!found) return code;
    bool complete = false;
    if ((code = look(*found, complete))) {
        if (faulty(Fault::event_query_consumes_error)) found->consume_stream_error();
        return code;
    }
    bool counts_unrecorded = found->kind() == EventKind::extended || found->kind() == EventKind::interprocess;
    if (!found->newest() && !counts_unrecorded) complete = false;
    if (found->newest() && found->kind() == EventKind::flagged && faulty(Fault::event_status_flagged_complete)) complete = true;
    if (found->kind() == EventKind::extended && faulty(Fault::event_status_extended_complete)) complete = true;
    if (faulty(Fault::event_status_inverted)) complete = !complete;
    *status = complete ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return 0;
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
    ACLREF_ENTER(aclrtQueryEventWaitStatus);
    ACLREF_REQUIRE(event);
    ACLREF_REQUIRE(status);
    aclError code = 0;
    auto found = require_event(event, code);
    if (!found) return code;
    if (found->kind() == EventKind::extended || found->kind() == EventKind::interprocess) return not_for_kind();
    if ((code = capture::check_event(*found, current_function()))) return code;
    bool pending = found->waits_pending();
    if (pending) hurry_all_executors();
    *status = pending ? ACL_EVENT_WAIT_STATUS_NOT_READY : ACL_EVENT_WAIT_STATUS_COMPLETE;
    return 0;
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
    ACLREF_ENTER(aclrtSynchronizeEvent);
    ACLREF_REQUIRE(event);
    return synchronise(event, std::chrono::milliseconds(-1));
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
    ACLREF_ENTER(aclrtSynchronizeEventWithTimeout);
    ACLREF_REQUIRE(event);
    if (timeout < -1 || timeout == 0)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "timeout %d ms is neither -1 nor positive", timeout);
    std::int64_t unit = faulty(Fault::sync_timeout_in_seconds) && timeout > 0 ? 1000 : 1;
    return synchronise(event, std::chrono::milliseconds(timeout * unit));
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
    ACLREF_ENTER(aclrtEventElapsedTime);
    ACLREF_REQUIRE(ms);
    ACLREF_REQUIRE(startEvent);
    ACLREF_REQUIRE(endEvent);
    aclError code = 0;
    auto start = require_event(startEvent, code);
    auto end = start ? require_event(endEvent, code) : nullptr;
    if (!end) return code;
    Clock::time_point from;
    Clock::time_point to;
    if ((code = time_of(*start, "startEvent", from))) return code;
    if ((code = time_of(*end, "endEvent", to))) return code;
    std::chrono::duration<double, std::milli> between = to - from;
    if (faulty(Fault::elapsed_time_of_pending_event) && !end->complete()) between = between.zero();
    if (faulty(Fault::elapsed_time_doubled)) between *= 2;
    *ms = static_cast<float>(between.count() * (faulty(Fault::elapsed_time_in_microseconds) ? 1000 : 1));
    return 0;
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp) {
    ACLREF_ENTER(aclrtEventGetTimestamp);
    ACLREF_REQUIRE(event);
    ACLREF_REQUIRE(timestamp);
    aclError code = 0;
    auto found = require_event(event, code);
    if (!found) return code;
    Clock::time_point time;
    if ((code = time_of(*found, "event", time))) return code;
    auto since_start = std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch());
    *timestamp = static_cast<uint64_t>(since_start.count());
    return 0;
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
    if (aclError code = enter_wait(Function::aclrtStreamWaitEvent, stream, event)) return code;
    ACLREF_REQUIRE(event);
    Pair pair;
    if (aclError code = require_pair(event, stream, pair)) return code;
    if (faulty(Fault::capture_default_stream_handle_waits) && stream != nullptr && pair.stream->is_default() &&
        capture::check_event(*pair.event, current_function()) != 0)
        return 0;
    return wait(pair, 0, false);
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout) {
    if (aclError code = enter_wait(Function::aclrtStreamWaitEventWithTimeout, stream, event)) return code;
    ACLREF_REQUIRE_AS(ACL_ERROR_RT_PARAM_INVALID, event);
    if (timeout < 0) return refuse(ACL_ERROR_RT_PARAM_INVALID, "timeout %d s is negative", timeout);
    Pair pair;
    if (aclError code = require_pair(event, stream, pair)) return code;
    const bool extended = pair.event->kind() == EventKind::extended;
    if (timeout == 0 && extended && faulty(Fault::event_wait_no_bound_extended_ignored)) return 0;
    return wait(pair, faulty(Fault::wait_bound_ignored) ? 0 : static_cast<std::uint32_t>(timeout), false);
}

aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event, uint32_t timeout, uint32_t flag) {
    if (aclError code = enter_wait(Function::aclrtStreamWaitEventWithFlag, stream, event)) return code;
    ACLREF_REQUIRE(event);
    if (aclError code = check_external_flag(flag)) return code;
    if (flag == 1 && timeout != 0) return refuse(ACL_ERROR_INVALID_PARAM, "timeout has to be 0 with flag 1");
    Pair pair;
    if (aclError code = require_pair(event, stream, pair)) return code;
    if (aclError code = check_external_use(*pair.event, *pair.stream, flag)) return code;
    return wait(pair, faulty(Fault::wait_with_flag_unbounded) ? 0 : timeout, flag == 1);
}

aclError aclrtSetOpWaitTimeout(uint32_t timeout) {
    ACLREF_ENTER(aclrtSetOpWaitTimeout);
    bool kept = timeout == 0 ? faulty(Fault::wait_limit_zero_ignored)
                             : faulty(Fault::wait_limit_ignored) ||
                                   (faulty(Fault::wait_limit_first_wins) && settings().wait_timeout_seconds != 0);
    if (!kept) settings().wait_timeout_seconds = timeout;
    return 0;
}

aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId) {
    ACLREF_ENTER(aclrtGetEventId);
    ACLREF_REQUIRE(event);
    ACLREF_REQUIRE(eventId);
    aclError code = 0;
    auto found = require_event(event, code);
    if (!found) return code;
    if (found->kind() == EventKind::interprocess) return not_for_kind();
    if (!found->can_be_waited_for() || faulty(Fault::event_id_refused))
        return refuse(ACL_ERROR_RT_INTERNAL_ERROR, "the event has no id");
    *eventId = found->id();
    return 0;
}

aclError aclrtGetEventAvailNum(uint32_t* eventCount) {
    ACLREF_ENTER(aclrtGetEventAvailNum);
    ACLREF_REQUIRE(eventCount);
    aclError code = 0;
    auto context = require_context(code, current_function());
    if (!context) return code;
    Device& device = faulty(Fault::events_left_of_device_zero) ? *Runtime::instance().device(0) : context->device();
    *eventCount = static_cast<uint32_t>(max_events() - device.events.load());
    return 0;
}

aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle* handle) {
    ACLREF_ENTER(aclrtIpcGetEventHandle);
    ACLREF_REQUIRE(event);
    ACLREF_REQUIRE(handle);
    aclError code = 0;
    auto found = require_event(event, code);
    if (!found) return code;
    if (found->kind() != EventKind::interprocess)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "the event was not created for other processes");
    *handle = {};
    std::string key = found->shared()->key();
    std::memcpy(handle->reserved, key.c_str(), std::min(key.size(), sizeof(handle->reserved) - 1));
    return 0;
}

aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent* event) {
    ACLREF_ENTER(aclrtIpcOpenEventHandle);
    ACLREF_REQUIRE(event);
    aclError code = 0;
    auto context = require_context(code, current_function());
    if (!context) return code;
    std::string key(handle.reserved, ::strnlen(handle.reserved, sizeof(handle.reserved)));
    auto shared = SharedWord::open(key);
    if (!shared) return refuse(ACL_ERROR_RT_PARAM_INVALID, "the handle names no event that is alive");
    return publish(std::make_shared<Event>(context->device(), EventKind::interprocess, ACL_EVENT_IPC, std::move(shared)),
                   event);
}

}  // extern "C"
