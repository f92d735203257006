// Graph capture: begin, end, modes, task groups and conditional tasks.
#include "base/faults/copy.hpp"
#include "capture/recorder.hpp"

using namespace aclref;

namespace {

bool mode_exists(aclmdlRICaptureMode mode) { return static_cast<unsigned>(mode) <= ACL_MODEL_RI_CAPTURE_MODE_RELAXED; }

/// The stream behind a handle that must not be null: capture knows no default stream.
std::shared_ptr<Stream> named_stream(aclrtStream handle, aclError& code, const char* api) {
    if (handle == nullptr) {
        code = fail(ACL_ERROR_INVALID_PARAM, "%s: stream is null", api);
        return nullptr;
    }
    return require_stream(handle, code, api);
}

}  // namespace

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode) {
    ACLREF_ENTER(aclmdlRICaptureBegin);
    if (stream == nullptr && faulty(Fault::capture_null_stream_accepted)) return 0;
    aclError code = 0;
    std::shared_ptr<Stream> captured = named_stream(stream, code, __func__);
    if (code != 0) return code;
    if (!mode_exists(mode) && !faulty(Fault::capture_any_mode))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: there is no mode %d", __func__, mode);
    constexpr std::uint32_t unfit = ACL_STREAM_DEVICE_USE_ONLY | ACL_STREAM_CPU_SCHEDULE;
    if ((captured->flags() & unfit) != 0 && !faulty(Fault::capture_any_stream))
        return fail(ACL_ERROR_RT_INTERNAL_ERROR, "%s: a stream of this kind cannot be captured", __func__);
    return capture::begin(captured, mode, nullptr, __func__);
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI) {
    ACLREF_ENTER(aclmdlRICaptureEnd);
    if (modelRI == nullptr) {
        if (stream == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: stream is null", __func__);
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: modelRI is null", __func__);
    }
    if (stream == nullptr && faulty(Fault::capture_null_stream_accepted)) return 0;
    aclError code = 0;
    std::shared_ptr<Stream> captured = named_stream(stream, code, __func__);
    if (code != 0) return code;
    *modelRI = nullptr;
    std::shared_ptr<capture::Instance> instance;
    const capture::Info before = capture::info(*captured);
    code = capture::end(captured, instance, __func__);
    if (code == 0 && instance) *modelRI = instance->handle;
    if (code == ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED && faulty(Fault::capture_invalid_end_gives_instance))
        *modelRI = before.instance;
    return code;
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status, aclmdlRI* modelRI) {
    ACLREF_ENTER(aclmdlRICaptureGetInfo);
    if (status == nullptr && modelRI == nullptr)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: status and modelRI are both null", __func__);
    aclError code = 0;
    std::shared_ptr<Stream> asked = named_stream(stream, code, __func__);
    if (code != 0) return code;
    capture::Info info = capture::info(*asked);
    if (status != nullptr) *status = info.status;
    if (status == nullptr && faulty(Fault::capture_info_instance_alone_unwritten)) return 0;
    if (modelRI != nullptr) *modelRI = info.instance;
    return 0;
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode) {
    ACLREF_ENTER(aclmdlRICaptureThreadExchangeMode);
    if (mode == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: mode is null", __func__);
    if (!mode_exists(*mode) && !faulty(Fault::capture_any_mode))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: there is no mode %d", __func__, *mode);
    aclError code = 0;
    if (!require_context(code, __func__)) return code;
    *mode = capture::exchange_mode(*mode);
    return 0;
}

aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream) {
    ACLREF_ENTER(aclmdlRICaptureTaskGrpBegin);
    aclError code = 0;
    std::shared_ptr<Stream> captured = named_stream(stream, code, __func__);
    return code != 0 ? code : capture::begin_group(*captured, __func__);
}

aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp* handle) {
    ACLREF_ENTER(aclmdlRICaptureTaskGrpEnd);
    if (handle == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: handle is null", __func__);
    aclError code = 0;
    std::shared_ptr<Stream> captured = named_stream(stream, code, __func__);
    return code != 0 ? code : capture::end_group(*captured, *handle, __func__);
}

aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle) {
    ACLREF_ENTER(aclmdlRICaptureTaskUpdateBegin);
    if (handle == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: handle is null", __func__);
    aclError code = 0;
    std::shared_ptr<Stream> updating = named_stream(stream, code, __func__);
    return code != 0 ? code : capture::begin_update(updating, handle, __func__);
}

aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream) {
    ACLREF_ENTER(aclmdlRICaptureTaskUpdateEnd);
    aclError code = 0;
    std::shared_ptr<Stream> updating = named_stream(stream, code, __func__);
    return code != 0 ? code : capture::end_update(updating, __func__);
}

aclError aclmdlRICondHandleCreate(aclmdlRI modelRI, uint32_t defaultLaunchValue, aclmdlRICondHandleFlag flag,
                                  aclmdlRICondHandle* handle) {
    ACLREF_ENTER(aclmdlRICondHandleCreate);
    if (modelRI == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: modelRI is null", __func__);
    if (handle == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: handle is null", __func__);
    if (static_cast<unsigned>(flag) > ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: there is no flag %d", __func__, flag);
    std::shared_ptr<capture::Instance> instance = capture::instances().find(modelRI);
    if (!instance) return fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: modelRI is not alive", __func__);
    return capture::create_condition(instance, defaultLaunchValue, flag == ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, *handle,
                                     __func__);
}

aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle, uint64_t** ptr) {
    ACLREF_ENTER(aclmdlRICondHandleGetCondPtr);
    if (handle == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: handle is null", __func__);
    if (ptr == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: ptr is null", __func__);
    std::shared_ptr<capture::Condition> condition = capture::find_condition(handle);
    if (!condition) return fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: handle is not alive", __func__);
    *ptr = condition->value;
    return 0;
}

aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams params, aclrtStream stream, uint32_t flags) {
    ACLREF_ENTER(aclmdlRIAddCondTask);
    if (stream == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: stream is null", __func__);
    if (flags != 0 && !faulty(Fault::capture_condition_flags_ignored))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: flags is reserved and has to be 0", __func__);
    if (static_cast<unsigned>(params.type) > ACL_MODEL_RI_COND_TYPE_SWITCH)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: there is no condition type %d", __func__, params.type);
    aclError code = 0;
    std::shared_ptr<Stream> captured = require_stream(stream, code, __func__);
    if (code != 0) return code;
    if (!capture::capturing(*captured))
        return fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, "%s: the stream is not being captured", __func__);
    std::uint32_t most = params.type == ACL_MODEL_RI_COND_TYPE_IF      ? 2
                         : params.type == ACL_MODEL_RI_COND_TYPE_WHILE ? 1
                                                                       : UINT32_MAX;
    if (params.size == 0 || params.size > most || params.modelRIArray == nullptr)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: a condition of type %d cannot have %u bodies", __func__, params.type,
                    params.size);
    return capture::add_condition(captured, params, __func__);
}

aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI, aclmdlRICaptureMode mode) {
    ACLREF_ENTER(aclmdlRICaptureToModelRIBegin);
    if (stream == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: stream is null", __func__);
    if (modelRI == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: modelRI is null", __func__);
    if (!mode_exists(mode)) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: there is no mode %d", __func__, mode);
    std::shared_ptr<capture::Instance> body = capture::instances().find(modelRI);
    if (!body) return fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: modelRI is not alive", __func__);
    if (body->origin != capture::Origin::body)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: modelRI is no body of a conditional task", __func__);
    aclError code = 0;
    std::shared_ptr<Stream> captured = require_stream(stream, code, __func__);
    return code != 0 ? code : capture::begin(captured, mode, body, __func__);
}
