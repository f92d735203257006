#include "capture/recorder.hpp"

#include <algorithm>

#include "base/faults/copy.hpp"
#include "capture/state.hpp"

namespace aclref::capture {

namespace {

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
    const auto is_joined = [&](std::uint32_t side) {
        const auto& nodes = instance.programs[side].nodes;
        const bool idle = std::all_of(nodes.begin(), nodes.end(),
                                      [](const Node& node) { return node.type == ACL_MODEL_RI_TASK_EVENT_WAIT; });
        return reached[side] == nodes.size() || (idle && faulty(Fault::capture_idle_side_needs_no_join));
    };
    if (sides.size() > 1 && faulty(Fault::capture_one_join_is_enough))
        return std::any_of(sides.begin(), sides.end(), is_joined);
    return std::all_of(sides.begin(), sides.end(), is_joined);
}

}  // namespace

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
    bool bound = capture->mode != ACL_MODEL_RI_CAPTURE_MODE_RELAXED && !faulty(Fault::capture_end_in_any_thread);
    if (capture->mode == ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL && faulty(Fault::capture_thread_local_ends_anywhere))
        bound = false;
    if (bound && capture->thread != std::this_thread::get_id()) {
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
    std::erase_if(state().marks, [](const auto& entry) { return entry.second.event.expired(); });
    count_marks();
    return 0;
}

std::atomic<const Stream*>& last_executed() {
    static std::atomic<const Stream*> stream{nullptr};
    return stream;
}

Info info(const Stream& stream) {
    if (stream.capture.load(std::memory_order_acquire) == nullptr) return {};
    std::scoped_lock lock(mutex());
    Membership* member = find_member(stream);
    if (member == nullptr || !member->capture) return {};
    Info told;
    told.status = member->capture->invalid ? ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED : ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
    told.instance = member->instance->handle;
    if (faulty(Fault::capture_info_of_other_threads_none) && member->capture->thread != std::this_thread::get_id()) return {};
    if (faulty(Fault::capture_info_side_stream_none) && member->capture->origin.get() != &stream) return {};
    if (faulty(Fault::capture_info_status_active) && told.status != ACL_MODEL_RI_CAPTURE_STATUS_NONE)
        told.status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
    return told;
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
    count_marks();
    forget_modes();
}

}  // namespace aclref::capture
