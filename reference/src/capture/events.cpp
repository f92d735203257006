// Events in captures: a record is a node, a wait is an edge to it, and a stream that waits joins the capture.
#include "base/faults/copy.hpp"
#include "base/faults/runtime.hpp"
#include "capture/capture.hpp"
#include "capture/state.hpp"

namespace aclref::capture {

namespace {

/// An external record or wait, checked: it needs a capture and is allowed once per event and instance.
aclError check_external(Membership* member, const Event& event, EventTraits traits, unsigned use) {
    if (member == nullptr || !member->capture)
        return fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "an external event needs a stream under capture");
    if (!traits.sync_only || traits.interprocess)
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "an external event has to be made with the sync flag alone");
    if (member->instance->origin == Origin::body && !faulty(Fault::external_event_in_body))
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "a body of a conditional task has no external events");
    unsigned& uses = member->instance->external_events[&event];
    if (uses != 0 && !faulty(Fault::capture_external_event_twice))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "the instance records or waits for this external event already");
    uses |= use;
    return 0;
}

}  // namespace

std::optional<aclError> record_event(Stream& stream, const std::shared_ptr<Event>& event, EventTraits traits,
                                     Task task) {
    if (stream.capture.load(std::memory_order_acquire) == nullptr && !traits.external &&
        marked_events.load(std::memory_order_relaxed) == 0)
        return std::nullopt;
    std::scoped_lock lock(mutex());
    Membership* member = find_member(stream);
    if (traits.external) {
        if (aclError code = check_external(member, *event, traits, 1)) return code;
    } else if (member == nullptr) {
        state().marks.erase(event.get());
        count_marks();
        return std::nullopt;
    }
    if (member->capture && (!traits.sync_only || traits.interprocess) && !faulty(Fault::capture_any_event))
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "only events made with the sync flag can be captured");
    Node node;
    node.type = ACL_MODEL_RI_TASK_EVENT_RECORD;
    node.external = traits.external;
    node.event = event->handle;
    // Inside an instance a record is a dependency and nothing else; a built one may be waited for from outside.
    if (traits.external || !member->capture) node.task = std::move(task);
    node.task.kind = "event record";
    NodeRef ref;
    if (aclError code = append(*member, std::move(node), &ref)) return code;
    if (!traits.external && member->capture) {
        Captured mark{event, member->instance, ref};
        if (faulty(Fault::capture_first_record_counts)) state().marks.try_emplace(event.get(), mark);
        else state().marks.insert_or_assign(event.get(), mark);
        count_marks();
    }
    return 0;
}

std::optional<aclError> wait_event(Stream& stream, const std::shared_ptr<Event>& event, EventTraits traits, Task task) {
    if (stream.capture.load(std::memory_order_acquire) == nullptr && !traits.external &&
        marked_events.load(std::memory_order_relaxed) == 0)
        return std::nullopt;
    std::scoped_lock lock(mutex());
    Membership* member = find_member(stream);
    if (traits.external) {
        if (aclError code = check_external(member, *event, traits, 2)) return code;
    }
    Captured* mark = traits.external ? nullptr : find_mark(*event);
    if (member == nullptr && mark == nullptr) return std::nullopt;
    Node node;
    node.type = ACL_MODEL_RI_TASK_EVENT_WAIT;
    node.external = traits.external;
    node.event = event->handle;
    bool bound = member != nullptr && !member->capture;
    if (traits.external || bound) node.task = task;
    node.task.kind = "event wait";
    if (traits.external || bound) return append(*member, std::move(node));

    if (mark == nullptr) {
        const bool own = faulty(Fault::capture_own_earlier_event_accepted) && event->recorded_on(stream);
        if (own || faulty(Fault::capture_outside_event_accepted)) return append(*member, std::move(node));
        member->capture->invalid = true;
        return fail(ACL_ERROR_RT_CAPTURE_DEPENDENCY, "the event was recorded outside the capture");
    }
    std::shared_ptr<Instance> instance = mark->instance.lock();
    std::shared_ptr<Capture> capture = instance ? running_capture(*instance) : nullptr;
    if (!capture) {
        if (member != nullptr) member->capture->invalid = true;
        return fail(ACL_ERROR_RT_CAPTURE_DEPENDENCY, "the event was recorded in a capture that is over");
    }
    if (member != nullptr && member->capture != capture) {
        if (faulty(Fault::capture_conflict_ignored)) return append(*member, std::move(node));
        member->capture->invalid = true;
        if (!faulty(Fault::capture_conflict_breaks_one)) capture->invalid = true;
        return fail(ACL_ERROR_STREAM_CAPTURE_CONFLICT, "the event belongs to another capture");
    }
    if (member == nullptr) {
        std::shared_ptr<Context> context = stream.context();
        if (stream.is_default() && !faulty(Fault::capture_default_stream_waits))
            return fail(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, "the default stream cannot wait for a captured event");
        if (context != capture->context)
            return fail(ACL_ERROR_RT_STREAM_CONTEXT, "the stream belongs to another context than the capture");
        Membership joining;
        joining.stream = stream.shared_from_this();
        joining.capture = capture;
        joining.instance = instance;
        joining.program = instance->add_program(new_handle_value());
        member = &add_member(joining.stream, joining);
    }
    node.after.push_back(mark->ref);
    return append(*member, std::move(node));
}

std::optional<aclError> reset_event(Stream& stream, const std::shared_ptr<Event>& event, EventTraits traits, Task task) {
    if (stream.capture.load(std::memory_order_acquire) == nullptr && marked_events.load(std::memory_order_relaxed) == 0)
        return std::nullopt;
    std::scoped_lock lock(mutex());
    Membership* member = find_member(stream);
    if (member == nullptr) {
        if (find_mark(*event) == nullptr) return std::nullopt;
        return fail(ACL_ERROR_RT_EVENT_CAPTURED, "the event was recorded in a capture");
    }
    Node node;
    node.type = ACL_MODEL_RI_TASK_EVENT_RESET;
    node.external = traits.external;
    node.event = event->handle;
    if (!member->capture) node.task = std::move(task);
    node.task.kind = "event reset";
    return append(*member, std::move(node));
}

void wait_failed(aclrtStream stream, aclrtEvent event) {
    if (running_captures.load(std::memory_order_relaxed) == 0 || faulty(Fault::capture_failed_wait_ignored)) return;
    std::shared_ptr<Stream> waiting = Runtime::instance().streams().find(stream);
    std::shared_ptr<Event> waited = Runtime::instance().events().find(event);
    std::scoped_lock lock(mutex());
    if (waiting)
        if (Membership* member = find_member(*waiting); member != nullptr && member->capture) member->capture->invalid = true;
    if (waited)
        if (Captured* mark = find_mark(*waited))
            if (auto instance = mark->instance.lock())
                if (auto capture = running_capture(*instance)) capture->invalid = true;
}

}  // namespace aclref::capture
