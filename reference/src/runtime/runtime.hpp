// Process state: initialisation, devices, contexts, and what each thread has made current.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "base/errors.hpp"
#include "base/fault.hpp"
#include "base/handle_table.hpp"
#include "base/profile.hpp"

namespace aclref {

class Executor;
class Stream;
class Event;

/// One NPU. Lives as long as the process; "set" and "reset" change what hangs on it.
class Device {
public:
    explicit Device(int id);
    ~Device();
    int id() const { return id_; }             ///< logical id, after the visible-device list
    Executor& executor();                      ///< started on first use
    std::shared_ptr<class Context> default_context();  ///< null while no thread has set the device

private:
    friend class Runtime;
    int id_;
    std::mutex mutex_;
    int set_count_ = 0;
    std::shared_ptr<class Context> default_context_;
    std::unique_ptr<Executor> executor_;
};

class Context {
public:
    Context(Device& device, bool is_default);
    Device& device() const { return device_; }
    bool is_default() const { return is_default_; }
    std::shared_ptr<Stream> default_stream();
    aclrtContext handle = nullptr;
    std::atomic<bool> destroyed{false};

private:
    Device& device_;
    bool is_default_;
    std::mutex mutex_;
    std::shared_ptr<Stream> default_stream_;
};

class Runtime {
public:
    static Runtime& instance();

    bool initialised() const;
    int device_count() const;                 ///< visible devices
    Device* device(int logical_id);           ///< null when out of range
    HandleTable<Context>& contexts() { return contexts_; }
    HandleTable<Stream>& streams() { return streams_; }
    HandleTable<Event>& events() { return events_; }

    /// Current context of the calling thread (implicit default-device rules included); null if none.
    std::shared_ptr<Context> current_context();
    void set_current_context(std::shared_ptr<Context> context);

    /// Drops everything: streams, events, contexts, memory, registrations, faults stay. For aclrefReset / configure.
    void reset();

private:
    Runtime();
    HandleTable<Context> contexts_;
    HandleTable<Stream> streams_;
    HandleTable<Event> events_;
    struct State;
    std::unique_ptr<State> state_;
};

/// The context, or a recorded ACL_ERROR_RT_CONTEXT_NULL in `code`.
std::shared_ptr<Context> require_context(aclError& code, const char* api);

/// Resolves a stream argument: NULL is the current context's default stream; checks liveness
/// (ACL_ERROR_RT_INVALID_HANDLE) and that it belongs to the current context (ACL_ERROR_RT_STREAM_CONTEXT).
std::shared_ptr<Stream> require_stream(aclrtStream handle, aclError& code, const char* api);

/// First line of every exported function: refuses what this product or form does not have
/// (ACL_ERROR_RT_FEATURE_NOT_SUPPORT) with a recorded text; 0 when the call may go on.
aclError enter(Function function);

#define ACLREF_ENTER(name)                                                            \
    if (aclError entered_ = ::aclref::enter(::aclref::Function::name); entered_ != 0) \
    return entered_

}  // namespace aclref
