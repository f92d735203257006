// Process state: initialisation, devices, contexts, and what each thread has made current.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/fault.hpp"
#include "base/handle_table.hpp"
#include "base/profile.hpp"

namespace aclref {

class Context;
class CountNotify;
class Event;
class Executor;
class Notify;
class Stream;

/// One NPU. The object lives as long as the process; "set" and "reset" change what hangs on it.
class Device {
public:
    explicit Device(int id);
    ~Device();
    int id() const { return id_; }             ///< user id, after the visible-device list
    int logical_id() const;                    ///< the entry of the visible-device list
    Executor& executor() { return *executor_; }  ///< its thread starts with the first task
    std::shared_ptr<Context> default_context();  ///< null while no thread has set the device

    // Resources of the device in use; the limits come from the product.
    std::atomic<int> streams{0};
    std::atomic<int> events{0};
    std::atomic<int> notifies{0};
    std::atomic<std::uint64_t> stream_ordinal{0};
    /// Float overflow mode; aclrtFloatOverflowMode.
    std::atomic<int> overflow_mode{0};

    /// Limits of aclrtSetDeviceResLimit by type; 0 where none is set.
    std::atomic<std::uint32_t> resource_limits[2] = {0, 0};

    // What only faults look at.
    std::atomic<int> last_reset{0};            ///< since it was set last: 0 none, 1 a plain one, 2 a forced one

private:
    friend class Runtime;
    int id_;
    std::mutex mutex_;
    int set_count_ = 0;
    std::shared_ptr<Context> default_context_;
    std::unique_ptr<Executor> executor_;
};

class Context : public std::enable_shared_from_this<Context> {
public:
    Context(Device& device, bool is_default);
    ~Context();
    Device& device() const { return device_; }
    bool is_default() const { return is_default_; }
    std::shared_ptr<Stream> default_stream();  ///< null on products without default streams
    aclrtContext handle = nullptr;
    std::atomic<bool> destroyed{false};

    /// A task failed in stop mode: nothing runs any more, and every call reports this code.
    std::atomic<aclError> stopped_by{0};
    std::atomic<bool> stops_on_failure{false};

    std::mutex options_mutex;
    std::map<int, std::int64_t> options;       ///< aclrtCtxSetSysParamOpt

    /// Address of the float overflow flag, made on first use.
    void* overflow_address();

private:
    friend class Runtime;
    Device& device_;
    bool is_default_;
    std::mutex mutex_;
    std::shared_ptr<Stream> default_stream_;
    void* overflow_address_ = nullptr;
};

class Runtime {
public:
    static Runtime& instance();

    bool initialised() const { return initialised_.load(std::memory_order_acquire); }
    void set_initialised(bool on);
    int device_count() const;                 ///< visible devices
    Device* device(int id);                   ///< user id; null when out of range
    const std::vector<int>& visible_devices() const { return visible_; }
    HandleTable<Context>& contexts() { return contexts_; }
    HandleTable<Stream>& streams() { return streams_; }
    HandleTable<Event>& events() { return events_; }
    HandleTable<Notify>& notifies() { return notifies_; }
    HandleTable<CountNotify>& count_notifies() { return count_notifies_; }

    /// Current context of the calling thread (implicit default-device rules included); null if none.
    std::shared_ptr<Context> current_context();
    void set_current_context(std::shared_ptr<Context> context);

    /// aclrtSetDevice: counts, makes the default context when it is the first, and makes it current.
    /// False when the device has no stream left for the context.
    bool set_device(Device& device);
    /// aclrtResetDevice: 0, or ACL_ERROR_RT_CONTEXT_RELEASE_ERROR when the device is not set. `force` ignores the count.
    aclError reset_device(Device& device, bool force);
    bool device_is_set(Device& device);
    /// Whether the next reset of this kind releases the device, and does not merely lower its count.
    bool reset_releases(Device& device, bool force);

    /// Null when the device has no stream left for the default one.
    std::shared_ptr<Context> create_context(Device& device, bool is_default = false);
    /// Tells the registered functions of its default stream. No lock may be held.
    void announce_context(Context& context);
    /// Ends the context's streams and takes it from the table.
    void destroy_context(Context& context, aclError code);

    /// The device every thread works on that chose none (aclInit's defaultDevice); negative: none.
    std::atomic<int> default_device{-1};

    /// Drops what a program made: aclFinalize. Devices are released, their memory too.
    void release_devices();

    /// Drops everything: streams, events, contexts, memory, registrations; faults stay. For aclrefReset / configure.
    void reset();

private:
    Runtime();
    void release_device(Device& device);
    std::shared_ptr<Context> retain_default_context(Device& device, bool counted);
    std::atomic<bool> initialised_{false};
    HandleTable<Context> contexts_;
    HandleTable<Stream> streams_;
    HandleTable<Event> events_;
    HandleTable<Notify> notifies_;
    HandleTable<CountNotify> count_notifies_;
    std::vector<std::unique_ptr<Device>> devices_;
    std::vector<int> visible_;
};

/// The context, or a recorded ACL_ERROR_RT_CONTEXT_NULL in `code`.
std::shared_ptr<Context> require_context(aclError& code, const char* api);

/// Resolves a stream argument: NULL is the current context's default stream; checks liveness
/// (ACL_ERROR_RT_INVALID_HANDLE) and that it belongs to the current context (ACL_ERROR_RT_STREAM_CONTEXT).
std::shared_ptr<Stream> require_stream(aclrtStream handle, aclError& code, const char* api);

/// As require_stream, but a stream of another context will do.
std::shared_ptr<Stream> require_any_stream(aclrtStream handle, aclError& code, const char* api);

/// The device with this user id, or a recorded `missing` code.
Device* require_device(std::int64_t id, aclError& code, aclError missing = ACL_ERROR_RT_INVALID_DEVICEID);

/// First line of every exported function: refuses what this product or form does not have
/// (ACL_ERROR_RT_FEATURE_NOT_SUPPORT) with a recorded text; 0 when the call may go on.
aclError enter(Function function);

#define ACLREF_ENTER(name)                                                            \
    if (aclError entered_ = ::aclref::enter(::aclref::Function::name); entered_ != 0) \
    return entered_

/// Refuses a null argument, naming it.
#define ACLREF_REQUIRE_AS(code, argument)                                         \
    do {                                                                          \
        if ((argument) == nullptr) return ::aclref::refuse(code, #argument " is NULL"); \
    } while (false)
#define ACLREF_REQUIRE(argument) ACLREF_REQUIRE_AS(ACL_ERROR_INVALID_PARAM, argument)

}  // namespace aclref
