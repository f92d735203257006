// Chapter 13: error texts and codes of the thread, functions that hear of failing tasks, repair.
#include <algorithm>
#include <atomic>
#include <string>

#include "runtime/exceptions.hpp"
#include "base/faults/runtime.hpp"
#include "runtime/runtime.hpp"
#include "runtime/state_callbacks.hpp"
#include "runtime/stream.hpp"

using namespace aclref;

namespace {

constexpr std::uint32_t unknown = 0xFFFFFFFF;
constexpr std::size_t most_repair_entries = 20;
constexpr std::uint32_t longest_abort_ms = 36 * 60 * 1000;

/// Faulty builds only: how often a thread has cleared its code, and what this one knows of that.
constinit std::atomic<int> times_cleared{0};
thread_local constinit int cleared_seen = 0;

aclError check_level(aclrtLastErrLevel level) {
    return level == ACL_RT_THREAD_LEVEL ? 0 : refuse_quietly(ACL_ERROR_INVALID_PARAM, "level %d does not exist", level);
}

}  // namespace

extern "C" {

const char* aclGetRecentErrMsg() {
    if (enter(Function::aclGetRecentErrMsg) != 0) return nullptr;
    // The text returned last stays valid until the next call of the thread.
    static thread_local constinit char shown[4096] = "";
    std::string text = take_recent_error();
    if (text.empty()) return nullptr;
    if (faulty(Fault::recent_error_not_cleared)) (void)fail(last_error(), "%s", text.c_str());
    text.copy(shown, sizeof(shown) - 1);
    shown[std::min(text.size(), sizeof(shown) - 1)] = '\0';
    return shown;
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level) {
    ACLREF_ENTER(aclrtPeekAtLastError);
    if (aclError code = check_level(level)) return code;
    if (cleared_seen != times_cleared && faulty(Fault::last_error_cleared_everywhere)) clear_last_error();
    aclError code = last_error();
    if (faulty(Fault::peek_clears_last_error)) clear_last_error();
    return code;
}

aclError aclrtGetLastError(aclrtLastErrLevel level) {
    ACLREF_ENTER(aclrtGetLastError);
    if (aclError code = check_level(level)) return code;
    aclError code = last_error();
    cleared_seen = ++times_cleared;
    if (!faulty(Fault::last_error_not_cleared)) clear_last_error();
    return code;
}

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback) {
    ACLREF_ENTER(aclrtSetExceptionInfoCallback);
    set_exception_callback(callback);
    return 0;
}

aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback) {
    ACLREF_ENTER(aclrtExceptionInfoCallbackRegister);
    ACLREF_REQUIRE_AS(ACL_ERROR_RT_PARAM_INVALID, callback);
    register_exception_callback(callback);
    return 0;
}

aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback) {
    ACLREF_ENTER(aclrtExceptionInfoCallbackUnregister);
    ACLREF_REQUIRE_AS(ACL_ERROR_RT_PARAM_INVALID, callback);
    unregister_exception_callback(callback);
    return 0;
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo* info) {
    return info ? info->task + (faulty(Fault::exception_task_off_by_one) ? 1 : 0) : unknown;
}
uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo* info) {
    return info ? info->stream + (faulty(Fault::exception_stream_off_by_one) ? 1 : 0) : unknown;
}
uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo* info) {
    return info ? info->thread + (faulty(Fault::exception_thread_off_by_one) ? 1 : 0) : unknown;
}
uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo* info) { return info ? info->device : unknown; }
uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo* info) {
    return !info ? unknown : faulty(Fault::exception_code_lost) ? 0 : info->code;
}

aclError aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray, size_t arraySize, size_t* retSize) {
    ACLREF_ENTER(aclrtGetMemUceInfo);
    ACLREF_REQUIRE(memUceInfoArray);
    ACLREF_REQUIRE(retSize);
    if (arraySize == 0) return refuse(ACL_ERROR_INVALID_PARAM, "arraySize is 0");
    aclError code = 0;
    if (!require_device(deviceId, code)) return code;
    *retSize = faulty(Fault::faulty_memory_made_up) ? 1 : 0;
    return 0;
}

aclError aclrtMemUceRepair(int32_t deviceId, aclrtMemUceInfo* memUceInfoArray, size_t arraySize) {
    ACLREF_ENTER(aclrtMemUceRepair);
    ACLREF_REQUIRE(memUceInfoArray);
    if (arraySize == 0 || arraySize > most_repair_entries)
        return refuse(ACL_ERROR_INVALID_PARAM, "arraySize %zu is not between 1 and %zu", arraySize, most_repair_entries);
    aclError code = 0;
    return require_device(deviceId, code) ? 0 : code;
}

aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo* errorInfo) {
    ACLREF_ENTER(aclrtGetErrorVerbose);
    ACLREF_REQUIRE(errorInfo);
    aclError code = 0;
    if (!require_device(deviceId, code)) return code;
    *errorInfo = {};
    errorInfo->errorType = faulty(Fault::device_error_made_up) ? ACL_RT_ERROR_OTHERS : ACL_RT_NO_ERROR;
    return 0;
}

aclError aclrtRepairError(int32_t deviceId, const aclrtErrorInfo* errorInfo) {
    ACLREF_ENTER(aclrtRepairError);
    ACLREF_REQUIRE(errorInfo);
    aclError code = 0;
    if (!require_device(deviceId, code)) return code;
    if (errorInfo->tryRepair == 0) return refuse(ACL_ERROR_RT_PARAM_INVALID, "errorInfo does not ask for a repair");
    return 0;
}

aclError aclrtSetDeviceTaskAbortCallback(const char* regName, aclrtDeviceTaskAbortCallback callback, void* args) {
    ACLREF_ENTER(aclrtSetDeviceTaskAbortCallback);
    ACLREF_REQUIRE(regName);
    if (register_abort_callback(regName, callback, args)) return 0;
    return refuse(ACL_ERROR_RT_PARAM_INVALID, "regName '%s' is registered already", regName);
}

aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout) {
    ACLREF_ENTER(aclrtDeviceTaskAbort);
    aclError code = 0;
    Device* device = require_device(deviceId, code);
    if (!device) return code;
    if (timeout > longest_abort_ms)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "timeout %u ms is above %u ms", timeout, longest_abort_ms);
    if (std::int32_t answer = report_task_abort(deviceId, ACL_RT_DEVICE_TASK_ABORT_PRE, timeout))
        return refuse(ACL_ERROR_RT_INTERNAL_ERROR, "a registered function answered %d", answer);
    for (const auto& stream : Runtime::instance().streams().all())
        if ((&stream->device() == device || faulty(Fault::task_abort_every_device)) &&
            (stream->is_default() || !faulty(Fault::task_abort_default_streams_only)))
            stream->abort(ACL_ERROR_RT_DEVICE_TASK_ABORT);
    if (std::int32_t answer = report_task_abort(deviceId, ACL_RT_DEVICE_TASK_ABORT_POST, timeout))
        return refuse(ACL_ERROR_RT_INTERNAL_ERROR, "a registered function answered %d", answer);
    return 0;
}

}  // extern "C"
