#include "runtime/stream.hpp"

#include <algorithm>

#include "base/faults/runtime.hpp"
#include "capture/capture.hpp"
#include "runtime/limits.hpp"

namespace aclref {

namespace {

/// Takes `slots` of the device's streams; false when there are not so many left.
bool take_slots(Device& device, int slots) {
    int used = device.streams.load(std::memory_order_relaxed);
    do {
        if (used + slots > max_streams()) return false;
    } while (!device.streams.compare_exchange_weak(used, used + slots, std::memory_order_relaxed));
    return true;
}

}  // namespace

std::shared_ptr<Stream> Stream::create(const std::shared_ptr<Context>& context, std::uint32_t priority,
                                       std::uint32_t flags, bool is_default) {
    int slots = is_default ? default_stream_slots() : 1;
    if (is_default && faulty(Fault::context_takes_no_stream)) slots = 0;
    if (!take_slots(context->device(), slots)) return nullptr;
    auto stream = std::make_shared<Stream>(context, priority, flags, is_default, slots);
    stream->handle = Runtime::instance().streams().add(stream);
    return stream;
}

std::uint32_t Stream::available(const Device& device) {
    return static_cast<std::uint32_t>(max_streams() - device.streams.load(std::memory_order_relaxed));
}

Stream::Stream(const std::shared_ptr<Context>& context, std::uint32_t given_priority, std::uint32_t flags,
               bool is_default, int slots)
    : priority(given_priority),
      context_(context),
      device_(context->device()),
      slots_(slots),
      flags_(flags),
      is_default_(is_default),
      ordinal_(device_.stream_ordinal.fetch_add(1, std::memory_order_relaxed)) {
    id_ = static_cast<std::int32_t>(ordinal_ & 0x7FFFFFFF);
}

Stream::~Stream() { release_slots(); }

void Stream::release_slots() {
    if (int slots = slots_.exchange(0); slots > 0 && !faulty(Fault::stream_slot_lost))
        device_.streams.fetch_sub(slots, std::memory_order_relaxed);
}

bool Stream::parks_tasks() const {
    constexpr std::uint32_t parked = ACL_STREAM_PERSISTENT | ACL_STREAM_DEVICE_USE_ONLY | ACL_STREAM_CPU_SCHEDULE;
    return (flags_ & parked) != 0 && !faulty(Fault::persistent_tasks_run);
}

aclError synchronize_context(const Context& context, std::chrono::milliseconds timeout) {
    const auto deadline = Clock::now() + timeout;
    aclError first = 0;
    int waited = 0;
    for (const auto& stream : Runtime::instance().streams().all()) {
        if (stream->context().get() != &context) continue;
        if (stream->is_default() && faulty(Fault::sync_device_created_streams_only)) continue;
        auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        aclError code = stream->synchronize(timeout.count() < 0 ? timeout : std::max(left, left.zero()));
        if (code == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT) return code;
        if (first == 0) first = code;
        if (faulty(Fault::sync_device_one_stream)) break;
        if (++waited == 4 && faulty(Fault::sync_device_four_streams)) break;
    }
    return first;
}

}  // namespace aclref
