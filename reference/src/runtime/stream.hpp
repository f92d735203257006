// Streams are queues of tasks; one executor thread per device drains them, choosing among ready streams by seed.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/runtime.hpp"

namespace aclref {

using Clock = std::chrono::steady_clock;

/// What running a task's step said: done, not ready yet (a wait; asked again after any progress), or failed.
struct Progress {
    enum Kind { done, waiting, failed } kind = done;
    aclError code = 0;
    Clock::time_point until = Clock::time_point::max();  ///< a waiting task is asked again no later than this
    Clock::time_point at = Clock::time_point::min();     ///< timing model: what was waited for happened then
    static Progress Done(Clock::time_point at = Clock::time_point::min()) {
        return {done, 0, Clock::time_point::max(), at};
    }
    static Progress Waiting(Clock::time_point until = Clock::time_point::max()) {
        return {waiting, 0, until, Clock::time_point::min()};
    }
    static Progress Failed(aclError code) {
        return {failed, code, Clock::time_point::max(), Clock::time_point::min()};
    }
};

/// One unit of work. `run` is called on the executor thread, never with a lock of ours held; a captured task is run
/// once per replay.
struct Task {
    const char* kind = "";                       ///< "copy", "memset", "event record", … for logs and graph nodes
    std::function<Progress()> run;
    std::size_t bytes = 0;                       ///< for the timing model; 0 = free
    bool crosses_link = false;                   ///< host link (true) or on-device (false) bandwidth
    bool to_host = false;                        ///< which way over the link
    bool capturable = true;                      ///< may be recorded by a graph capture
    std::function<void(aclError)> dropped;       ///< called instead of `run` when the task will never run; may be empty
    /// Adds what the task knows to what the listeners hear when it has failed; may be empty.
    std::function<void(aclrtExceptionInfo&)> explain;
};

/// Hook of graph capture: a stream under capture hands its tasks to the recorder instead of queueing them.
class CaptureRecorder {
public:
    virtual ~CaptureRecorder() = default;
    virtual aclError record(Stream& stream, Task task) = 0;
};

/// A task in its stream, and what the executor remembers of it.
struct QueuedTask {
    Task task;
    std::uint64_t number = 0;      ///< per device, in order of submission: work is released up to a number
    std::uint64_t key = 0;         ///< drawn from the seed: among ready tasks the smallest key runs first
    std::uint32_t id = 0;          ///< as told by aclrtGetThreadLastTaskId
    std::uint32_t thread = 0;      ///< operating-system id of the submitting thread
    Clock::time_point submitted;
    aclError injected = 0;         ///< fails with this code instead of running
    bool asked = false;            ///< ran at least once and said "waiting"
    std::uint64_t asked_at = 0;    ///< the executor's wake count at that time
    Clock::time_point ask_again = Clock::time_point::min();
    bool timed = false;            ///< the timing model has set `transfer_end`
    Clock::time_point transfer_end{};
    bool moved = false;            ///< the bytes are there, but the transfer lasts: `outcome` is told at its end
    Progress outcome;
};

class Stream : public std::enable_shared_from_this<Stream> {
public:
    /// Makes a stream and its handle. Null when the device has no stream left.
    static std::shared_ptr<Stream> create(const std::shared_ptr<Context>& context, std::uint32_t priority,
                                          std::uint32_t flags, bool is_default = false);
    Stream(const std::shared_ptr<Context>& context, std::uint32_t priority, std::uint32_t flags, bool is_default,
           int slots);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    /// Streams the device can still make.
    static std::uint32_t available(const Device& device);
    std::shared_ptr<Context> context() const { return context_.lock(); }
    Device& device() const { return device_; }
    aclrtStream handle = nullptr;
    std::int32_t id() const { return id_; }
    bool is_default() const { return is_default_; }
    std::uint32_t flags() const { return flags_; }
    /// Persistent, device-only and CPU-scheduled streams: their tasks wait for a model instance that never comes.
    bool parks_tasks() const;

    /// Queues the task (or records it under capture). Returns a code when the stream cannot take it.
    aclError submit(Task task);
    /// As submit(), but never recorded: what a replay of an instance runs. `count` gets how many tasks the stream has
    /// taken with this one.
    aclError enqueue(Task task, std::uint64_t* count = nullptr);
    /// The tasks a parking stream keeps, in order; they leave it (for the instance the stream is bound to).
    std::vector<Task> take_parked();
    /// Blocks until so many tasks are over for everybody who asks the stream. The task itself must have run.
    void wait_counted(std::uint64_t count);
    /// Blocks until everything queued so far has run. Negative timeout: no bound. Returns the stream's pending error
    /// (once), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, ACL_ERROR_RT_STREAM_ABORT, or 0. Records no text.
    aclError synchronize(std::chrono::milliseconds timeout = std::chrono::milliseconds(-1));
    bool idle() const;                           ///< nothing queued and nothing running
    std::optional<aclError> peek_error() const;  ///< pending asynchronous error, not consumed
    /// Drops what is queued; a task that is running ends first. Waiters return `code`. The stream stays usable.
    void abort(aclError code);
    /// Drops what is queued and refuses everything from now on.
    void close(aclError code);

    /// Called by a task while it runs: the time it runs at, by the timing model or by the clock.
    Clock::time_point task_time() const;

    /// The k-th task queued from now on fails with `code` when it runs.
    void inject_error(unsigned k, aclError code);

    std::atomic<CaptureRecorder*> capture{nullptr};

    // Attributes; each a plain value of its own.
    std::atomic<std::uint32_t> priority;
    std::atomic<bool> stops_on_failure{false};
    std::atomic<std::uint32_t> overflow_switch{0};
    std::atomic<std::uint32_t> user_tag{0};
    std::atomic<bool> caches_op_info{false};

    /// Limits of aclrtSetStreamResLimit by type; 0 where none is set.
    std::atomic<std::uint32_t> resource_limits[2] = {0, 0};

    // What only faults look at.
    aclError last_error() const;                 ///< of any task that failed, consumed or not
    bool waits_for_event() const;                ///< its next task is a wait for an event
    bool ends_with_event_wait() const;           ///< the task queued last, which is not over, is one
    static std::atomic<aclError> sticky_error;   ///< reported by every synchronise

private:
    friend class Executor;
    void release_slots();
    std::weak_ptr<Context> context_;
    Device& device_;
    std::atomic<int> slots_;                     ///< streams of the device's budget this one takes
    std::int32_t id_;
    std::uint32_t flags_;
    bool is_default_;
    std::uint64_t ordinal_;                      ///< how many streams the device made before this one

    // Guarded by the executor's mutex.
    std::condition_variable settled_;
    std::deque<QueuedTask> queue_;
    std::deque<QueuedTask> parked_;
    bool closed_ = false;
    bool running_ = false;
    int aborting_ = 0;                           ///< threads that wait for the running task to end
    std::uint64_t submitted_ = 0;
    std::uint64_t finished_ = 0;
    std::uint64_t aborts_ = 0;
    aclError abort_code_ = 0;
    aclError pending_error_ = 0;
    aclError last_error_ = 0;
    std::map<std::uint64_t, aclError> injected_;
    Clock::time_point model_time_{};             ///< timing model: when the last task ended
};

/// Drains the streams of one device.
///
/// Adversarial and reproducible: among streams whose head task is ready the next one is the task with the smallest key,
/// and keys are drawn from the profile's seed; work is held back for a short while after submission unless somebody
/// waits for it, so that a program that reads before it synchronises really sees old bytes.
class Executor {
public:
    explicit Executor(Device& device);
    ~Executor();
    void wake();                                 ///< something a waiting task looks at may have changed
    void hurry();                                ///< somebody waits or polls: stop holding work back
    /// Drops and closes every stream, ends the thread. The next task starts a new one.
    void shut_down();

    /// Running average of how busy the device is, in percent (aclrtGetDeviceUtilizationRate).
    int utilization() const;

private:
    friend class Stream;
    friend class BlockingTransfer;
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Timing model of a blocking copy, which passes no stream: made when the function is called, it lasts until the transfer
/// is over. The bytes move meanwhile. Free when timing is off.
class BlockingTransfer {
public:
    BlockingTransfer();
    ~BlockingTransfer();
    BlockingTransfer(const BlockingTransfer&) = delete;
    BlockingTransfer& operator=(const BlockingTransfer&) = delete;
    /// The transfer occupies its engine from the moment of the call, or as soon as that is free.
    void begin(Executor& executor, std::size_t bytes, bool crosses_link, bool to_host);

private:
    Clock::time_point called_{};
    Clock::time_point end_{};
};

/// Wakes the executors of all devices (an event was recorded, a value written, a callback returned).
void wake_all_executors();
/// Somebody waits or polls: no device holds work back any longer.
void hurry_all_executors();

/// Synchronises every stream of the context in turn within one bound. 0, the first pending error, or
/// ACL_ERROR_RT_STREAM_SYNC_TIMEOUT.
aclError synchronize_context(const Context& context, std::chrono::milliseconds timeout);

}  // namespace aclref
