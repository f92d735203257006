// Chapter 19-04: the beginning and the end of a step.
#include "runtime/stream.hpp"
#include "services/profiling.hpp"
#include "services/require.hpp"
#include "services/step_info.hpp"

using namespace aclref;

aclprofStepInfo* aclprofCreateStepInfo() {
    if (enter(Function::aclprofCreateStepInfo) != 0) return nullptr;
    if (faulty(Fault::step_info_needs_profiling) && !api_profiling()) return nullptr;
    static aclprofStepInfo* first = nullptr;
    if (faulty(Fault::step_info_made_once) && step_infos().find(first)) return first;
    return first = static_cast<aclprofStepInfo*>(step_infos().add(std::make_shared<StepInfo>()));
}

void aclprofDestroyStepInfo(aclprofStepInfo* stepinfo) {
    if (enter(Function::aclprofDestroyStepInfo) != 0 || faulty(Fault::step_info_never_freed)) return;
    if (!stepinfo && faulty(Fault::step_info_null_crashes)) std::abort();
    (void)step_infos().remove(stepinfo);
}

aclError aclprofGetStepTimestamp(aclprofStepInfo* stepInfo, aclprofStepTag tag, aclrtStream stream) {
    ACLREF_ENTER(aclprofGetStepTimestamp);
    ACLREF_NEEDS(stepInfo);
    auto found = step_infos().find(stepInfo);
    if (!found) return refuse(ACL_ERROR_INVALID_PARAM, "stepInfo does not exist");
    if (tag != ACL_STEP_START && tag != ACL_STEP_END) return refuse(ACL_ERROR_INVALID_PARAM, "there is no tag %d", tag);
    aclError code = 0;
    auto on = require_stream(stream, code, current_function());
    if (!on) return code;
    if (found->tagged[tag].exchange(true) && !faulty(Fault::step_tag_repeats))
        return refuse(ACL_ERROR_INVALID_PARAM, "the tag %d of this step is set already", tag);
    const char* kind = tag == ACL_STEP_START ? "step start" : "step end";
    Task task;
    task.kind = "step timestamp";
    task.run = [kind] {
        note_mark(kind, "", std::chrono::steady_clock::now());
        return Progress::Done();
    };
    return on->submit(std::move(task));
}
