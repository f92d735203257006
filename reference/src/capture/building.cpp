// Instances built stream by stream: binding streams, and branches between them.
#include "base/faults/copy.hpp"
#include "base/faults/runtime.hpp"
#include "capture/recorder.hpp"
#include "capture/state.hpp"

namespace aclref::capture {

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
    Membership* member = find_bound(stream);
    return member != nullptr ? member->instance : nullptr;
}

namespace {

/// Appends a node that branches. The mutex is held.
aclError append_branch(Membership& member, const char* kind, std::function<Jump()> jump) {
    Node node;
    node.task.kind = kind;
    node.jump = std::move(jump);
    return append(member, std::move(node));
}

aclError not_bound() { return fail(ACL_ERROR_RT_STREAM_MODEL, "the stream is not bound to the instance"); }

}  // namespace

aclError activate(Stream& stream, const Stream& target) {
    std::scoped_lock lock(mutex());
    Membership* member = find_bound(stream);
    Membership* started = find_bound(target);
    if (member == nullptr || started == nullptr || member->instance != started->instance) return not_bound();
    NodeRef to{started->program, 0};
    return append_branch(*member, "stream activation",
                         [to] { return Jump{!faulty(Fault::activated_stream_stays_idle), to, false}; });
}

aclError switch_to(Stream& stream, const Stream& target, std::function<bool()> holds) {
    std::scoped_lock lock(mutex());
    Membership* member = find_bound(stream);
    Membership* started = find_bound(target);
    if (member == nullptr || started == nullptr || member->instance != started->instance) return not_bound();
    NodeRef to{started->program, 0};
    return append_branch(*member, "stream switch",
                         [to, holds] { return Jump{holds(), to, !faulty(Fault::switch_goes_on_here)}; });
}

aclError set_label(Stream& stream, void* label) {
    std::scoped_lock lock(mutex());
    Membership* member = find_bound(stream);
    if (member == nullptr) return not_bound();
    auto next = static_cast<std::uint32_t>(member->instance->programs[member->program].nodes.size());
    member->instance->labels.insert_or_assign(label, NodeRef{member->program, next});
    return 0;
}

aclError switch_label(Stream& stream, std::function<void*()> choose) {
    std::scoped_lock lock(mutex());
    Membership* member = find_bound(stream);
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

}  // namespace aclref::capture
