// Single tasks of an instance: asking, disabling, and the update that makes changes take effect.
#include "base/faults/copy.hpp"
#include "capture/instance.hpp"

using namespace aclref;
using capture::FoundTask;
using capture::Instance;
using capture::Origin;
using capture::Stage;

namespace {

/// The task behind a handle. The capture mutex has to be held.
FoundTask live_task(aclmdlRITask handle, aclError& code, const char* api) {
    if (handle == nullptr) {
        code = fail(ACL_ERROR_RT_PARAM_INVALID, "%s: task is null", api);
        return {};
    }
    FoundTask found = capture::find_task(handle);
    if (found.node == nullptr) code = fail(ACL_ERROR_RT_PARAM_INVALID, "%s: task is not alive", api);
    return found;
}

}  // namespace

aclError aclmdlRITaskGetSeqId(aclmdlRITask task, uint32_t* id) {
    ACLREF_ENTER(aclmdlRITaskGetSeqId);
    std::scoped_lock lock(capture::mutex());
    aclError code = 0;
    FoundTask found = live_task(task, code, __func__);
    if (code != 0) return code;
    if (id == nullptr) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: id is null", __func__);
    *id = faulty(Fault::instance_task_ids_equal) ? 0 : found.node->sequence;
    return 0;
}

aclError aclmdlRITaskGetType(aclmdlRITask task, aclmdlRITaskType* type) {
    ACLREF_ENTER(aclmdlRITaskGetType);
    std::scoped_lock lock(capture::mutex());
    aclError code = 0;
    FoundTask found = live_task(task, code, __func__);
    if (code != 0) return code;
    if (type == nullptr) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: type is null", __func__);
    *type = found.node->type;
    return 0;
}

aclError aclmdlRITaskGetParams(aclmdlRITask task, aclmdlRITaskParams* params) {
    ACLREF_ENTER(aclmdlRITaskGetParams);
    std::scoped_lock lock(capture::mutex());
    aclError code = 0;
    FoundTask found = live_task(task, code, __func__);
    if (code != 0) return code;
    if (params == nullptr) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: params is null", __func__);
    *params = {};
    params->type = found.node->type;
    std::uint32_t external = found.node->external ? 1 : 0;
    if (found.node->type == ACL_MODEL_RI_TASK_EVENT_RECORD) {
        params->eventRecordTaskParams.event = found.node->event;
        params->eventRecordTaskParams.recordFlag = external;
    } else if (found.node->type == ACL_MODEL_RI_TASK_EVENT_WAIT) {
        params->eventWaitTaskParams.event = found.node->event;
        params->eventWaitTaskParams.waitFlag = external;
    } else if (found.node->type == ACL_MODEL_RI_TASK_EVENT_RESET) {
        params->eventResetTaskParams.event = found.node->event;
    }
    return 0;
}

aclError aclmdlRITaskSetParams(aclmdlRITask task, aclmdlRITaskParams* params) {
    ACLREF_ENTER(aclmdlRITaskSetParams);
    std::scoped_lock lock(capture::mutex());
    aclError code = 0;
    FoundTask found = live_task(task, code, __func__);
    if (code != 0) return code;
    if (params == nullptr) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: params is null", __func__);
    if (params->type != found.node->type)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the parameters are of type %d, the task is of type %d", __func__,
                    params->type, found.node->type);
    // What a task does is fixed here; only kernels, which this device does not run, have parameters to change.
    return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: the parameters of a %s cannot be changed", __func__,
                found.node->task.kind);
}

aclError aclmdlRITaskDisable(aclmdlRITask task) {
    ACLREF_ENTER(aclmdlRITaskDisable);
    std::scoped_lock lock(capture::mutex());
    aclError code = 0;
    FoundTask found = live_task(task, code, __func__);
    if (code != 0) return code;
    if (found.node->type != ACL_MODEL_RI_TASK_KERNEL)
        return fail(ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, "%s: only kernel tasks can be disabled", __func__);
    if (faulty(Fault::instance_disables_one_task))
        for (const auto& program : found.instance->programs)
            for (const auto& node : program.nodes)
                if (node.disable_asked && !node.disabled) return 0;
    found.node->disable_asked = !faulty(Fault::instance_disabling_ignored);
    if (faulty(Fault::instance_disabling_spreads))
        for (auto& program : found.instance->programs)
            for (auto& node : program.nodes) node.disable_asked = node.type == ACL_MODEL_RI_TASK_KERNEL;
    return 0;
}

aclError aclmdlRIKernelTaskGetAttribute(aclmdlRITask task, aclrtLaunchKernelAttrId attrId,
                                        aclrtLaunchKernelAttrValue* attrValue) {
    ACLREF_ENTER(aclmdlRIKernelTaskGetAttribute);
    if (task == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: task is null", __func__);
    if (attrValue == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: attrValue is null", __func__);
    std::scoped_lock lock(capture::mutex());
    aclError code = 0;
    FoundTask found = live_task(task, code, __func__);
    if (code != 0) return code;
    if (found.node->type != ACL_MODEL_RI_TASK_KERNEL && !faulty(Fault::instance_any_task_has_attributes))
        return fail(ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT, "%s: a %s is no kernel task", __func__, found.node->task.kind);
    *attrValue = {};
    static_cast<void>(attrId);
    return 0;
}

aclError aclmdlRIUpdate(aclmdlRI modelRI) {
    ACLREF_ENTER(aclmdlRIUpdate);
    if (modelRI == nullptr) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: modelRI is null", __func__);
    std::shared_ptr<Instance> instance = capture::instances().find(modelRI);
    if (!instance) return fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: modelRI is not alive", __func__);
    if (instance->origin == Origin::built && !faulty(Fault::instance_built_updates))
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: a built instance cannot be updated", __func__);
    std::scoped_lock lock(capture::mutex());
    if (instance->stage != Stage::ready && !faulty(Fault::instance_updated_in_capture))
        return fail(ACL_ERROR_RT_MODEL_UPDATE_FAILED, "%s: the instance is being captured", __func__);
    if (instance->running > 0 && !faulty(Fault::instance_updated_while_running))
        return fail(ACL_ERROR_RT_MODEL_UPDATE_FAILED, "%s: the instance is running", __func__);
    for (auto& program : instance->programs)
        for (auto& node : program.nodes) node.disabled = node.disabled || node.disable_asked;
    return 0;
}
