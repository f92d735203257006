// Chapter 05: contexts.
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "capture/capture.hpp"
#include "base/faults/runtime.hpp"
#include "runtime/runtime.hpp"
#include "runtime/stream.hpp"
#include "runtime/thread_state.hpp"

using namespace aclref;

namespace {

/// Faulty builds only: the contexts that this thread has made.
thread_local std::set<aclrtContext> made_here;

/// Faulty builds only: the default stream that this thread was told last.
thread_local constinit aclrtStream stale_stream = nullptr;

/// Faulty builds only: the options of the context that was destroyed last.
std::mutex left_behind_mutex;
std::map<int, std::int64_t> left_behind;

}  // namespace

extern "C" {

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
    ACLREF_ENTER(aclrtCreateContext);
    ACLREF_REQUIRE(context);
    aclError code = 0;
    Device* device = require_device(deviceId, code);
    if (!device) return code;
    Runtime& runtime = Runtime::instance();
    if (!runtime.initialised()) return refuse(ACL_ERROR_UNINITIALIZE, "aclInit was not called");
    if (auto current = runtime.current_context(); current && faulty(Fault::create_context_on_current_device))
        device = &current->device();
    auto made = runtime.create_context(*device);
    if (!made) return refuse(ACL_ERROR_RT_NO_STREAM_RESOURCE, "the device has no stream left for a default one");
    if (!faulty(Fault::stream_state_context_untold)) runtime.announce_context(*made);
    auto before = runtime.current_context();
    stale_device = faulty(Fault::get_device_stale_after_create) && before ? before->device().id() : -1;
    stale_stream = nullptr;
    if (!faulty(Fault::create_context_not_current)) runtime.set_current_context(made);
    if (faulty(Fault::context_option_left_behind)) {
        std::lock_guard lock(left_behind_mutex);
        made->options = std::exchange(left_behind, {});
    }
    *context = made->handle;
    if (faulty(Fault::context_is_bound_to_its_thread)) made_here.insert(made->handle);
    return 0;
}

aclError aclrtDestroyContext(aclrtContext context) {
    ACLREF_ENTER(aclrtDestroyContext);
    ACLREF_REQUIRE(context);
    Runtime& runtime = Runtime::instance();
    auto found = runtime.contexts().find(context);
    if (!found) return refuse(ACL_ERROR_RT_CONTEXT_NULL, "the context does not exist");
    if (found->is_default() && !faulty(Fault::destroy_default_context_accepted))
        return refuse(ACL_ERROR_RT_CONTEXT_NULL, "a default context goes with its device");
    for (const auto& stream : runtime.streams().all())
        if (stream->context() == found)
            if (aclError code = capture::check_stream(*stream, current_function())) return code;
    if (faulty(Fault::context_option_left_behind)) {
        std::scoped_lock lock(left_behind_mutex, found->options_mutex);
        left_behind = found->options;
    }
    stale_stream = nullptr;
    runtime.destroy_context(*found, ACL_ERROR_RT_STREAM_ABORT);
    return 0;
}

aclError aclrtSetCurrentContext(aclrtContext context) {
    ACLREF_ENTER(aclrtSetCurrentContext);
    ACLREF_REQUIRE(context);
    Runtime& runtime = Runtime::instance();
    auto found = runtime.contexts().find(context);
    if (!found && faulty(Fault::destroyed_context_accepted)) return 0;
    if (!found) return refuse(ACL_ERROR_RT_PARAM_INVALID, "the context does not exist");
    if (faulty(Fault::context_is_bound_to_its_thread) && !found->is_default() && !made_here.contains(context))
        return refuse(ACL_ERROR_RT_CONTEXT_NULL, "the context belongs to another thread");
    if (faulty(Fault::context_switch_ignored) && runtime.current_context()) return 0;
    stale_device = -1;
    runtime.set_current_context(found);
    return 0;
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
    ACLREF_ENTER(aclrtGetCurrentContext);
    ACLREF_REQUIRE(context);
    auto found = Runtime::instance().current_context();
    if (!found && faulty(Fault::no_context_reads_null)) {
        *context = nullptr;
        return 0;
    }
    // Asking in a thread without one is no error of the thread.
    if (!found) return refuse_quietly(ACL_ERROR_RT_CONTEXT_NULL, "the thread has no current context");
    if (found->is_default() && faulty(Fault::default_context_has_no_handle))
        return refuse_quietly(ACL_ERROR_RT_CONTEXT_NULL, "the thread has no current context");
    static std::atomic<bool> odd{false};
    *context = found->handle;
    if (faulty(Fault::get_current_context_fresh_handle) && odd.exchange(!odd)) *context = static_cast<char*>(*context) + 1;
    return 0;
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream) {
    ACLREF_ENTER(aclrtCtxGetCurrentDefaultStream);
    ACLREF_REQUIRE(stream);
    aclError code = 0;
    auto found = require_any_stream(nullptr, code, current_function());
    if (!found) return code;
    if (faulty(Fault::default_stream_of_device))
        if (auto first = found->context()->device().default_context()) found = first->default_stream();
    *stream = found->handle;
    if (faulty(Fault::default_stream_stale_after_switch)) *stream = stale_stream ? stale_stream : stale_stream = found->handle;
    return 0;
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags, int32_t* active) {
    ACLREF_ENTER(aclrtGetPrimaryCtxState);
    ACLREF_REQUIRE(active);
    if (flags) return refuse(ACL_ERROR_INVALID_PARAM, "flags is reserved and has to be NULL");
    aclError code = 0;
    Device* device = require_device(deviceId, code);
    if (!device) return code;
    if (faulty(Fault::primary_context_of_device_zero)) device = Runtime::instance().device(0);
    *active = device->default_context() || faulty(Fault::primary_context_always_active) ? 1 : 0;
    if (device->last_reset == 1 && faulty(Fault::primary_context_gone_at_first_reset)) *active = 0;
    if (device->last_reset == 2 && faulty(Fault::primary_context_outlives_force)) *active = 1;
    return 0;
}

aclError aclrtCtxGetFloatOverflowAddr(void** overflowAddr) {
    ACLREF_ENTER(aclrtCtxGetFloatOverflowAddr);
    ACLREF_REQUIRE_AS(ACL_ERROR_RT_PARAM_INVALID, overflowAddr);
    aclError code = 0;
    auto context = require_context(code, current_function());
    if (!context) return code;
    void* address = context->overflow_address();
    if (!address) return refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "no address for the overflow flag");
    *overflowAddr = address;
    return 0;
}

}  // extern "C"
