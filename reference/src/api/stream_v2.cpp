// Chapter 24: the way IPV350 creates streams.
#include <cstdint>
#include <cstring>
#include <mutex>
#include <set>

#include "base/faults/runtime.hpp"
#include "base/live_objects.hpp"
#include "runtime/runtime.hpp"
#include "runtime/state_callbacks.hpp"
#include "runtime/stream.hpp"

using namespace aclref;

namespace {

constexpr std::uint32_t lowest_priority = 7;

struct Handles {
    std::mutex mutex;
    std::set<const aclrtStreamConfigHandle*> alive;
};

Handles& handles() {
    static auto* instance = new Handles;
    return *instance;
}

const LiveCounter counter("stream_configs", [] {
    std::lock_guard lock(handles().mutex);
    return static_cast<std::uint64_t>(handles().alive.size());
});

bool is_alive(const aclrtStreamConfigHandle* handle) {
    std::lock_guard lock(handles().mutex);
    return handles().alive.count(handle) > 0;
}

/// Copies the caller's value when its size is the one of the field.
template <class Field>
bool read(Field& field, const void* value, std::size_t size) {
    if (size != sizeof(Field)) return false;
    std::memcpy(&field, value, sizeof(Field));
    return true;
}

bool set_option(aclrtStreamConfigHandle& handle, aclrtStreamConfigAttr attr, const void* value, std::size_t size) {
    switch (attr) {
        case ACL_RT_STREAM_WORK_ADDR_PTR: return read(handle.workptr, value, size);
        case ACL_RT_STREAM_WORK_SIZE: return read(handle.workSize, value, size);
        case ACL_RT_STREAM_FLAG: return read(handle.flag, value, size);
        case ACL_RT_STREAM_PRIORITY: {
            std::uint32_t priority = 0;
            if (!read(priority, value, size) || (priority > lowest_priority && !faulty(Fault::stream_config_priority_unchecked)))
                return false;
            handle.priority = priority;
            return true;
        }
        default: return false;
    }
}

}  // namespace

extern "C" {

aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle() {
    if (enter(Function::aclrtCreateStreamConfigHandle) != 0) return nullptr;
    auto* made = new aclrtStreamConfigHandle{};
    std::lock_guard lock(handles().mutex);
    handles().alive.insert(made);
    return made;
}

aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle) {
    ACLREF_ENTER(aclrtDestroyStreamConfigHandle);
    ACLREF_REQUIRE(handle);
    if (faulty(Fault::stream_goes_with_config))
        for (const auto& stream : Runtime::instance().streams().all()) stream->close(ACL_ERROR_RT_STREAM_ABORT);
    std::lock_guard lock(handles().mutex);
    if (handles().alive.erase(handle) == 0) return refuse(ACL_ERROR_INVALID_PARAM, "handle does not exist");
    delete handle;
    return 0;
}

aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle* handle, aclrtStreamConfigAttr attr, const void* attrValue,
                                 size_t valueSize) {
    ACLREF_ENTER(aclrtSetStreamConfigOpt);
    ACLREF_REQUIRE(handle);
    ACLREF_REQUIRE(attrValue);
    if (!is_alive(handle)) return refuse(ACL_ERROR_INVALID_PARAM, "handle does not exist");
    if (set_option(*handle, attr, attrValue, valueSize)) return 0;
    return refuse(ACL_ERROR_INVALID_PARAM, "attribute %d does not take this value of %zu bytes", attr, valueSize);
}

aclError aclrtCreateStreamV2(aclrtStream* stream, const aclrtStreamConfigHandle* handle) {
    ACLREF_ENTER(aclrtCreateStreamV2);
    ACLREF_REQUIRE(stream);
    ACLREF_REQUIRE(handle);
    if (!is_alive(handle)) return refuse(ACL_ERROR_INVALID_PARAM, "handle does not exist");
    aclError code = 0;
    auto context = require_context(code, current_function());
    if (!context) return code;
    auto made = Stream::create(context, handle->priority, 0);
    if (!made) return refuse(ACL_ERROR_RT_NO_STREAM_RESOURCE, "the device has no stream left");
    report_stream_state(made->handle, ACL_RT_STREAM_STATE_CREATE_POST);
    *stream = made->handle;
    return 0;
}

}  // extern "C"
