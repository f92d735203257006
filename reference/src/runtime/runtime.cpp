#include "runtime/runtime.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/faults/runtime.hpp"
#include "base/inject.hpp"
#include "capture/capture.hpp"
#include "copy/copy.hpp"
#include "copy/peer.hpp"
#include "kernels/binary.hpp"
#include "memory/address_space.hpp"
#include "models/model.hpp"
#include "runtime/event.hpp"
#include "runtime/exceptions.hpp"
#include "runtime/groups.hpp"
#include "runtime/limits.hpp"
#include "runtime/notify.hpp"
#include "runtime/reports.hpp"
#include "runtime/settings.hpp"
#include "runtime/state_callbacks.hpp"
#include "runtime/stream.hpp"
#include "runtime/thread_state.hpp"
#include "runtime/visible_devices.hpp"
#include "services/services.hpp"
#include "services/snapshot.hpp"

namespace aclref {

namespace {

constexpr int most_devices = 64;

/// Set in a child made by fork: it has none of the threads, and locks may have been held.
constinit std::atomic<bool> forked{false};

/// Faulty builds only: the device was lost to a child.
constinit std::atomic<bool> lost_to_child{false};

void watch_for_forks() {
    static const int registered = ::pthread_atfork(
        nullptr, [] { lost_to_child.store(faulty(Fault::fork_breaks_parent)); }, [] { forked.store(true); });
    (void)registered;
}

/// Faulty builds only: what goes wrong when the process exits. The handler is registered for nothing else.
void watch_for_exit() {
    if (!faulty(Fault::exit_with_live_stream_crashes)) return;
    static const int registered = std::atexit([] {
        if (faulty(Fault::exit_with_live_stream_crashes) && Runtime::instance().streams().size() > 0) __builtin_trap();
    });
    (void)registered;
}

}  // namespace

// Device

Device::Device(int id) : id_(id), executor_(std::make_unique<Executor>(*this)) {}

Device::~Device() = default;

int Device::logical_id() const { return Runtime::instance().visible_devices()[static_cast<std::size_t>(id_)]; }

std::shared_ptr<Context> Device::default_context() {
    std::lock_guard lock(mutex_);
    return default_context_;
}

// Context

Context::Context(Device& device, bool is_default) : device_(device), is_default_(is_default) {}

Context::~Context() {
    if (overflow_address_) ::munmap(overflow_address_, 4096);
}

std::shared_ptr<Stream> Context::default_stream() {
    std::lock_guard lock(mutex_);
    return default_stream_;
}

void* Context::overflow_address() {
    std::lock_guard lock(mutex_);
    if (!overflow_address_) {
        // Only an address is promised: a page of its own that the host cannot read, like device memory.
        void* page = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page != MAP_FAILED) overflow_address_ = page;
    }
    return overflow_address_;
}

// Runtime

Runtime::Runtime() {
    for (int id = 0; id < most_devices; ++id) devices_.push_back(std::make_unique<Device>(id));
    visible_ = read_visible_devices(profile().devices);
    reset_settings();
    for (const auto& device : devices_) device->overflow_mode = default_overflow_mode();
}

Runtime& Runtime::instance() {
    // Never destroyed: threads may be running while the process exits, and exit handlers may call in.
    static auto* runtime = new Runtime;
    return *runtime;
}

void Runtime::set_initialised(bool on) {
    if (on) {
        watch_for_forks();
        watch_for_exit();
    }
    initialised_.store(on, std::memory_order_release);
}

int Runtime::device_count() const { return static_cast<int>(visible_.size()); }

Device* Runtime::device(int id) {
    return id >= 0 && id < device_count() ? devices_[static_cast<std::size_t>(id)].get() : nullptr;
}

std::shared_ptr<Context> Runtime::current_context() {
    if (void* handle = thread_state().context) {
        if (auto context = contexts_.find(handle)) return context;
    }
    Device* chosen = device(default_device.load(std::memory_order_relaxed));
    if (!chosen || !initialised()) return nullptr;
    return retain_default_context(*chosen, false);
}

/// The default context of the device, made when there is none yet.
std::shared_ptr<Context> Runtime::retain_default_context(Device& device, bool counted) {
    std::shared_ptr<Context> context;
    bool made = false;
    {
        std::lock_guard lock(device.mutex_);
        made = !device.default_context_;
        if (made) device.default_context_ = create_context(device, true);
        if (!device.default_context_) return nullptr;
        if (counted && (!faulty(Fault::set_device_not_counted) || device.set_count_ == 0)) ++device.set_count_;
        context = device.default_context_;
    }
    if (made && context) announce_context(*context);
    return context;
}

void Runtime::set_current_context(std::shared_ptr<Context> context) {
    thread_state().context = context ? context->handle : nullptr;
    if (faulty(Fault::context_of_any_thread) && context && !context->is_default()) default_device = context->device().id();
}

std::shared_ptr<Context> Runtime::create_context(Device& device, bool is_default) {
    auto context = std::make_shared<Context>(device, is_default);
    std::shared_ptr<Stream> stream;
    if (default_stream_slots() > 0) {
        stream = Stream::create(context, 0, 0, true);
        if (!stream) return nullptr;
        std::lock_guard lock(context->mutex_);
        context->default_stream_ = stream;
    }
    context->handle = contexts_.add(context);
    return context;
}

void Runtime::announce_context(Context& context) {
    if (faulty(Fault::stream_state_default_untold)) return;
    if (auto stream = context.default_stream()) report_stream_state(stream->handle, ACL_RT_STREAM_STATE_CREATE_POST);
}

void Runtime::destroy_context(Context& context, aclError code) {
    auto kept = contexts_.remove(context.handle);
    context.destroyed = true;
    for (const auto& stream : streams_.all()) {
        bool own = stream->context().get() == &context;
        bool taken = faulty(Fault::destroy_context_takes_all_streams) && !context.is_default() && !stream->is_default();
        if (!own && !taken) continue;
        report_stream_state(stream->handle, ACL_RT_STREAM_STATE_DESTROY_PRE);
        streams_.remove(stream->handle);
        capture::stream_destroyed(*stream);
        forget_stream_reports(*stream);
        stream->close(code);
    }
    std::lock_guard lock(context.mutex_);
    context.default_stream_.reset();
}

bool Runtime::set_device(Device& device) {
    auto context = retain_default_context(device, true);
    if (context) set_current_context(context);
    return context != nullptr;
}

bool Runtime::device_is_set(Device& device) {
    std::lock_guard lock(device.mutex_);
    return device.set_count_ > 0;
}

bool Runtime::reset_releases(Device& device, bool force) {
    std::lock_guard lock(device.mutex_);
    return device.set_count_ == 1 || (force && device.set_count_ > 0);
}

namespace {

/// Faulty builds only: the error of a stream outlives a forced reset.
void keep_error(const Device& device) {
    if (!faulty(Fault::reset_force_keeps_error)) return;
    for (const auto& stream : Runtime::instance().streams().all())
        if (&stream->device() == &device)
            if (auto code = stream->last_error()) Stream::sticky_error = code;
}

}  // namespace

aclError Runtime::reset_device(Device& device, bool force) {
    {
        std::lock_guard lock(device.mutex_);
        if (device.set_count_ == 0) {
            if (faulty(Fault::reset_without_set_accepted)) return 0;
            if (!force && faulty(Fault::reset_device_below_zero_accepted)) return 0;
            auto is_set = [&](const auto& other) { return other.get() != &device && other->set_count_ > 0; };
            if (!force && faulty(Fault::reset_device_counts_all) && std::ranges::any_of(devices_, is_set)) return 0;
            if (force && faulty(Fault::reset_force_repeat_accepted)) return 0;
            return ACL_ERROR_RT_CONTEXT_RELEASE_ERROR;
        }
        if (!force && --device.set_count_ > 0) return 0;
        device.set_count_ = 0;
    }
    if (force) keep_error(device);
    if (force && faulty(Fault::reset_force_does_not_wait)) device.default_context_.reset();
    const bool told = !force || !faulty(Fault::device_state_force_untold);
    if (told) report_device_state(device.id(), ACL_RT_DEVICE_STATE_RESET_PRE);
    release_device(device);
    if (told) report_device_state(device.id(), ACL_RT_DEVICE_STATE_RESET_POST);
    return 0;
}

/// Tasks of the default context are finished first; whatever else hangs on the device goes with it.
void Runtime::release_device(Device& device) {
    std::shared_ptr<Context> context;
    {
        std::lock_guard lock(device.mutex_);
        context = std::exchange(device.default_context_, nullptr);
        device.set_count_ = 0;
        }
    if (context && !faulty(Fault::reset_device_does_not_wait)) {
        // A failed task ends the wait early for its stream, not for the others.
        for (const auto& stream : streams_.all())
            if (stream->context() == context &&
                (stream->is_default() || !faulty(Fault::reset_device_drops_created_streams)))
                (void)stream->synchronize();
    }
    for (const auto& each : contexts_.all())
        if (&each->device() == &device) destroy_context(*each, ACL_ERROR_RT_STREAM_ABORT);
    device.executor().shut_down();
    forget_peer_access(device.id());
    models::release_models(device.id());
    kernels::release_binaries(device.id());
    release_device_services(device.id());
    release_device_memory(device.id());
    for (auto& limit : device.resource_limits) limit = 0;
    device.overflow_mode = default_overflow_mode();
}

void Runtime::release_devices() {
    for (const auto& context : contexts_.all()) destroy_context(*context, ACL_ERROR_RT_STREAM_ABORT);
    for (const auto& device : devices_) {
        std::lock_guard lock(device->mutex_);
        device->default_context_.reset();
        device->set_count_ = 0;
    }
    for (int id = 0; id < device_count(); ++id) {
        device(id)->executor().shut_down();
        forget_peer_access(id);
        models::release_models(id);
        kernels::release_binaries(id);
        release_device_memory(id);
    }
}

void Runtime::reset() {
    initialised_.store(false, std::memory_order_release);
    // First, so that nobody hears of objects that go with everything else.
    forget_state_callbacks();
    forget_exception_callbacks();
    forget_reports();
    forget_copy_state();
    set_group_count(0);
    forget_services();
    release_devices();
    release_host_memory();
    events_.clear();
    notifies_.clear();
    count_notifies_.clear();
    streams_.clear();
    default_device = -1;
    Stream::sticky_error = 0;
    lost_to_child = false;
    forget_errors();
    forget_injected_errors();
    clear_last_error();
    (void)take_recent_error();
    thread_state() = {};
    visible_ = read_visible_devices(profile().devices);
    for (const auto& device : devices_) {
        device->events = 0;
        device->notifies = 0;
        device->stream_ordinal = 0;
        device->overflow_mode = default_overflow_mode();
    }
    reset_settings();
}

// The first lines of every call

aclError enter(Function function) {
    set_current_function(function);
    if (forked.load(std::memory_order_relaxed))
        return refuse(ACL_ERROR_INTERNAL_ERROR, "a child made by fork cannot use the parent's device, start a new process");
    if (lost_to_child.load(std::memory_order_relaxed)) return refuse(ACL_ERROR_RT_INTERNAL_ERROR, "the device is lost");
    wait_for_snapshot(function);
    if (aclError code = take_injected_error(function)) return refuse(code, "injected error");
    if (profile().supports(function)) return 0;
    aclError code = faulty(Fault::unsupported_wrong_code) ? ACL_ERROR_RT_PARAM_INVALID : ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    return refuse(code, "not supported on product %s in this form",
                  product_keys[static_cast<std::size_t>(profile().product)]);
}

std::shared_ptr<Context> require_context(aclError& code, const char* api) {
    auto context = Runtime::instance().current_context();
    code = context ? 0 : fail(ACL_ERROR_RT_CONTEXT_NULL, "%s: the thread has no current context, set a device first", api);
    return context;
}

namespace {

std::shared_ptr<Stream> find_stream(aclrtStream handle, const std::shared_ptr<Context>& context, aclError& code,
                                    const char* api) {
    auto stream = handle ? Runtime::instance().streams().find(handle) : context->default_stream();
    if (!stream)
        code = fail(ACL_ERROR_RT_INVALID_HANDLE,
                    handle ? "%s: the stream does not exist" : "%s: there is no default stream on this product", api);
    return stream;
}

}  // namespace

std::shared_ptr<Stream> require_any_stream(aclrtStream handle, aclError& code, const char* api) {
    auto context = require_context(code, api);
    return context ? find_stream(handle, context, code, api) : nullptr;
}

std::shared_ptr<Stream> require_stream(aclrtStream handle, aclError& code, const char* api) {
    if (faulty(Fault::stream_context_of_stream) && handle && !Runtime::instance().current_context())
        if (auto stream = Runtime::instance().streams().find(handle)) return stream;
    auto context = require_context(code, api);
    if (!context) return nullptr;
    auto stream = find_stream(handle, context, code, api);
    if (!stream) return nullptr;
    bool foreign = faulty(Fault::stream_context_by_device) ? &stream->device() != &context->device()
                                                           : stream->context() != context;
    if (foreign) {
        code = fail(ACL_ERROR_RT_STREAM_CONTEXT, "%s: the stream belongs to another context", api);
        return nullptr;
    }
    return stream;
}

Device* require_device(std::int64_t id, aclError& code, aclError missing) {
    Runtime& runtime = Runtime::instance();
    Device* device = id >= 0 && id < runtime.device_count() ? runtime.device(static_cast<int>(id)) : nullptr;
    if (!device)
        code = refuse(missing, "device %lld does not exist, there are %d", static_cast<long long>(id), runtime.device_count());
    return device;
}

}  // namespace aclref
