// Chapters 12 and 24: calls that leave a mark for tools, or change tasks of a model instance.
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "base/faults/runtime.hpp"
#include "base/faults/services.hpp"
#include "runtime/runtime.hpp"
#include "runtime/stream.hpp"
#include "services/log_output.hpp"

using namespace aclref;

namespace {

/// The module that lines of a program itself carry.
constexpr int app_module = 33;
constexpr std::size_t longest_op_info = 65536;
/// What is longer is cut.
constexpr std::size_t kept_extend_info = 4096;
constexpr std::int32_t longest_trace = 18;

}  // namespace

extern "C" {

void aclAppLog(aclLogLevel logLevel, const char* func, const char* file, uint32_t line, const char* fmt, ...) {
    if (enter(Function::aclAppLog) != 0) return;
    if ((!func || !file) && faulty(Fault::app_log_null_crashes)) std::abort();
    if (!fmt) return;
    if (!log_level_enabled(logLevel) && faulty(Fault::app_log_debug_crashes)) std::abort();
    std::string text(faulty(Fault::app_log_whole_text) ? 4 * longest_log_text : longest_log_text, '\0');
    va_list arguments;
    va_start(arguments, fmt);
    std::vsnprintf(text.data(), text.size() + 1, fmt, arguments);
    va_end(arguments);
    const std::string place = std::string(file ? file : "") + ":" + std::to_string(line) + " " + (func ? func : "");
    record_text(app_module, logLevel, (place + ": " + text.c_str()).c_str());
}

aclError aclrtProfTrace(void* userdata, int32_t length, aclrtStream stream) {
    ACLREF_ENTER(aclrtProfTrace);
    ACLREF_REQUIRE(userdata);
    if (length <= 0 || length > longest_trace)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "length %d is not between 1 and %d", length, longest_trace);
    aclError code = 0;
    auto found = require_stream(stream, code, current_function());
    if (!found) return code;
    Task task;
    task.kind = "profiling trace";
    task.run = [] { return Progress::Done(); };
    return found->submit(std::move(task));
}

aclError aclrtCacheLastTaskOpInfo(const void* const infoPtr, const size_t infoSize) {
    ACLREF_ENTER(aclrtCacheLastTaskOpInfo);
    ACLREF_REQUIRE(infoPtr);
    if (infoSize == 0) return refuse(ACL_ERROR_INVALID_PARAM, "infoSize is 0");
    if (infoSize > longest_op_info - (faulty(Fault::op_info_largest_refused) ? 1 : 0))
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "infoSize %zu is above %zu", infoSize, longest_op_info);
    aclError code = 0;
    return require_context(code, current_function()) ? 0 : code;
}

aclError aclrtCacheLastTaskExtendInfo(const char* const extendInfoPtr, const size_t infoSize) {
    ACLREF_ENTER(aclrtCacheLastTaskExtendInfo);
    ACLREF_REQUIRE_AS(ACL_ERROR_RT_PARAM_INVALID, extendInfoPtr);
    if (infoSize == 0) return refuse(ACL_ERROR_RT_PARAM_INVALID, "infoSize is 0");
    if (infoSize > kept_extend_info && faulty(Fault::extend_info_long_refused))
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "infoSize %zu is above %zu", infoSize, kept_extend_info);
    aclError code = 0;
    return require_context(code, current_function()) ? 0 : code;
}

aclError aclrtTaskUpdateAsync(aclrtStream taskStream, uint32_t taskId, aclrtTaskUpdateInfo* info, aclrtStream execStream) {
    ACLREF_ENTER(aclrtTaskUpdateAsync);
    ACLREF_REQUIRE(info);
    if (info->id != ACL_RT_UPDATE_RANDOM_TASK && info->id != ACL_RT_UPDATE_AIC_AIV_TASK)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "info.id %d does not exist", info->id);
    aclError code = 0;
    if (!require_stream(taskStream, code, current_function()) || !require_stream(execStream, code, current_function()))
        return code;
    // An update carries the content of a compiled task, and instances of the reference device hold none.
    return refuse(ACL_ERROR_RT_PARAM_INVALID, "task %u of taskStream is no kernel of a model instance", taskId);
}

}  // extern "C"
