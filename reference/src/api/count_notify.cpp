// Chapter 09: counting notifies.
#include <cstdint>

#include "base/faults/runtime.hpp"
#include "runtime/limits.hpp"
#include "runtime/notify.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;

namespace {

std::shared_ptr<CountNotify> require_notify(aclrtCntNotify handle, aclError& code) {
    auto notify = Runtime::instance().count_notifies().find(handle);
    if (!notify) code = refuse(ACL_ERROR_RT_INVALID_HANDLE, "the counting notify does not exist");
    return notify;
}

/// Notify and stream looked up, the task of the notify queued.
template <class MakeTask>
aclError queue(aclrtCntNotify notify, aclrtStream stream, MakeTask make_task) {
    aclError code = 0;
    auto found = require_notify(notify, code);
    if (!found) return code;
    auto on = require_stream(stream, code, current_function());
    return on ? on->submit(make_task(*found)) : code;
}

}  // namespace

extern "C" {

aclError aclrtCntNotifyCreate(aclrtCntNotify* cntNotify, uint64_t flag) {
    ACLREF_ENTER(aclrtCntNotifyCreate);
    ACLREF_REQUIRE_AS(ACL_ERROR_RT_PARAM_INVALID, cntNotify);
    if (flag != 0) return refuse(ACL_ERROR_RT_PARAM_INVALID, "flag is reserved and has to be 0");
    aclError code = 0;
    auto context = require_context(code, current_function());
    if (!context) return code;
    Device& device = context->device();
    if (device.notifies.fetch_add(1) >= max_notifies()) {
        device.notifies.fetch_sub(1);
        return refuse(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, "the device has no notify left");
    }
    *cntNotify = Runtime::instance().count_notifies().add(std::make_shared<CountNotify>(device));
    return 0;
}

aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify) {
    ACLREF_ENTER(aclrtCntNotifyDestroy);
    ACLREF_REQUIRE_AS(ACL_ERROR_RT_PARAM_INVALID, cntNotify);
    if (Runtime::instance().count_notifies().remove(cntNotify)) return 0;
    return refuse(ACL_ERROR_RT_INVALID_HANDLE, "the counting notify does not exist");
}

aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream, aclrtCntNotifyRecordInfo* info) {
    ACLREF_ENTER(aclrtCntNotifyRecord);
    ACLREF_REQUIRE_AS(ACL_ERROR_RT_PARAM_INVALID, cntNotify);
    ACLREF_REQUIRE(info);
    switch (info->mode) {
        case ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE:
        case ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE:
        case ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE:
        case ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE: break;
        default: return refuse(ACL_ERROR_RT_PARAM_INVALID, "mode %d does not exist", info->mode);
    }
    return queue(cntNotify, stream, [&](CountNotify& notify) {
        Task task = notify.record_task(*info);
        if (faulty(Fault::count_notify_recorded_at_call)) (void)task.run();
        return task;
    });
}

aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify, aclrtStream stream, aclrtCntNotifyWaitInfo* info) {
    ACLREF_ENTER(aclrtCntNotifyWaitWithTimeout);
    ACLREF_REQUIRE_AS(ACL_ERROR_RT_PARAM_INVALID, cntNotify);
    ACLREF_REQUIRE(info);
    if (static_cast<unsigned>(info->mode) > ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "mode %d does not exist", info->mode);
    return queue(cntNotify, stream, [&](CountNotify& notify) { return notify.wait_task(*info); });
}

aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream) {
    ACLREF_ENTER(aclrtCntNotifyReset);
    ACLREF_REQUIRE_AS(ACL_ERROR_RT_PARAM_INVALID, cntNotify);
    return queue(cntNotify, stream, [](CountNotify& notify) {
        Task task = notify.reset_task();
        if (!faulty(Fault::count_notify_reset_at_call)) return task;
        (void)task.run();
        task.run = [] { return Progress::Done(); };
        return task;
    });
}

aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t* notifyId) {
    ACLREF_ENTER(aclrtCntNotifyGetId);
    ACLREF_REQUIRE_AS(ACL_ERROR_RT_PARAM_INVALID, cntNotify);
    ACLREF_REQUIRE_AS(ACL_ERROR_RT_PARAM_INVALID, notifyId);
    aclError code = 0;
    auto found = require_notify(cntNotify, code);
    if (!found) return code;
    *notifyId = found->id();
    return 0;
}

}  // extern "C"
