// Chapter 23: a program's own lines in the log.
#include "services/log_output.hpp"

#include "services/require.hpp"

using namespace aclref;

namespace {

constexpr int32_t refused = -1;

int32_t refuse_log(const char* why) {
    (void)refuse(ACL_ERROR_INVALID_PARAM, "%s", why);
    return faulty(Fault::log_arguments_unchecked) ? 0 : refused;
}

}  // namespace

int32_t acllogRegisterCallback(acllogRecordCallback callbackFunc, void* userData, uint32_t outputLogType,
                               acllogCallbackHandle* callbackHandle) {
    if (enter(Function::acllogRegisterCallback) != 0) return refused;
    if (!callbackFunc) return refuse_log("callbackFunc is NULL");
    if (!callbackHandle) return refuse_log("callbackHandle is NULL");
    if (outputLogType >= log_types) return refuse_log("outputLogType does not exist");
    if (!userData && faulty(Fault::log_needs_user_data)) return refused;
    const acllogCallbackHandle handle = add_log_callback(callbackFunc, userData, outputLogType);
    if (handle == 0) {
        (void)refuse(ACL_ERROR_FAILURE, "%zu functions are registered already", most_log_callbacks);
        return refused;
    }
    *callbackHandle = handle;
    return 0;
}

int32_t acllogUnregisterCallback(acllogCallbackHandle callback) {
    if (enter(Function::acllogUnregisterCallback) != 0) return refused;
    if (remove_log_callback(callback)) return 0;
    (void)refuse(ACL_ERROR_INVALID_PARAM, "callback does not exist");
    return refused;
}

int32_t acllogCheckDebugLevel(int32_t, int32_t logLevel) {
    if (enter(Function::acllogCheckDebugLevel) != 0) return 0;
    return log_level_enabled(logLevel) ? 1 : 0;
}

void acllogRecord(int32_t moduleId, int32_t level, const char* fmt, ...) {
    if (enter(Function::acllogRecord) != 0 || !fmt) return;
    va_list list;
    va_start(list, fmt);
    record_log(moduleId, level, fmt, list);
    va_end(list);
}

void acllogVaList(int32_t moduleId, int32_t level, const char* fmt, va_list list) {
    if (enter(Function::acllogVaList) != 0 || !fmt) return;
    record_log(moduleId, level, fmt, list);
}

// The older names of two of them: no document lists them any more, programs still link them.

extern "C" {

ACL_FUNC_VISIBILITY int32_t AlogCheckDebugLevel(int32_t moduleId, int32_t logLevel) {
    if (faulty(Fault::log_older_names_broken)) return 2;
    return acllogCheckDebugLevel(moduleId, logLevel);
}

ACL_FUNC_VISIBILITY void AlogRecord(int32_t moduleId, int32_t level, const char* fmt, ...) {
    if (enter(Function::acllogRecord) != 0 || !fmt || faulty(Fault::log_older_names_broken)) return;
    va_list list;
    va_start(list, fmt);
    record_log(moduleId, level, fmt, list);
    va_end(list);
}

}  // extern "C"
