// Conditional tasks: a value in device memory chooses which body of an instance runs.
#include "base/faults/copy.hpp"
#include "capture/recorder.hpp"
#include "capture/state.hpp"
#include "memory/address_space.hpp"

namespace aclref::capture {

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
    std::erase_if(state().conditions, [](const auto& entry) { return entry.second.expired(); });
    handle = new_handle_value();
    state().conditions.emplace(handle, condition);
    instance->conditions.push_back(condition);
    return 0;
}

std::shared_ptr<Condition> find_condition(aclmdlRICondHandle handle) {
    std::scoped_lock lock(mutex());
    auto found = state().conditions.find(handle);
    if (found == state().conditions.end()) return nullptr;
    auto condition = found->second.lock();
    if (!condition || condition->owner.expired()) return nullptr;
    return condition;
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
    if (aclError code = append(*member, std::move(node))) {
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

}  // namespace aclref::capture
