// Chapter 06: streams.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "capture/capture.hpp"
#include "capture/recorder.hpp"
#include "base/faults/copy.hpp"
#include "base/faults/runtime.hpp"
#include "runtime/reports.hpp"
#include "runtime/runtime.hpp"
#include "runtime/state_callbacks.hpp"
#include "runtime/stream.hpp"

using namespace aclref;

namespace {

constexpr std::uint32_t lowest_priority = 7;

/// What a caller may combine: device-only streams stand alone, and not every product has them.
aclError check_flags(std::uint32_t flags) {
    if ((flags & ACL_STREAM_DEVICE_USE_ONLY) == 0) return 0;
    if (flags != ACL_STREAM_DEVICE_USE_ONLY)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "flag 0x%x combines device-only use with others", flags);
    if (profile().product == Product::p310b || profile().product == Product::p910)
        return refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the product has no device-only streams");
    return 0;
}

aclError create(aclrtStream* out, std::uint32_t priority, std::uint32_t flags) {
    aclError code = 0;
    auto context = require_context(code, current_function());
    if (!context) return code;
    if ((code = check_flags(flags))) return code;
    auto stream = Stream::create(context, std::min(priority, lowest_priority), flags);
    if (!stream) return refuse(ACL_ERROR_RT_NO_STREAM_RESOURCE, "the device has no stream left");
    if (flags == 0 || !faulty(Fault::stream_state_configured_untold))
        report_stream_state(stream->handle, ACL_RT_STREAM_STATE_CREATE_POST);
    *out = stream->handle;
    return 0;
}

/// The stream to be destroyed, of the current context and not under capture.
std::shared_ptr<Stream> doomed(aclrtStream handle, aclError& code) {
    auto stream = faulty(Fault::destroy_stream_any_context) ? require_any_stream(handle, code, current_function())
                                                            : require_stream(handle, code, current_function());
    if (!stream) return nullptr;
    if (stream->is_default()) code = refuse(ACL_ERROR_RT_PARAM_INVALID, "a default stream goes with its context");
    else if (capture::bound_instance(*stream) && !faulty(Fault::destroy_bound_stream))
        code = refuse(ACL_ERROR_RT_STREAM_MODEL, "the stream is bound to a model");
    else code = capture::check_stream(*stream, current_function());
    return code == 0 ? stream : nullptr;
}

void destroy(Stream& stream) {
    bool forced = std::string_view(current_function()) == "aclrtDestroyStreamForce";
    if (!forced || !faulty(Fault::destroy_force_untold)) report_stream_state(stream.handle, ACL_RT_STREAM_STATE_DESTROY_PRE);
    capture::stream_destroyed(stream);
    forget_stream_reports(stream);
    auto kept = Runtime::instance().streams().remove(stream.handle);
    stream.close(ACL_ERROR_RT_STREAM_ABORT);
}

/// For faults: what NULL means in the default context of the device.
std::shared_ptr<Stream> default_of_device(const std::shared_ptr<Stream>& stream) {
    auto context = stream->device().default_context();
    return context && context->default_stream() ? context->default_stream() : stream;
}

aclError synchronise(aclrtStream handle, std::chrono::milliseconds timeout) {
    aclError code = 0;
    auto stream = require_any_stream(handle, code, current_function());
    if (!stream) return code;
    if (!handle && timeout.count() < 0 && faulty(Fault::sync_stream_of_null_in_first_context)) stream = default_of_device(stream);
    if (timeout.count() < 0 && stream->device().id() != 0 && faulty(Fault::sync_stream_second_device_early)) return 0;
    if ((code = capture::check_stream(*stream, current_function()))) return code;
    if (faulty(Fault::sync_timeout_of_default_stream_early) && !handle && timeout.count() >= 0) return 0;
    if (faulty(Fault::sync_stream_returns_early)) return 0;
    code = stream->synchronize(timeout);
    switch (code) {
        case 0: return 0;
        case ACL_ERROR_RT_STREAM_SYNC_TIMEOUT: return refuse(code, "the time is over and the stream is still busy");
        case ACL_ERROR_RT_STREAM_ABORT: return refuse(code, "the stream was aborted");
        case ACL_ERROR_RT_AICORE_TRAP_READ_OVERFLOW:
        case ACL_ERROR_RT_AICORE_TRAP_WRITE_OVERFLOW: return refuse(code, "EZ9999: an operator has left the memory of its tensors");
        default: return refuse(code, "a task of the stream failed");
    }
}

}  // namespace

extern "C" {

aclError aclrtCreateStream(aclrtStream* stream) {
    ACLREF_ENTER(aclrtCreateStream);
    ACLREF_REQUIRE(stream);
    return create(stream, faulty(Fault::stream_lowest_priority) ? lowest_priority : 0, 0);
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
    ACLREF_ENTER(aclrtCreateStreamWithConfig);
    ACLREF_REQUIRE(stream);
    return create(stream, priority, flag);
}

aclError aclrtDestroyStream(aclrtStream stream) {
    ACLREF_ENTER(aclrtDestroyStream);
    ACLREF_REQUIRE(stream);
    aclError code = 0;
    auto found = doomed(stream, code);
    if (!found) return code;
    bool drops = faulty(Fault::destroy_stream_drops_event_wait) && found->waits_for_event();
    if (!drops && !faulty(Fault::destroy_stream_drops_tasks)) (void)found->synchronize();
    destroy(*found);
    return 0;
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
    ACLREF_ENTER(aclrtDestroyStreamForce);
    ACLREF_REQUIRE(stream);
    aclError code = 0;
    auto found = doomed(stream, code);
    if (!found) return code;
    if (faulty(Fault::destroy_force_loses_slot)) found->device().streams.fetch_add(1);
    destroy(*found);
    return 0;
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
    ACLREF_ENTER(aclrtSynchronizeStream);
    return synchronise(stream, std::chrono::milliseconds(-1));
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
    ACLREF_ENTER(aclrtSynchronizeStreamWithTimeout);
    if (timeout < -1 || timeout == 0)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "timeout %d ms is neither -1 nor positive", timeout);
    if (timeout == -1 && faulty(Fault::capture_endless_sync_allowed)) {
        aclError code = 0;
        auto found = require_any_stream(stream, code, current_function());
        if (found && capture::capturing(*found)) return 0;
    }
    std::int64_t unit = faulty(Fault::sync_timeout_in_seconds) && timeout > 0 ? 1000 : 1;
    if (timeout > 2147483 && faulty(Fault::sync_timeout_long_is_short)) timeout = 1;
    return synchronise(stream, std::chrono::milliseconds(timeout * unit));
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
    ACLREF_ENTER(aclrtStreamQuery);
    ACLREF_REQUIRE(status);
    aclError code = 0;
    auto found = require_any_stream(stream, code, current_function());
    if (!found) return code;
    if ((code = capture::check_stream(*found, current_function()))) return code;
    if (!stream && faulty(Fault::stream_query_of_null_in_first_context)) found = default_of_device(found);
    bool idle = found->parks_tasks() || found->idle() || faulty(Fault::stream_query_always_complete);
    if (!stream && faulty(Fault::stream_query_of_default_complete)) idle = true;
    if (faulty(Fault::stream_query_never_complete)) idle = false;
    *status = idle ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    // Who polls wants it done; what was found is told all the same.
    if (!idle) hurry_all_executors();
    return 0;
}

aclError aclrtStreamAbort(aclrtStream stream) {
    ACLREF_ENTER(aclrtStreamAbort);
    aclError code = 0;
    auto found = require_stream(stream, code, current_function());
    if (!found) return code;
    if ((code = capture::check_stream(*found, current_function()))) return code;
    if (faulty(Fault::stream_abort_waits)) (void)found->synchronize();
    if (faulty(Fault::stream_abort_spreads))
        for (const auto& each : Runtime::instance().streams().all()) each->abort(ACL_ERROR_RT_STREAM_ABORT);
    found->abort(ACL_ERROR_RT_STREAM_ABORT);
    return 0;
}

aclError aclrtStreamStop(aclrtStream stream) {
    ACLREF_ENTER(aclrtStreamStop);
    if (!stream) return refuse(ACL_ERROR_RT_PARAM_INVALID, "the default stream cannot be stopped");
    aclError code = 0;
    auto found = require_stream(stream, code, current_function());
    if (!found) return code;
    if (found->is_default()) return refuse(ACL_ERROR_RT_PARAM_INVALID, "the default stream cannot be stopped");
    if ((code = capture::check_stream(*found, current_function()))) return code;
    found->abort(ACL_ERROR_RT_TASK_ABORT_STOP);
    return 0;
}

aclError aclrtPersistentTaskClean(aclrtStream stream) {
    ACLREF_ENTER(aclrtPersistentTaskClean);
    aclError code = 0;
    auto found = require_stream(stream, code, current_function());
    if (!found) return code;
    if ((found->flags() & ACL_STREAM_PERSISTENT) == 0)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "the stream is not persistent");
    if (!faulty(Fault::persistent_clean_ignored)) found->abort(ACL_ERROR_RT_STREAM_ABORT);
    return 0;
}

aclError aclrtGetStreamAvailableNum(uint32_t* streamCount) {
    ACLREF_ENTER(aclrtGetStreamAvailableNum);
    ACLREF_REQUIRE(streamCount);
    aclError code = 0;
    auto context = require_context(code, current_function());
    if (!context) return code;
    Device& device = faulty(Fault::streams_left_of_device_zero) ? *Runtime::instance().device(0) : context->device();
    *streamCount = Stream::available(device);
    return 0;
}

aclError aclrtRegStreamStateCallback(const char* regName, aclrtStreamStateCallback callback, void* args) {
    ACLREF_ENTER(aclrtRegStreamStateCallback);
    ACLREF_REQUIRE(regName);
    if (register_stream_callback(regName, callback, args)) return 0;
    return refuse(ACL_ERROR_RT_PARAM_INVALID, "regName '%s' is registered already", regName);
}

}  // extern "C"
