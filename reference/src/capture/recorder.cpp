#include "capture/recorder.hpp"

#include <algorithm>
#include <atomic>
#include <string_view>
#include <unordered_map>

#include "base/fault.hpp"
#include "base/live_objects.hpp"
#include "memory/address_space.hpp"
#include "runtime/event.hpp"

namespace aclref::capture {

namespace {

/// One capture between begin and end.
struct Capture {
    std::shared_ptr<Instance> instance;
    std::shared_ptr<Context> context;
    std::shared_ptr<Stream> origin;
    std::thread::id thread;
    aclmdlRICaptureMode mode;
    bool invalid = false;
};

/// A set of nodes that updates may replace.
struct Group {
    std::weak_ptr<Instance> instance;
    std::vector<NodeRef> nodes;
    const Stream* updating = nullptr;
};

/// What a stream records into.
struct Membership {
    std::shared_ptr<Stream> stream;
    std::shared_ptr<Capture> capture;    ///< null: bound to a built instance, or updating a group
    std::shared_ptr<Instance> instance;
    std::uint32_t program = 0;
    bool ended = false;                  ///< aclmdlRIEndTask was called
    std::shared_ptr<Group> open_group;
    std::shared_ptr<Group> updated_group;
    std::vector<Task> updates;
};

/// The last record of an event was a node.
struct Captured {
    std::weak_ptr<Event> event;
    std::weak_ptr<Instance> instance;
    NodeRef ref;
};

struct State {
    std::unordered_map<const Stream*, Membership> members;
    std::vector<std::shared_ptr<Capture>> captures;
    std::unordered_map<const Event*, Captured> marks;
    std::unordered_map<aclrtTaskGrp, std::shared_ptr<Group>> groups;
    std::unordered_map<aclmdlRICondHandle, std::shared_ptr<Condition>> conditions;
};

State& state() {
    static State* all = new State;
    return *all;
}

// Read without the mutex, so that nothing costs anything while nothing is captured.
std::atomic<unsigned> running_captures{0};
std::atomic<unsigned> marked_events{0};
std::atomic<std::uint64_t> mode_epoch{1};  ///< a reset of the library gives every thread its first mode back

const LiveCounter alive("captures", [] { return std::uint64_t{running_captures.load()}; });

struct ThreadMode {
    aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
    std::uint64_t epoch = 0;
};

ThreadMode shared_mode;  ///< of a broken library that keeps one mode for all threads

ThreadMode& thread_mode() {
    static thread_local constinit ThreadMode own;
    ThreadMode& mode = faulty(Fault::capture_mode_of_process) ? shared_mode : own;
    std::uint64_t epoch = mode_epoch.load(std::memory_order_relaxed);
    if (mode.epoch != epoch) mode = {ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, epoch};
    return mode;
}

Membership* find_member(const Stream& stream) {
    auto found = state().members.find(&stream);
    return found == state().members.end() ? nullptr : &found->second;
}

Captured* find_mark(const Event& event) {
    auto found = state().marks.find(&event);
    if (found == state().marks.end()) return nullptr;
    if (!found->second.event.expired()) return &found->second;
    state().marks.erase(found);  // another event that lived at this address
    marked_events = static_cast<unsigned>(state().marks.size());
    return nullptr;
}

std::shared_ptr<Capture> running_capture(const Instance& instance) {
    for (const auto& capture : state().captures)
        if (capture->instance.get() == &instance) return capture;
    return nullptr;
}

/// Takes the stream out: whatever is submitted from here on runs as usual.
void release(const Stream& stream) {
    auto found = state().members.find(&stream);
    if (found == state().members.end()) return;
    found->second.stream->capture.store(nullptr, std::memory_order_release);
    state().members.erase(found);
}

void close_capture(const Capture& capture) {
    std::vector<const Stream*> leaving;
    for (auto& [stream, member] : state().members)
        if (member.capture.get() == &capture) leaving.push_back(stream);
    for (const Stream* stream : leaving) release(*stream);
    std::erase_if(state().captures, [&](const auto& one) { return one.get() == &capture; });
    running_captures = static_cast<unsigned>(state().captures.size());
}

/// The capture failed: its instance goes with it.
void drop_capture(const Capture& capture) {
    Instance& instance = *capture.instance;
    std::shared_ptr<Instance> keep = capture.instance;
    close_capture(capture);
    instance.stage = Stage::invalid;
    retire(instance);
    if (instance.origin == Origin::captured) instances().remove(instance.handle);
}

aclmdlRITaskType type_of(std::string_view kind) {
    if (kind == "kernel") return ACL_MODEL_RI_TASK_KERNEL;
    if (kind == "value write") return ACL_MODEL_RI_TASK_VALUE_WRITE;
    if (kind == "value wait") return ACL_MODEL_RI_TASK_VALUE_WAIT;
    return ACL_MODEL_RI_TASK_DEFAULT;
}

/// Appends a node to what the stream records. The mutex is held.
aclError append(Membership& member, Node node, NodeRef* where) {
    if (member.capture && member.capture->invalid)
        return fail(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, "the capture is invalid already");
    if (member.ended) return fail(ACL_ERROR_RT_STREAM_MODEL, "the stream's tasks for the instance were ended");
    if (!member.capture && member.instance->stage != Stage::recording)
        return fail(ACL_ERROR_RT_STREAM_MODEL, "the instance the stream is bound to is built already");
    if (member.open_group && node.type != ACL_MODEL_RI_TASK_KERNEL && !faulty(Fault::capture_group_any_task))
        return fail(ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, "only kernel tasks may stand in a task group");
    NodeRef ref = member.instance->append(member.program, std::move(node));
    if (member.open_group) member.open_group->nodes.push_back(ref);
    if (where != nullptr) *where = ref;
    return 0;
}

/// Takes in the tasks of streams under capture. It has no state of its own, so a thread that read it just before the
/// capture ended does no harm.
class Recorder final : public CaptureRecorder {
public:
    aclError record(Stream& stream, Task task) override {
        {
            std::scoped_lock lock(mutex());
            if (Membership* member = find_member(stream);
                member != nullptr && stream.capture.load(std::memory_order_relaxed) != nullptr)
                return take(*member, std::move(task));
        }
        return stream.submit(std::move(task));
    }

private:
    static aclError take(Membership& member, Task task) {
        if (!task.capturable)
            return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "a %s cannot be captured", task.kind);
        if (member.updated_group) {
            if (type_of(task.kind) != ACL_MODEL_RI_TASK_KERNEL)
                return fail(ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, "only kernel tasks may update a task group");
            member.updates.push_back(std::move(task));
            return 0;
        }
        Node node;
        node.type = type_of(task.kind);
        node.task = std::move(task);
        if (faulty(Fault::capture_runs_tasks) && node.task.run) node.task.run();
        return append(member, std::move(node), nullptr);
    }
};

Recorder& recorder() {
    static Recorder* one = new Recorder;
    return *one;
}

Membership& add_member(const std::shared_ptr<Stream>& stream, Membership member) {
    Membership& added = state().members[stream.get()];
    added = std::move(member);
    stream->capture.store(&recorder(), std::memory_order_release);
    return added;
}

/// Every side stream's last node has to come before the origin's last one; otherwise its work would have no end.
bool joined(const Capture& capture) {
    Instance& instance = *capture.instance;
    std::uint32_t origin = 0;
    std::vector<std::uint32_t> sides;
    for (auto& [stream, member] : state().members) {
        if (member.capture.get() != &capture) continue;
        if (member.stream == capture.origin) origin = member.program;
        else sides.push_back(member.program);
    }
    // How many nodes of each program come before the origin's end.
    std::vector<std::size_t> reached(instance.programs.size(), 0);
    std::vector<std::pair<std::uint32_t, std::size_t>> open{{origin, instance.programs[origin].nodes.size()}};
    while (!open.empty()) {
        auto [program, count] = open.back();
        open.pop_back();
        for (std::size_t i = reached[program]; i < count; ++i)
            for (NodeRef before : instance.programs[program].nodes[i].after)
                open.emplace_back(before.program, before.index + 1);
        reached[program] = std::max(reached[program], count);
    }
    return std::all_of(sides.begin(), sides.end(), [&](std::uint32_t side) {
        return reached[side] == instance.programs[side].nodes.size();
    });
}

/// Whether a capture forbids the calling thread a call that reaches beyond its stream.
bool forbidden(const Context& context) {
    aclmdlRICaptureMode own = thread_mode().mode;
    if (own == ACL_MODEL_RI_CAPTURE_MODE_RELAXED && !faulty(Fault::capture_relaxed_thread_refused)) return false;
    std::scoped_lock lock(mutex());
    for (const auto& capture : state().captures) {
        if (capture->mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED && !faulty(Fault::capture_relaxed_is_global)) continue;
        if (capture->thread == std::this_thread::get_id()) return true;
        if (own != ACL_MODEL_RI_CAPTURE_MODE_GLOBAL || capture->context.get() != &context) continue;
        if (capture->mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL && !faulty(Fault::capture_other_threads_free)) return true;
        if (capture->mode == ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL && faulty(Fault::capture_thread_local_is_global))
            return true;
    }
    return false;
}

/// An external record or wait, checked: it needs a capture and is allowed once per event and instance.
aclError check_external(Membership* member, const Event& event, EventTraits traits, unsigned use) {
    if (member == nullptr || !member->capture)
        return fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "an external event needs a stream under capture");
    if (!traits.sync_only || traits.interprocess)
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "an external event has to be made with the sync flag alone");
    if (member->instance->origin == Origin::body)
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "a body of a conditional task has no external events");
    unsigned& uses = member->instance->external_events[&event];
    if (uses != 0 && !faulty(Fault::capture_external_event_twice))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "the instance records or waits for this external event already");
    uses |= use;
    return 0;
}

}  // namespace

aclError check_synchronous(const Context& context, const char* api) {
    if (running_captures.load(std::memory_order_relaxed) == 0) return 0;
    if (!forbidden(context) || faulty(Fault::capture_synchronous_allowed)) return 0;
    return fail(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, "%s: not allowed while a stream is being captured", api);
}

aclError check_blocking_async(const Context& context, const char* api) {
    if (running_captures.load(std::memory_order_relaxed) == 0) return 0;
    if (!forbidden(context) || faulty(Fault::capture_blocking_allowed)) return 0;
    return fail(ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC,
                "%s: pageable host memory makes the call synchronous, not allowed while a stream is being captured", api);
}

aclError check_stream(Stream& stream, const char* api) {
    if (running_captures.load(std::memory_order_relaxed) == 0) return 0;
    std::scoped_lock lock(mutex());
    Membership* member = find_member(stream);
    if (member == nullptr || !member->capture) {
        if (faulty(Fault::capture_disturbed_by_others))
            for (const auto& capture : state().captures)
                if (capture->thread != std::this_thread::get_id() && &capture->origin->device() == &stream.device())
                    capture->invalid = true;
        return 0;
    }
    if (faulty(Fault::capture_refused_sync_ends_it)) stream.capture.store(nullptr, std::memory_order_release);
    if (faulty(Fault::capture_stream_sync_allowed)) return 0;
    if (faulty(Fault::capture_sync_timeout_code)) return fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "%s: timed out", api);
    return fail(ACL_ERROR_RT_STREAM_CAPTURED, "%s: the stream is being captured", api);
}

aclError check_device(const Device& device, const char* api) {
    if (running_captures.load(std::memory_order_relaxed) == 0) return 0;
    std::scoped_lock lock(mutex());
    for (auto& [stream, member] : state().members)
        if (member.capture && &stream->device() == &device && !faulty(Fault::capture_stream_sync_allowed))
            return fail(ACL_ERROR_RT_STREAM_CAPTURED, "%s: a stream of device %d is being captured", api, device.id());
    return 0;
}

aclError check_event(const Event& event, const char* api) {
    if (marked_events.load(std::memory_order_relaxed) == 0) return 0;
    std::scoped_lock lock(mutex());
    if (find_mark(event) == nullptr || faulty(Fault::capture_event_query_allowed)) return 0;
    return fail(ACL_ERROR_RT_EVENT_CAPTURED, "%s: the event was recorded in a capture", api);
}

bool capturing(const Stream& stream) {
    if (stream.capture.load(std::memory_order_acquire) == nullptr) return false;
    std::scoped_lock lock(mutex());
    Membership* member = find_member(stream);
    return member != nullptr && member->capture != nullptr;
}

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
        marked_events = static_cast<unsigned>(state().marks.size());
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
        state().marks.insert_or_assign(event.get(), Captured{event, member->instance, ref});
        marked_events = static_cast<unsigned>(state().marks.size());
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
    if (traits.external || bound) return append(*member, std::move(node), nullptr);

    if (mark == nullptr) {
        if (faulty(Fault::capture_outside_event_accepted)) return append(*member, std::move(node), nullptr);
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
        if (faulty(Fault::capture_conflict_ignored)) return append(*member, std::move(node), nullptr);
        member->capture->invalid = true;
        capture->invalid = true;
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
    return append(*member, std::move(node), nullptr);
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
    return append(*member, std::move(node), nullptr);
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

void stream_destroyed(const Stream& stream) {
    std::scoped_lock lock(mutex());
    Membership* member = find_member(stream);
    if (member == nullptr) return;
    // A forced destruction of a stream under capture leaves a capture that can only fail.
    if (member->capture) member->capture->invalid = true;
    std::shared_ptr<Membership> keep = std::make_shared<Membership>(*member);
    release(stream);
    if (keep->capture && keep->capture->origin.get() == &stream) drop_capture(*keep->capture);
}

aclError begin(const std::shared_ptr<Stream>& stream, aclmdlRICaptureMode mode, std::shared_ptr<Instance> body,
               const char* api) {
    std::shared_ptr<Context> context = stream->context();
    if (!context) return fail(ACL_ERROR_RT_CONTEXT_NULL, "%s: the context of the stream is gone", api);
    if (stream->is_default() && !faulty(Fault::capture_default_stream_accepted))
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: the default stream cannot be captured", api);
    std::scoped_lock lock(mutex());
    if (Membership* member = find_member(*stream)) {
        if (faulty(Fault::capture_begin_twice_accepted) && member->capture) return 0;
        if (member->capture) return fail(ACL_ERROR_RT_STREAM_CAPTURED, "%s: the stream is being captured already", api);
        return fail(ACL_ERROR_RT_STREAM_MODEL, "%s: the stream is bound to an instance", api);
    }
    if (body) {
        if (body->body_recorded || body->stage != Stage::recording)
            return fail(ACL_ERROR_RT_MODEL_CAPTURED, "%s: the body was captured into already", api);
        body->body_recorded = true;
    } else {
        body = std::make_shared<Instance>(Origin::captured, context);
        body->handle = instances().add(body);
    }
    auto capture = std::make_shared<Capture>();
    capture->instance = body;
    capture->context = context;
    capture->origin = stream;
    capture->thread = std::this_thread::get_id();
    capture->mode = mode;
    state().captures.push_back(capture);
    running_captures = static_cast<unsigned>(state().captures.size());
    Membership member;
    member.stream = stream;
    member.capture = capture;
    member.instance = body;
    member.program = body->add_program(new_handle_value());
    add_member(stream, member);
    return 0;
}

aclError end(const std::shared_ptr<Stream>& stream, std::shared_ptr<Instance>& instance, const char* api) {
    std::scoped_lock lock(mutex());
    Membership* member = find_member(*stream);
    if (member == nullptr || !member->capture) {
        if (faulty(Fault::capture_end_without_begin)) return 0;
        return fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "%s: the stream is not being captured", api);
    }
    std::shared_ptr<Capture> capture = member->capture;
    if (capture->origin != stream && !faulty(Fault::capture_end_on_any_stream))
        return fail(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, "%s: the capture began on another stream", api);
    if (capture->mode != ACL_MODEL_RI_CAPTURE_MODE_RELAXED && capture->thread != std::this_thread::get_id() &&
        !faulty(Fault::capture_end_in_any_thread)) {
        drop_capture(*capture);
        return fail(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, "%s: the capture began in another thread", api);
    }
    if (capture->mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED && capture->thread != std::this_thread::get_id() &&
        faulty(Fault::capture_relaxed_end_bound_to_thread)) {
        drop_capture(*capture);
        return fail(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, "%s: the capture began in another thread", api);
    }
    if (capture->invalid && !faulty(Fault::capture_invalid_ends_well)) {
        drop_capture(*capture);
        return fail(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, "%s: an earlier call made the capture invalid", api);
    }
    for (auto& [other, one] : state().members) {
        if (one.capture != capture || !one.open_group || faulty(Fault::capture_open_group_accepted)) continue;
        drop_capture(*capture);
        return fail(ACL_ERROR_STREAM_TASK_GROUP_STATUS, "%s: a task group is still open", api);
    }
    if (!joined(*capture) && !faulty(Fault::capture_unjoined_accepted)) {
        if (faulty(Fault::capture_failed_end_keeps_streams)) return ACL_ERROR_RT_STREAM_UNJOINED;
        drop_capture(*capture);
        return fail(ACL_ERROR_RT_STREAM_UNJOINED, "%s: a stream of the capture was not joined back", api);
    }
    if (faulty(Fault::capture_unjoined_accepted))
        for (std::size_t side = 1; !joined(*capture) && side < capture->instance->programs.size(); ++side)
            capture->instance->programs[side].starts = false;
    if (faulty(Fault::capture_last_task_lost) && capture->instance->programs[0].nodes.size() > 1)
        capture->instance->programs[0].nodes.pop_back();
    instance = capture->instance;
    instance->stage = Stage::ready;
    close_capture(*capture);
    return 0;
}

Info info(const Stream& stream) {
    if (stream.capture.load(std::memory_order_acquire) == nullptr) return {};
    std::scoped_lock lock(mutex());
    Membership* member = find_member(stream);
    if (member == nullptr || !member->capture) return {};
    Info told;
    told.status = member->capture->invalid ? ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED : ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
    told.instance = member->instance->handle;
    if (faulty(Fault::capture_info_side_stream_none) && member->capture->origin.get() != &stream) return {};
    if (faulty(Fault::capture_info_status_active) && told.status != ACL_MODEL_RI_CAPTURE_STATUS_NONE)
        told.status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
    return told;
}

aclmdlRICaptureMode exchange_mode(aclmdlRICaptureMode mode) {
    ThreadMode& own = thread_mode();
    aclmdlRICaptureMode earlier = own.mode;
    own.mode = mode;
    return faulty(Fault::capture_mode_not_returned) ? mode : earlier;
}

aclError bind(const std::shared_ptr<Instance>& instance, const std::shared_ptr<Stream>& stream, bool starts,
              const char* api) {
    std::unique_lock lock(mutex());
    if (instance->stage != Stage::recording) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the instance is built already", api);
    if (Membership* member = find_member(*stream)) {
        if (member->capture) return fail(ACL_ERROR_RT_STREAM_CAPTURED, "%s: the stream is being captured", api);
        if (!faulty(Fault::instance_bound_twice))
            return fail(ACL_ERROR_RT_STREAM_MODEL, "%s: the stream is bound to an instance already", api);
    }
    Membership member;
    member.stream = stream;
    member.instance = instance;
    member.program = instance->add_program(stream->handle, starts);
    add_member(stream, member);
    lock.unlock();
    // What was put on a persistent stream before it was bound belongs to the instance as well.
    for (Task& task : stream->take_parked())
        if (aclError code = stream->submit(std::move(task))) return code;
    return 0;
}

aclError unbind(const std::shared_ptr<Instance>& instance, const Stream& stream, const char* api) {
    std::scoped_lock lock(mutex());
    Membership* member = find_member(stream);
    if (member == nullptr || member->capture || member->instance != instance)
        return faulty(Fault::instance_unbind_unbound_accepted)
                   ? 0
                   : fail(ACL_ERROR_RT_STREAM_MODEL, "%s: the stream is not bound to the instance", api);
    release(stream);
    return 0;
}

aclError end_task(const std::shared_ptr<Instance>& instance, const Stream& stream, const char* api) {
    std::scoped_lock lock(mutex());
    Membership* member = find_member(stream);
    if (member == nullptr || member->capture || member->instance != instance)
        return fail(ACL_ERROR_RT_STREAM_MODEL, "%s: the stream is not bound to the instance", api);
    member->ended = true;
    return 0;
}

void unbind_all(const Instance& instance) {
    std::scoped_lock lock(mutex());
    std::vector<const Stream*> leaving;
    for (auto& [stream, member] : state().members)
        if (!member.capture && member.instance.get() == &instance) leaving.push_back(stream);
    for (const Stream* stream : leaving) release(*stream);
}

std::shared_ptr<Instance> bound_instance(const Stream& stream) {
    std::scoped_lock lock(mutex());
    Membership* member = find_member(stream);
    return member != nullptr && !member->capture && !member->updated_group ? member->instance : nullptr;
}

namespace {

/// Appends a node that branches. The mutex is held.
aclError append_branch(Membership& member, const char* kind, std::function<Jump()> jump) {
    Node node;
    node.task.kind = kind;
    node.jump = std::move(jump);
    return append(member, std::move(node), nullptr);
}

Membership* bound_member(const Stream& stream) {
    Membership* member = find_member(stream);
    return member != nullptr && !member->capture && !member->updated_group ? member : nullptr;
}

aclError not_bound() { return fail(ACL_ERROR_RT_STREAM_MODEL, "the stream is not bound to the instance"); }

}  // namespace

aclError activate(Stream& stream, const Stream& target) {
    std::scoped_lock lock(mutex());
    Membership* member = bound_member(stream);
    Membership* started = bound_member(target);
    if (member == nullptr || started == nullptr || member->instance != started->instance) return not_bound();
    NodeRef to{started->program, 0};
    return append_branch(*member, "stream activation", [to] { return Jump{true, to, false}; });
}

aclError switch_to(Stream& stream, const Stream& target, std::function<bool()> holds) {
    std::scoped_lock lock(mutex());
    Membership* member = bound_member(stream);
    Membership* started = bound_member(target);
    if (member == nullptr || started == nullptr || member->instance != started->instance) return not_bound();
    NodeRef to{started->program, 0};
    return append_branch(*member, "stream switch", [to, holds] { return Jump{holds(), to, true}; });
}

aclError set_label(Stream& stream, void* label) {
    std::scoped_lock lock(mutex());
    Membership* member = bound_member(stream);
    if (member == nullptr) return not_bound();
    auto next = static_cast<std::uint32_t>(member->instance->programs[member->program].nodes.size());
    member->instance->labels.insert_or_assign(label, NodeRef{member->program, next});
    return 0;
}

aclError switch_label(Stream& stream, std::function<void*()> choose) {
    std::scoped_lock lock(mutex());
    Membership* member = bound_member(stream);
    if (member == nullptr) return not_bound();
    // The instance outlives its executions, and so does what it holds; a pointer to itself would keep it for ever.
    Instance* instance = member->instance.get();
    return append_branch(*member, "label switch", [instance, choose] {
        void* label = choose();
        std::scoped_lock inside(mutex());
        auto found = instance->labels.find(label);
        if (found == instance->labels.end()) return Jump{};
        return Jump{true, found->second, true};
    });
}

aclError create_condition(const std::shared_ptr<Instance>& instance, std::uint64_t initial, bool assign_initial,
                          aclmdlRICondHandle& handle, const char* api) {
    {
        std::scoped_lock lock(mutex());
        if (!running_capture(*instance)) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the instance is not being captured", api);
    }
    auto condition = std::make_shared<Condition>();
    condition->owner = instance;
    condition->initial = initial;
    condition->assign_initial = assign_initial;
    void* memory = nullptr;
    if (aclError code = aclrtMalloc(&memory, sizeof initial, ACL_MEM_MALLOC_NORMAL_ONLY)) return code;
    condition->value = static_cast<std::uint64_t*>(memory);
    if (aclError code = AddressSpace::instance().copy(memory, &initial, sizeof initial, true)) return code;
    std::scoped_lock lock(mutex());
    handle = new_handle_value();
    state().conditions.emplace(handle, condition);
    instance->conditions.push_back(condition);
    return 0;
}

std::shared_ptr<Condition> find_condition(aclmdlRICondHandle handle) {
    std::scoped_lock lock(mutex());
    auto found = state().conditions.find(handle);
    if (found == state().conditions.end()) return nullptr;
    if (!found->second->owner.expired()) return found->second;
    state().conditions.erase(found);
    return nullptr;
}

aclError add_condition(const std::shared_ptr<Stream>& stream, const aclmdlRICondTaskParams& parameters, const char* api) {
    std::shared_ptr<Condition> condition = find_condition(parameters.handle);
    std::scoped_lock lock(mutex());
    Membership* member = find_member(*stream);
    if (member == nullptr || !member->capture)
        return fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "%s: the stream is not being captured", api);
    if (!condition || condition->owner.lock() != member->instance)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the condition does not belong to the instance being captured", api);
    if (condition->used && !faulty(Fault::capture_condition_reused))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the condition serves a task already", api);
    auto branches = std::make_shared<Branches>();
    branches->type = parameters.type;
    branches->condition = condition;
    for (std::uint32_t i = 0; i < parameters.size; ++i) {
        auto body = std::make_shared<Instance>(Origin::body, member->capture->context);
        body->handle = instances().add(body);
        branches->bodies.push_back(body);
    }
    Node node;
    node.task.kind = "condition";
    node.branches = branches;
    if (aclError code = append(*member, std::move(node), nullptr)) {
        for (const auto& body : branches->bodies) instances().remove(body->handle);
        return code;
    }
    condition->used = true;
    for (std::uint32_t i = 0; i < parameters.size; ++i) {
        parameters.modelRIArray[i] = branches->bodies[i]->handle;
        member->instance->bodies.push_back(branches->bodies[i]);
    }
    return 0;
}

aclError begin_group(const Stream& stream, const char* api) {
    std::scoped_lock lock(mutex());
    Membership* member = find_member(stream);
    if (member == nullptr || !member->capture)
        return fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "%s: the stream is not being captured", api);
    if (member->open_group && !faulty(Fault::capture_groups_nest))
        return fail(ACL_ERROR_STREAM_TASK_GROUP_STATUS, "%s: a task group is open on the stream already", api);
    member->open_group = std::make_shared<Group>();
    member->open_group->instance = member->instance;
    return 0;
}

aclError end_group(const Stream& stream, aclrtTaskGrp& handle, const char* api) {
    std::scoped_lock lock(mutex());
    Membership* member = find_member(stream);
    if (member == nullptr || !member->open_group)
        return faulty(Fault::capture_group_end_without_begin)
                   ? 0
                   : fail(ACL_ERROR_STREAM_TASK_GROUP_STATUS, "%s: no task group is open on the stream", api);
    handle = new_handle_value();
    state().groups.emplace(handle, std::move(member->open_group));
    member->open_group = nullptr;
    return 0;
}

aclError begin_update(const std::shared_ptr<Stream>& stream, aclrtTaskGrp handle, const char* api) {
    std::scoped_lock lock(mutex());
    if (Membership* member = find_member(*stream)) {
        if (member->capture) return fail(ACL_ERROR_RT_STREAM_CAPTURED, "%s: the stream is being captured", api);
        if (member->updated_group) return fail(ACL_ERROR_STREAM_TASK_GROUP_STATUS, "%s: the stream updates a group already", api);
        return fail(ACL_ERROR_RT_STREAM_MODEL, "%s: the stream is bound to an instance", api);
    }
    auto found = state().groups.find(handle);
    if (found == state().groups.end() || found->second->instance.expired())
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: there is no such task group", api);
    if (found->second->updating != nullptr && !faulty(Fault::capture_group_updated_twice))
        return fail(ACL_ERROR_STREAM_TASK_GROUP_STATUS, "%s: another stream updates the group", api);
    found->second->updating = stream.get();
    Membership member;
    member.stream = stream;
    member.instance = found->second->instance.lock();
    member.updated_group = found->second;
    add_member(stream, member);
    return 0;
}

aclError end_update(const std::shared_ptr<Stream>& stream, const char* api) {
    std::shared_ptr<Group> group;
    std::shared_ptr<std::vector<Task>> updates;
    {
        std::scoped_lock lock(mutex());
        Membership* member = find_member(*stream);
        if (member == nullptr || !member->updated_group)
            return faulty(Fault::capture_update_end_without_begin)
                       ? 0
                       : fail(ACL_ERROR_STREAM_TASK_GROUP_STATUS, "%s: the stream updates no task group", api);
        group = member->updated_group;
        updates = std::make_shared<std::vector<Task>>(std::move(member->updates));
        group->updating = nullptr;
        release(*stream);
        if (updates->size() != group->nodes.size())
            return fail(ACL_ERROR_RT_INTERNAL_ERROR, "%s: %zu tasks for a group of %zu", api, updates->size(),
                        group->nodes.size());
    }
    // The new contents arrive in stream order: callers synchronise before they execute.
    Task task;
    task.kind = "task update";
    task.run = [group, updates] {
        std::scoped_lock lock(mutex());
        if (auto instance = group->instance.lock())
            for (std::size_t i = 0; i < updates->size(); ++i) instance->node(group->nodes[i]).task.run = (*updates)[i].run;
        return Progress::Done();
    };
    return stream->submit(std::move(task));
}

void forget_everything() {
    std::scoped_lock lock(mutex());
    std::vector<const Stream*> leaving;
    for (auto& entry : state().members) leaving.push_back(entry.first);
    for (const Stream* stream : leaving) release(*stream);
    state().captures.clear();
    state().marks.clear();
    state().groups.clear();
    state().conditions.clear();
    for (const auto& instance : instances().all()) retire(*instance);
    instances().clear();
    running_captures = 0;
    marked_events = 0;
    ++mode_epoch;
}

}  // namespace aclref::capture
