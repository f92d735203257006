#include "capture/state.hpp"

#include "base/faults/copy.hpp"
#include "base/live_objects.hpp"

namespace aclref::capture {

State& state() {
    static State* all = new State;
    return *all;
}

std::atomic<unsigned> running_captures{0};
std::atomic<unsigned> marked_events{0};

namespace {

const LiveCounter alive("captures", [] { return std::uint64_t{running_captures.load()}; });

}  // namespace

Membership* find_member(const Stream& stream) {
    auto found = state().members.find(&stream);
    return found == state().members.end() ? nullptr : &found->second;
}

Membership* find_bound(const Stream& stream) {
    Membership* member = find_member(stream);
    return member != nullptr && !member->capture && !member->updated_group ? member : nullptr;
}

void count_marks() { marked_events = static_cast<unsigned>(state().marks.size()); }

Captured* find_mark(const Event& event) {
    auto found = state().marks.find(&event);
    if (found == state().marks.end()) return nullptr;
    if (!found->second.event.expired()) return &found->second;
    state().marks.erase(found);  // another event that lived at this address
    count_marks();
    return nullptr;
}

std::shared_ptr<Capture> running_capture(const Instance& instance) {
    for (const auto& capture : state().captures)
        if (capture->instance.get() == &instance) return capture;
    return nullptr;
}

void release(const Stream& stream) {
    auto found = state().members.find(&stream);
    if (found == state().members.end()) return;
    found->second.stream->capture.store(nullptr, std::memory_order_release);
    state().members.erase(found);
}

void close_capture(const Capture& capture) {
    std::vector<const Stream*> leaving;
    for (auto& [stream, member] : state().members)
        if (member.capture.get() == &capture &&
            (stream == capture.origin.get() || !faulty(Fault::capture_keeps_drawn_in_streams)))
            leaving.push_back(stream);
    for (const Stream* stream : leaving) release(*stream);
    std::erase_if(state().captures, [&](const auto& one) { return one.get() == &capture; });
    running_captures = static_cast<unsigned>(state().captures.size());
}

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

namespace {

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

}  // namespace

Membership& add_member(const std::shared_ptr<Stream>& stream, Membership member) {
    Membership& added = state().members[stream.get()];
    added = std::move(member);
    stream->capture.store(&recorder(), std::memory_order_release);
    return added;
}

}  // namespace aclref::capture
