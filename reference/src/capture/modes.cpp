// What running captures forbid to whom: modes of captures, modes of threads.
#include <algorithm>
#include <string_view>

#include "base/faults/copy.hpp"
#include "capture/recorder.hpp"
#include "capture/state.hpp"

namespace aclref::capture {

namespace {

std::atomic<std::uint64_t> mode_epoch{1};  ///< a reset of the library gives every thread its first mode back

struct ThreadMode {
    aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
    std::uint64_t epoch = 0;
};

ThreadMode shared_mode;  ///< of a broken library that keeps one mode for all threads

ThreadMode& thread_mode() {
    static thread_local constinit ThreadMode own;
    ThreadMode& mode = faulty(Fault::capture_mode_of_process) ? shared_mode : own;
    std::uint64_t epoch = mode_epoch.load(std::memory_order_relaxed);
    if (mode.epoch != epoch) mode = {ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, epoch};
    return mode;
}

/// Whether the calling thread has begun a capture.
bool captures_here() {
    std::scoped_lock lock(mutex());
    return std::any_of(state().captures.begin(), state().captures.end(),
                       [](const auto& capture) { return capture->thread == std::this_thread::get_id(); });
}

/// Whether a capture forbids the calling thread a call that reaches beyond its stream.
bool forbidden(const Context& context) {
    aclmdlRICaptureMode own = thread_mode().mode;
    if (own == ACL_MODEL_RI_CAPTURE_MODE_RELAXED && !faulty(Fault::capture_relaxed_thread_refused)) return false;
    std::scoped_lock lock(mutex());
    for (const auto& capture : state().captures) {
        aclmdlRICaptureMode mode = capture->mode;
        if (mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED && faulty(Fault::capture_relaxed_is_global))
            mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
        if (mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED) continue;
        if (capture->thread == std::this_thread::get_id()) return true;
        if (own != ACL_MODEL_RI_CAPTURE_MODE_GLOBAL || capture->context.get() != &context) continue;
        if (mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL && !faulty(Fault::capture_other_threads_free)) return true;
        if (mode == ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL && faulty(Fault::capture_thread_local_is_global))
            return true;
    }
    return false;
}

}  // namespace

aclError check_synchronous(const Context& context, const char* api) {
    if (running_captures.load(std::memory_order_relaxed) == 0) return 0;
    if (!forbidden(context) || faulty(Fault::capture_synchronous_allowed)) return 0;
    if (faulty(Fault::capture_fill_of_other_threads_allowed) && std::string_view(api) == "aclrtMemset" && !captures_here())
        return 0;
    return fail(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, "%s: not allowed while a stream is being captured", api);
}

aclError check_blocking_async(const Stream& stream, const char* api) {
    if (running_captures.load(std::memory_order_relaxed) == 0) return 0;
    std::shared_ptr<Context> context = stream.context();
    if (!context || !forbidden(*context) || faulty(Fault::capture_blocking_allowed)) return 0;
    return fail(ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC,
                "%s: pageable host memory makes the call synchronous, not allowed while a stream is being captured", api);
}

aclError check_stream(Stream& stream, const char* api) {
    if (running_captures.load(std::memory_order_relaxed) == 0) return 0;
    std::scoped_lock lock(mutex());
    Membership* member = find_member(stream);
    if (member == nullptr || !member->capture) {
        if (faulty(Fault::capture_disturbed_by_others))
            for (const auto& capture : state().captures)
                if (capture->thread != std::this_thread::get_id() && &capture->origin->device() == &stream.device())
                    capture->invalid = true;
        return 0;
    }
    if (faulty(Fault::capture_refused_sync_ends_it)) stream.capture.store(nullptr, std::memory_order_release);
    if (faulty(Fault::capture_stream_sync_allowed)) return 0;
    if (faulty(Fault::capture_side_stream_sync_allowed) && member->capture->origin.get() != &stream) return 0;
    if (faulty(Fault::capture_sync_timeout_code)) return fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "%s: timed out", api);
    return fail(ACL_ERROR_RT_STREAM_CAPTURED, "%s: the stream is being captured", api);
}

aclError check_device(const Device& device, const char* api) {
    if (running_captures.load(std::memory_order_relaxed) == 0) return 0;
    std::scoped_lock lock(mutex());
    const auto let_through = [](const Capture& capture) {
        return faulty(Fault::capture_stream_sync_allowed) ||
               (faulty(Fault::capture_global_device_sync_allowed) && capture.mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL) ||
               (faulty(Fault::capture_device_sync_of_others_allowed) && capture.thread != std::this_thread::get_id());
    };
    for (auto& [stream, member] : state().members)
        if (member.capture && &stream->device() == &device && !let_through(*member.capture))
            return fail(ACL_ERROR_RT_STREAM_CAPTURED, "%s: a stream of device %d is being captured", api, device.id());
    return 0;
}

aclError check_event(const Event& event, const char* api) {
    if (marked_events.load(std::memory_order_relaxed) == 0) return 0;
    std::scoped_lock lock(mutex());
    const Captured* mark = find_mark(event);
    if (mark == nullptr || faulty(Fault::capture_event_query_allowed)) return 0;
    if (mark->ref.program > 0 && faulty(Fault::capture_side_event_query_allowed)) return 0;
    return fail(ACL_ERROR_RT_EVENT_CAPTURED, "%s: the event was recorded in a capture", api);
}

bool capturing(const Stream& stream) {
    if (stream.capture.load(std::memory_order_acquire) == nullptr) return false;
    std::scoped_lock lock(mutex());
    Membership* member = find_member(stream);
    return member != nullptr && member->capture != nullptr;
}

aclmdlRICaptureMode exchange_mode(aclmdlRICaptureMode mode) {
    ThreadMode& own = thread_mode();
    aclmdlRICaptureMode earlier = own.mode;
    own.mode = mode;
    if (faulty(Fault::capture_mode_reaches_first_thread)) {
        static const std::thread::id first = std::this_thread::get_id();
        static std::atomic<int> forced{-1};
        const int from_elsewhere = first == std::this_thread::get_id() ? forced.exchange(-1) : -1;
        if (first != std::this_thread::get_id()) forced = mode;
        if (from_elsewhere >= 0) return static_cast<aclmdlRICaptureMode>(from_elsewhere);
    }
    if (faulty(Fault::capture_thread_local_read_as_global) && earlier == ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL)
        return ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
    return faulty(Fault::capture_mode_not_returned) ? mode : earlier;
}

void forget_modes() { ++mode_epoch; }

}  // namespace aclref::capture
