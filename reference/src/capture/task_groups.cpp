// Task groups: kernel tasks of a capture that get new contents later, by an update on another stream.
#include <algorithm>

#include "base/faults/copy.hpp"
#include "capture/recorder.hpp"
#include "capture/state.hpp"

namespace aclref::capture {

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
    std::erase_if(state().groups, [](const auto& entry) { return entry.second->instance.expired(); });
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
    if (faulty(Fault::capture_update_of_first_group))
        for (auto other = state().groups.begin(); other != state().groups.end(); ++other)
            if (other->second->instance.lock() == found->second->instance.lock() &&
                other->second->nodes.size() == found->second->nodes.size() && other->second->nodes < found->second->nodes)
                found = other;
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
        if (updates->size() != group->nodes.size() && !faulty(Fault::capture_update_any_count))
            return fail(ACL_ERROR_RT_INTERNAL_ERROR, "%s: %zu tasks for a group of %zu", api, updates->size(),
                        group->nodes.size());
    }
    // The new contents arrive in stream order: callers synchronise before they execute.
    Task task;
    task.kind = "task update";
    task.run = [group, updates] {
        std::scoped_lock lock(mutex());
        std::size_t count = std::min(updates->size(), group->nodes.size());
        if (faulty(Fault::capture_update_lost)) count = 0;
        if (faulty(Fault::capture_second_update_lost) && group->updates++ > 0) count = 0;
        if (faulty(Fault::capture_update_first_task_only)) count = std::min<std::size_t>(count, 1);
        auto instance = group->instance.lock();
        if (instance && faulty(Fault::capture_update_after_execution_lost) && instance->executions > 0) count = 0;
        if (instance)
            for (std::size_t i = 0; i < count; ++i) instance->node(group->nodes[i]).task.run = (*updates)[i].run;
        return Progress::Done();
    };
    aclError code = stream->submit(std::move(task));
    if (code == 0 && faulty(Fault::capture_update_waits)) code = stream->synchronize();
    return code;
}

}  // namespace aclref::capture
