// Events: a mark in a stream that other streams and the host can wait for.
//
// Every record makes a new Mark; queries and waits look at the newest one, and a wait keeps the one it found, so that a
// later record does not change it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "runtime/shared_word.hpp"
#include "runtime/stream.hpp"

namespace aclref {

enum class EventKind {
    plain,         ///< aclrtCreateEvent
    flagged,       ///< aclrtCreateEventWithFlag: bound to the hardware, can be reset
    extended,      ///< aclrtCreateEventExWithFlag
    interprocess,  ///< aclrtCreateEventExWithFlag with the IPC flag, or opened from another process
};

/// One record of an event. Guarded by the event's mutex.
struct Mark {
    enum class State { pending, complete, aborted } state = State::pending;
    std::uint64_t number = 0;     ///< 1 for the first record of the event
    aclError error = 0;           ///< a task before the record failed
    aclError aborted_by = 0;
    Clock::time_point time;
    std::uint64_t shared_number = 0;  ///< inter-process events: the number other processes wait for
};

class Event : public std::enable_shared_from_this<Event> {
public:
    Event(Device& device, EventKind kind, std::uint32_t flags, std::shared_ptr<SharedWord> shared = nullptr);
    ~Event();
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    Device& device() const { return device_; }
    EventKind kind() const { return kind_; }
    std::uint32_t flags() const { return flags_; }
    std::uint32_t id() const { return id_; }
    bool can_be_waited_for() const;   ///< aclrtStreamWaitEvent takes it
    bool keeps_time() const;
    const std::shared_ptr<SharedWord>& shared() const { return shared_; }
    aclrtEvent handle = nullptr;

    /// Takes one of the device's events, once. False when none is left.
    bool take_slot();

    /// The task that completes a new mark when it runs; the mark is the newest from now on.
    Task record_task(const std::shared_ptr<Stream>& stream);
    /// The task that waits for the newest mark (or for the next one where there is none), at most `seconds`; 0: for ever.
    Task wait_task(std::uint32_t seconds);
    /// Forgets the newest mark: the next wait needs a new record.
    void forget_mark();

    bool ever_recorded() const;
    std::shared_ptr<const Mark> newest() const;    ///< a copy; null when never recorded
    bool complete() const;                         ///< newest mark complete or aborted; true when never recorded
    bool waits_pending() const;

    /// Host wait for the newest mark. 0, an error of the tasks before it, ACL_ERROR_RT_STREAM_ABORT, or
    /// ACL_ERROR_RT_EVENT_SYNC_TIMEOUT. Negative timeout: no bound.
    aclError synchronize(std::chrono::milliseconds timeout);

    /// The first call with a record or wait flag fixes the kind of its event. False: this one is of the other kind.
    bool fix_external(bool external);

    /// The event is destroyed: importers can no longer open it, and its place on the device is free.
    void retire();

    // What only faults look at.
    bool recorded_here() const;       ///< the newest record was made by the calling thread
    bool recorded_on(const Stream& stream) const;  ///< the newest record was made on this stream
    int count_wait();                 ///< which of the waits since the newest record this one is, from 1
    Clock::time_point first_time() const;
    bool stream_is_gone() const;      ///< the stream it was recorded on does not exist any more
    void consume_stream_error();

private:
    void settle(const std::shared_ptr<Mark>& mark, Mark::State state, aclError code, Clock::time_point time);
    bool settled(const Mark& mark) const;
    Progress poll_wait(const std::shared_ptr<Mark>& target, std::uint64_t after);

    Device& device_;
    const EventKind kind_;
    const std::uint32_t flags_;
    const std::uint32_t id_;
    const std::shared_ptr<SharedWord> shared_;
    std::atomic<bool> slot_taken_{false};
    std::atomic<int> waits_pending_{0};
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::shared_ptr<Mark> newest_;
    std::uint64_t recorded_ = 0;
    int waits_ = 0;
    Clock::time_point first_time_{};
    std::thread::id recorder_;
    std::weak_ptr<Stream> recorded_on_;
    int external_ = -1;  ///< -1 not fixed, 0 ordinary, 1 external
};

}  // namespace aclref
