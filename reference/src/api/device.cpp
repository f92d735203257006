// Chapter 04: choosing, resetting and waiting for devices.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "capture/capture.hpp"
#include "base/faults/runtime.hpp"
#include "runtime/runtime.hpp"
#include "runtime/settings.hpp"
#include "runtime/state_callbacks.hpp"
#include "runtime/stream.hpp"
#include "runtime/thread_state.hpp"

using namespace aclref;

namespace {

/// Faulty builds only: the device any thread set last.
constinit std::atomic<int> device_set_last{-1};

/// Faulty builds only: the device this thread set last.
thread_local constinit int set_in_thread = -1;

/// Faulty builds only: the device this thread was told last.
thread_local constinit int told_last = -1;

/// Faulty builds only: how often this thread has set each device and not reset it.
thread_local constinit std::array<int, 64> set_here{};

/// Faulty builds only: nothing is queued anywhere in the context.
bool idle(const Context& context) {
    auto streams = Runtime::instance().streams().all();
    return std::all_of(streams.begin(), streams.end(), [&](const auto& stream) {
        return stream->context().get() != &context || stream->idle();
    });
}

aclError synchronise_current_context(std::chrono::milliseconds timeout) {
    aclError code = 0;
    auto context = require_context(code, current_function());
    if (!context) return code;
    if ((code = capture::check_device(context->device(), current_function()))) return code;
    if (faulty(Fault::sync_device_idle_refused) && idle(*context))
        return refuse(ACL_ERROR_RT_STREAM_ABORT, "nothing to wait for");
    if (!context->is_default() && faulty(Fault::sync_device_default_context_only)) return 0;
    if (context->device().id() != 0 && faulty(Fault::sync_device_first_only)) return 0;
    code = synchronize_context(*context, timeout);
    if (code == 0) return 0;
    return refuse(code, code == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT ? "the time is over and streams are still busy"
                                                                 : "a task of a stream failed");
}

aclError reset(int32_t id, bool force) {
    aclError code = 0;
    Device* device = require_device(id, code);
    if (!device) return code;
    Runtime& runtime = Runtime::instance();
    if (runtime.reset_releases(*device, force) && (code = capture::check_device(*device, current_function()))) return code;
    int* mine = static_cast<std::size_t>(id) < set_here.size() ? &set_here[static_cast<std::size_t>(id)] : nullptr;
    if (!force && mine && *mine == 0 && runtime.device_is_set(*device) && faulty(Fault::reset_device_by_its_thread_only))
        return refuse(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "device %d is not set by this thread", id);
    code = runtime.reset_device(*device, force);
    if (code == 0 && mine) *mine = force ? 0 : std::max(*mine - 1, 0);
    if (code == 0) device->last_reset = force ? 2 : 1;
    if (code == 0) return 0;
    // A failing forced reset leaves the thread's last error alone.
    return force ? refuse_quietly(code, "device %d is not set", id) : refuse(code, "device %d is not set", id);
}

}  // namespace

extern "C" {

aclError aclrtSetDevice(int32_t deviceId) {
    aclError code = enter(Function::aclrtSetDevice);
    if (code && !faulty(Fault::set_device_failure_leaves_context)) return code;
    Runtime& runtime = Runtime::instance();
    if (aclError mine = 0; !require_device(deviceId, mine)) {
        if (faulty(Fault::set_device_failure_leaves_context)) (void)runtime.set_device(*runtime.device(0));
        return mine;
    }
    if (!runtime.initialised()) return refuse(ACL_ERROR_UNINITIALIZE, "aclInit was not called");
    if (faulty(Fault::set_device_last_refused) && runtime.device_count() > 1 && deviceId + 1 == runtime.device_count())
        return refuse(ACL_ERROR_RT_INVALID_DEVICEID, "device %d does not exist", deviceId);
    if (faulty(Fault::set_device_again_refused))
        if (auto context = runtime.current_context(); context && context->device().id() == deviceId)
            return refuse(ACL_ERROR_RT_INVALID_DEVICEID, "device %d is set already", deviceId);
    if (faulty(Fault::set_device_second_thread_refused) && runtime.device_is_set(*runtime.device(deviceId)) &&
        !runtime.current_context())
        return refuse(ACL_ERROR_RT_INVALID_DEVICEID, "device %d belongs to another thread", deviceId);
    if (int chosen = runtime.default_device; chosen >= 0 && faulty(Fault::config_default_device_wins)) deviceId = chosen;
    report_device_state(deviceId, ACL_RT_DEVICE_STATE_SET_PRE);
    if (!runtime.set_device(*runtime.device(deviceId)))
        return refuse(ACL_ERROR_RT_NO_STREAM_RESOURCE, "the device has no stream left for a default context");
    runtime.device(deviceId)->last_reset = 0;
    stale_device = told_last = -1;
    if (static_cast<std::size_t>(deviceId) < set_here.size()) ++set_here[static_cast<std::size_t>(deviceId)];
    device_set_last.store(deviceId, std::memory_order_relaxed);
    set_in_thread = deviceId;
    report_device_state(deviceId, ACL_RT_DEVICE_STATE_SET_POST);
    return code;
}

aclError aclrtResetDevice(int32_t deviceId) {
    ACLREF_ENTER(aclrtResetDevice);
    return reset(deviceId, faulty(Fault::reset_device_ignores_count));
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
    ACLREF_ENTER(aclrtResetDeviceForce);
    return reset(deviceId, !faulty(Fault::reset_force_counts));
}

aclError aclrtGetDevice(int32_t* deviceId) {
    ACLREF_ENTER(aclrtGetDevice);
    ACLREF_REQUIRE(deviceId);
    auto context = Runtime::instance().current_context();
    int last = device_set_last.load(std::memory_order_relaxed);
    if (last >= 0 && (context ? faulty(Fault::get_device_process_wide) : faulty(Fault::get_device_without_context))) {
        *deviceId = last;
        return 0;
    }
    if (!context && faulty(Fault::get_device_zero_without_device)) return *deviceId = 0, 0;
    // Asking in a thread without a device is no error of the thread.
    if (!context) return refuse_quietly(ACL_ERROR_RT_CONTEXT_NULL, "the thread has no current device");
    *deviceId = context->device().id();
    if (stale_device >= 0) *deviceId = stale_device;
    if (*deviceId == 0 && told_last > 0 && faulty(Fault::get_device_stale_after_return)) *deviceId = std::exchange(told_last, -1);
    else told_last = *deviceId;
    if (faulty(Fault::get_device_of_last_set) && set_in_thread >= 0) *deviceId = set_in_thread;
    return 0;
}

aclError aclrtGetDeviceCount(uint32_t* count) {
    ACLREF_ENTER(aclrtGetDeviceCount);
    ACLREF_REQUIRE(count);
    if (faulty(Fault::device_count_needs_device) && !Runtime::instance().current_context())
        return refuse(ACL_ERROR_RT_CONTEXT_NULL, "no device is set");
    *count = static_cast<uint32_t>(Runtime::instance().device_count());
    return 0;
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
    ACLREF_ENTER(aclrtGetRunMode);
    ACLREF_REQUIRE(runMode);
    bool on_device = profile().shares_memory_with_host() != faulty(Fault::run_mode_inverted);
    *runMode = on_device ? ACL_DEVICE : ACL_HOST;
    return 0;
}

aclError aclrtSetTsDevice(aclrtTsId tsId) {
    ACLREF_ENTER(aclrtSetTsDevice);
    if (tsId == ACL_TS_ID_AIVECTOR && faulty(Fault::vector_scheduler_refused))
        return refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "there is no such scheduler");
    if (tsId != ACL_TS_ID_AICORE && tsId != ACL_TS_ID_AIVECTOR)
        return refuse(ACL_ERROR_INVALID_PARAM, "tsId %d does not exist", tsId);
    return 0;
}

aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo* utilizationInfo) {
    ACLREF_ENTER(aclrtGetDeviceUtilizationRate);
    ACLREF_REQUIRE(utilizationInfo);
    if (utilizationInfo->utilizationExtend) return refuse(ACL_ERROR_INVALID_PARAM, "utilizationExtend has to be NULL");
    *utilizationInfo = {-1, -1, -1, faulty(Fault::utilization_of_memory_known) ? 40 : -1, nullptr};
    Device* device = Runtime::instance().device(deviceId);
    if (!device) return 0;
    utilizationInfo->cubeUtilization = device->executor().utilization();
    if (profile().soc().vector_cores > 0 || faulty(Fault::utilization_of_absent_cores)) utilizationInfo->vectorUtilization = 0;
    utilizationInfo->aicpuUtilization = 0;
    return 0;
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus* deviceStatus) {
    ACLREF_ENTER(aclrtQueryDeviceStatus);
    ACLREF_REQUIRE(deviceStatus);
    aclError code = 0;
    if (!require_device(deviceId, code)) return code;
    *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
    if (faulty(Fault::device_status_abnormal)) *deviceStatus = ACL_RT_DEVICE_STATUS_ABNORMAL;
    return 0;
}

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode) {
    ACLREF_ENTER(aclrtSetDeviceSatMode);
    if (mode != ACL_RT_OVERFLOW_MODE_SATURATION && mode != ACL_RT_OVERFLOW_MODE_INFNAN)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "mode %d does not exist", mode);
    if (!supports_overflow_mode(mode))
        return refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the product does not have mode %d", mode);
    aclError code = 0;
    auto context = require_context(code, current_function());
    if (!context) return code;
    if (!faulty(Fault::overflow_mode_set_ignored)) context->device().overflow_mode = mode;
    return 0;
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode) {
    ACLREF_ENTER(aclrtGetDeviceSatMode);
    ACLREF_REQUIRE(mode);
    aclError code = 0;
    auto context = require_context(code, current_function());
    if (!context) return code;
    *mode = static_cast<aclrtFloatOverflowMode>(context->device().overflow_mode.load());
    return 0;
}

aclError aclrtSynchronizeDevice() {
    ACLREF_ENTER(aclrtSynchronizeDevice);
    return synchronise_current_context(std::chrono::milliseconds(-1));
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
    ACLREF_ENTER(aclrtSynchronizeDeviceWithTimeout);
    if (timeout < -1 || timeout == 0 || (timeout == -1 && faulty(Fault::sync_device_for_ever_refused)))
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "timeout %d ms is neither -1 nor positive", timeout);
    std::int64_t unit = faulty(Fault::sync_timeout_in_seconds) && timeout > 0 ? 1000 : 1;
    aclError code = synchronise_current_context(std::chrono::milliseconds(timeout * unit));
    bool over = code == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
    return over && faulty(Fault::sync_timeout_wrong_code) ? ACL_ERROR_RT_PARAM_INVALID : code;
}

aclError aclrtRegDeviceStateCallback(const char* regName, aclrtDeviceStateCallback callback, void* args) {
    ACLREF_ENTER(aclrtRegDeviceStateCallback);
    ACLREF_REQUIRE(regName);
    if (register_device_callback(regName, callback, args)) return 0;
    return refuse(ACL_ERROR_RT_PARAM_INVALID, "regName '%s' is registered already", regName);
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority) {
    ACLREF_ENTER(aclrtDeviceGetStreamPriorityRange);
    bool swapped = faulty(Fault::priority_range_swapped);
    if (leastPriority) *leastPriority = swapped ? 0 : 7;
    if (greatestPriority) *greatestPriority = swapped ? 7 : 0;
    return 0;
}

aclError aclrtDeviceGetBareTgid(int32_t* pid) {
    ACLREF_ENTER(aclrtDeviceGetBareTgid);
    ACLREF_REQUIRE(pid);
    *pid = static_cast<int32_t>(faulty(Fault::bare_tgid_of_parent) ? ::getppid() : ::getpid());
    return 0;
}

}  // extern "C"
