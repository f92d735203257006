// Streams are queues of tasks; one executor thread per device drains them, choosing among ready streams by seed.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "runtime/runtime.hpp"

namespace aclref {

/// What running a task's step said: done, not ready yet (a wait; asked again after any progress), or failed.
struct Progress {
    enum Kind { done, waiting, failed } kind = done;
    aclError code = 0;
    static Progress Done() { return {}; }
    static Progress Waiting() { return {waiting, 0}; }
    static Progress Failed(aclError code) { return {failed, code}; }
};

/// One unit of work. `run` is called on the executor thread, never with a lock of ours held.
struct Task {
    const char* kind = "";                       ///< "copy", "memset", "event record", … for logs and graph nodes
    std::function<Progress()> run;
    std::size_t bytes = 0;                       ///< for the timing model; 0 = free
    bool crosses_link = false;                   ///< host link (true) or on-device (false) bandwidth
    bool capturable = true;                      ///< may be recorded by a graph capture
};

/// Hook of graph capture: a stream under capture hands its tasks to the recorder instead of queueing them.
class CaptureRecorder {
public:
    virtual ~CaptureRecorder() = default;
    virtual aclError record(Stream& stream, Task task) = 0;
};

class Stream : public std::enable_shared_from_this<Stream> {
public:
    Stream(std::shared_ptr<Context> context, std::uint32_t priority, std::uint32_t flags);
    std::shared_ptr<Context> context() const { return context_.lock(); }
    Device& device() const { return device_; }
    aclrtStream handle = nullptr;
    std::int32_t id() const { return id_; }

    /// Queues the task (or records it under capture). Returns a code when the stream cannot take it.
    aclError submit(Task task);
    /// Blocks until everything queued so far has run. Negative timeout: no bound. Returns the stream's pending error
    /// (once), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, or 0.
    aclError synchronize(std::chrono::milliseconds timeout = std::chrono::milliseconds(-1));
    bool idle() const;                           ///< nothing queued and nothing running
    std::optional<aclError> peek_error() const;  ///< pending asynchronous error, not consumed

    std::atomic<CaptureRecorder*> capture{nullptr};

private:
    friend class Executor;
    std::weak_ptr<Context> context_;
    Device& device_;
    std::int32_t id_;
    std::uint32_t priority_;
    std::uint32_t flags_;
    mutable std::mutex mutex_;
    std::deque<Task> queue_;
    bool running_ = false;
    std::uint64_t submitted_ = 0;
    std::uint64_t finished_ = 0;
    aclError pending_error_ = 0;
};

/// Drains the streams of one device.
///
/// Adversarial and reproducible: among streams whose head task is ready the next one is drawn from a generator seeded
/// by the profile; work is held back for a short while after submission unless somebody waits for it, so that a program
/// that reads before it synchronises really sees old bytes.
class Executor {
public:
    explicit Executor(Device& device);
    ~Executor();
    void attach(std::shared_ptr<Stream> stream);
    void detach(const Stream& stream);
    void wake();                                 ///< something a waiting task looks at may have changed
    void hurry();                                ///< somebody waits or polls: stop holding work back
    bool synchronize(std::chrono::milliseconds timeout);  ///< all streams; false on timeout

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Wakes the executors of all devices (an event was recorded, a value written, a callback returned).
void wake_all_executors();

}  // namespace aclref
