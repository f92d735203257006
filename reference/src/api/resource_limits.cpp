// Chapter 03, core limits: a limit of the stream in use beats the device's, which beats the hardware.
#include <atomic>

#include "base/faults/runtime.hpp"
#include "runtime/limits.hpp"
#include "runtime/runtime.hpp"
#include "runtime/stream.hpp"
#include "runtime/thread_state.hpp"

using namespace aclref;

namespace {

/// Faulty builds only: the stream whose limit any thread used last.
constinit std::atomic<void*> used_last{nullptr};

aclError check_type(aclrtDevResLimitType type) {
    if (type == ACL_RT_DEV_RES_CUBE_CORE || type == ACL_RT_DEV_RES_VECTOR_CORE) return 0;
    return refuse(ACL_ERROR_RT_PARAM_INVALID, "type %d does not exist", type);
}

aclError check_value(aclrtDevResLimitType type, std::uint32_t value) {
    const bool full = value == core_count(type) && faulty(Fault::core_limit_all_refused);
    if (value > 0 && value <= core_count(type) && !full) return 0;
    return refuse(ACL_ERROR_RT_PARAM_INVALID, "value %u is not between 1 and the %u cores there are", value, core_count(type));
}

std::uint32_t device_limit(const Device& device, aclrtDevResLimitType type) {
    std::uint32_t set = device.resource_limits[type];
    return set || faulty(Fault::core_limit_default_zero) ? set : core_count(type);
}

std::uint32_t stream_limit(const Stream& stream, aclrtDevResLimitType type) {
    std::uint32_t set = faulty(Fault::stream_core_limit_ignored) ? 0 : stream.resource_limits[type].load();
    return set ? set : device_limit(stream.device(), type);
}

}  // namespace

extern "C" {

aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value) {
    ACLREF_ENTER(aclrtSetDeviceResLimit);
    aclError code = 0;
    Device* device = require_device(deviceId, code);
    if (!device) return code;
    if ((code = check_type(type))) return code;
    if (!device->default_context()) return refuse(ACL_ERROR_RT_DEV_SETUP_ERROR, "device %d is not set", deviceId);
    if ((code = check_value(type, value))) return code;
    if (faulty(Fault::core_limit_first_wins) && device->resource_limits[type] != 0) return 0;
    device->resource_limits[type] = value;
    return 0;
}

aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t* value) {
    ACLREF_ENTER(aclrtGetDeviceResLimit);
    ACLREF_REQUIRE(value);
    aclError code = 0;
    Device* device = require_device(deviceId, code);
    if (!device) return code;
    if ((code = check_type(type))) return code;
    *value = device_limit(*device, type);
    return 0;
}

aclError aclrtResetDeviceResLimit(int32_t deviceId) {
    ACLREF_ENTER(aclrtResetDeviceResLimit);
    aclError code = 0;
    Device* device = require_device(deviceId, code);
    if (!device) return code;
    if (faulty(Fault::core_limit_reset_ignored)) return 0;
    for (auto& limit : device->resource_limits) limit = 0;
    return 0;
}

aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value) {
    ACLREF_ENTER(aclrtSetStreamResLimit);
    aclError code = check_type(type);
    if (code) return code;
    auto found = require_any_stream(stream, code, current_function());
    if (!found) return code;
    if ((code = check_value(type, value))) return code;
    found->resource_limits[type] = value;
    return 0;
}

aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t* value) {
    ACLREF_ENTER(aclrtGetStreamResLimit);
    ACLREF_REQUIRE(value);
    aclError code = check_type(type);
    if (code) return code;
    auto found = require_any_stream(stream, code, current_function());
    if (!found) return code;
    *value = stream_limit(*found, type);
    return 0;
}

aclError aclrtResetStreamResLimit(aclrtStream stream) {
    ACLREF_ENTER(aclrtResetStreamResLimit);
    aclError code = 0;
    auto found = require_any_stream(stream, code, current_function());
    if (!found) return code;
    if (faulty(Fault::core_limit_reset_ignored)) return 0;
    for (auto& limit : found->resource_limits) limit = 0;
    return 0;
}

aclError aclrtUseStreamResInCurrentThread(aclrtStream stream) {
    ACLREF_ENTER(aclrtUseStreamResInCurrentThread);
    aclError code = 0;
    auto found = require_any_stream(stream, code, current_function());
    if (!found) return code;
    if (thread_state().resource_stream != nullptr && faulty(Fault::core_limit_first_stream_used)) return 0;
    thread_state().resource_stream = found->handle;
    used_last.store(found->handle, std::memory_order_relaxed);
    return 0;
}

aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream) {
    ACLREF_ENTER(aclrtUnuseStreamResInCurrentThread);
    aclError code = 0;
    auto found = require_any_stream(stream, code, current_function());
    if (!found) return code;
    if (thread_state().resource_stream == found->handle && !faulty(Fault::core_limit_use_sticks)) thread_state().resource_stream = nullptr;
    return 0;
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value) {
    ACLREF_ENTER(aclrtGetResInCurrentThread);
    ACLREF_REQUIRE(value);
    aclError code = check_type(type);
    if (code) return code;
    auto context = require_context(code, current_function());
    if (!context) return code;
    void* chosen = faulty(Fault::core_limit_used_by_all) ? used_last.load() : thread_state().resource_stream;
    auto used = Runtime::instance().streams().find(chosen);
    *value = used ? stream_limit(*used, type) : device_limit(context->device(), type);
    return 0;
}

}  // extern "C"
