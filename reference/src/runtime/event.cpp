#include "runtime/event.hpp"

#include <algorithm>
#include <utility>

#include "base/faults/runtime.hpp"
#include "runtime/limits.hpp"
#include "runtime/settings.hpp"

namespace aclref {

namespace {

using std::chrono::milliseconds;

/// Other processes cannot wake us: what they change is looked at this often.
constexpr auto shared_poll = milliseconds(1);

std::uint32_t next_event_id() {
    static constinit std::atomic<std::uint32_t> next{0};
    return next.fetch_add(1, std::memory_order_relaxed) & 0xFFFF;
}

}  // namespace

Event::Event(Device& device, EventKind kind, std::uint32_t flags, std::shared_ptr<SharedWord> shared)
    : device_(device), kind_(kind), flags_(flags), id_(next_event_id()), shared_(std::move(shared)) {}

Event::~Event() { retire(); }

void Event::retire() {
    if (faulty(Fault::destroy_event_lets_waits_go))
        if (auto mark = newest_) settle(mark, Mark::State::complete, 0, Clock::now());
    if (slot_taken_.exchange(false) && !faulty(Fault::event_slot_lost))
        device_.events.fetch_sub(1, std::memory_order_relaxed);
    if (shared_) shared_->retire();
}

bool Event::recorded_here() const {
    std::lock_guard lock(mutex_);
    return recorder_ == std::this_thread::get_id();
}

bool Event::recorded_on(const Stream& stream) const {
    std::lock_guard lock(mutex_);
    return recorded_on_.lock().get() == &stream;
}

int Event::count_wait() {
    std::lock_guard lock(mutex_);
    return ++waits_;
}

Clock::time_point Event::first_time() const {
    std::lock_guard lock(mutex_);
    return first_time_;
}

bool Event::stream_is_gone() const {
    std::lock_guard lock(mutex_);
    return recorded_ > 0 && recorded_on_.expired();
}

void Event::consume_stream_error() {
    std::unique_lock lock(mutex_);
    auto stream = recorded_on_.lock();
    lock.unlock();
    if (stream && stream->idle()) (void)stream->synchronize();
}

bool Event::can_be_waited_for() const {
    return kind_ == EventKind::plain || kind_ == EventKind::interprocess || (flags_ & ACL_EVENT_SYNC) != 0 ||
           flags_ == ACL_EVENT_EXTERNAL || flags_ == ACL_EVENT_DEVICE_USE_ONLY;
}

bool Event::keeps_time() const { return kind_ == EventKind::plain || (flags_ & ACL_EVENT_TIME_LINE) != 0; }

bool Event::take_slot() {
    bool limited = kind_ == EventKind::extended && faulty(Fault::extended_events_limited);
    if ((kind_ == EventKind::extended && !limited) || kind_ == EventKind::interprocess || slot_taken_) return true;
    const int most = limited ? max_events() / 2 : max_events();
    int used = device_.events.load(std::memory_order_relaxed);
    do {
        if (used >= most) return false;
    } while (!device_.events.compare_exchange_weak(used, used + 1, std::memory_order_relaxed));
    if (slot_taken_.exchange(true)) device_.events.fetch_sub(1, std::memory_order_relaxed);
    return true;
}

void Event::settle(const std::shared_ptr<Mark>& mark, Mark::State state, aclError code, Clock::time_point time) {
    {
        std::lock_guard lock(mutex_);
        mark->state = state;
        mark->time = time;
        if (mark->number == 1) first_time_ = time;
        (state == Mark::State::aborted ? mark->aborted_by : mark->error) = code;
    }
    if (shared_ && state == Mark::State::complete) {
        auto& completed = shared_->block().completed;
        std::uint64_t seen = completed.load();
        while (seen < mark->shared_number && !completed.compare_exchange_weak(seen, mark->shared_number)) {
        }
    }
    changed_.notify_all();
    if (waits_pending_.load() > 0) wake_all_executors();
}

Task Event::record_task(const std::shared_ptr<Stream>& stream) {
    auto mark = std::make_shared<Mark>();
    {
        std::lock_guard lock(mutex_);
        mark->number = ++recorded_;
        waits_ = 0;
        recorder_ = std::this_thread::get_id();
        recorded_on_ = stream;
        if (shared_) mark->shared_number = shared_->block().recorded.fetch_add(1) + 1;
        if (!faulty(Fault::event_rerecord_keeps_status) || !newest_) newest_ = mark;
    }
    Task task;
    task.kind = "event record";
    // A task must not keep its stream alive; and a captured one may be replayed when the stream is gone.
    task.run = [event = shared_from_this(), mark, on = std::weak_ptr(stream)] {
        auto stream = on.lock();
        aclError before = stream ? stream->peek_error().value_or(0) : 0;
        event->settle(mark, Mark::State::complete, before, stream ? stream->task_time() : Clock::now());
        return Progress::Done();
    };
    task.dropped = [event = shared_from_this(), mark](aclError code) {
        event->settle(mark, Mark::State::aborted, code, Clock::now());
    };
    if (faulty(Fault::event_complete_at_record)) settle(mark, Mark::State::complete, 0, Clock::now());
    return task;
}

bool Event::settled(const Mark& mark) const {
    if (shared_ && shared_->block().completed.load() >= mark.shared_number) return true;
    if (shared_ && !shared_->made() && faulty(Fault::event_open_not_shared)) return true;
    return mark.state != Mark::State::pending;
}

/// Asks for `target`, or where there is none for any record after number `after`.
Progress Event::poll_wait(const std::shared_ptr<Mark>& target, std::uint64_t after) {
    std::lock_guard lock(mutex_);
    if (faulty(Fault::event_wait_first_record_counts) && recorded_ > 1) return Progress::Done(Clock::now());
    const Mark* mark = target ? target.get() : (newest_ && newest_->number > after ? newest_.get() : nullptr);
    if (!mark || !settled(*mark)) return shared_ ? Progress::Waiting(Clock::now() + shared_poll) : Progress::Waiting();
    if (mark->state == Mark::State::aborted) return Progress::Failed(mark->aborted_by);
    return Progress::Done(mark->time);
}

Task Event::wait_task(std::uint32_t seconds) {
    std::shared_ptr<Mark> target;
    std::uint64_t after = 0;
    {
        std::lock_guard lock(mutex_);
        target = newest_;
        after = recorded_;
        if (shared_) {
            // What counts is what any process has asked for by now.
            target = std::make_shared<Mark>();
            target->shared_number = shared_->block().recorded.load();
        }
    }
    // Counted before the mark is looked at, so that its completion finds us; again for every replay.
    auto counted = std::make_shared<std::atomic<bool>>(false);
    auto count = [counted, event = shared_from_this()](bool on) {
        if (counted->exchange(on) != on) event->waits_pending_.fetch_add(on ? 1 : -1);
    };
    count(true);
    auto begun = std::make_shared<Clock::time_point>(Clock::time_point::max());
    Task task;
    task.kind = "event wait";
    task.run = [event = shared_from_this(), target, after, begun, seconds, count] {
        count(true);
        Progress progress = event->poll_wait(target, after);
        auto limit = std::chrono::seconds(seconds);
        if (seconds == 0 && faulty(Fault::wait_limit_of_running_waits)) {
            limit = std::chrono::seconds(settings().wait_timeout_seconds);
            progress.until = Clock::now() + milliseconds(50);
        }
        if (progress.kind == Progress::waiting && limit.count() > 0) {
            if (*begun == Clock::time_point::max()) *begun = Clock::now();
            if (Clock::now() < *begun + limit) progress.until = std::min(progress.until, *begun + limit);
            else if (faulty(Fault::wait_expiry_succeeds)) progress = Progress::Done();
            else progress = Progress::Failed(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
        }
        if (progress.kind == Progress::waiting) return progress;
        *begun = Clock::time_point::max();
        count(false);
        return progress;
    };
    task.dropped = [count](aclError) { count(false); };
    return task;
}

void Event::forget_mark() {
    std::lock_guard lock(mutex_);
    newest_.reset();
}

bool Event::ever_recorded() const {
    std::lock_guard lock(mutex_);
    return recorded_ > 0;
}

std::shared_ptr<const Mark> Event::newest() const {
    std::lock_guard lock(mutex_);
    return newest_ ? std::make_shared<const Mark>(*newest_) : nullptr;
}

bool Event::complete() const {
    std::lock_guard lock(mutex_);
    return !newest_ || settled(*newest_);
}

bool Event::waits_pending() const { return waits_pending_.load() > 0; }

aclError Event::synchronize(std::chrono::milliseconds timeout) {
    if (!complete()) hurry_all_executors();
    std::unique_lock lock(mutex_);
    std::shared_ptr<Mark> mark = newest_;
    if (shared_) {
        mark = std::make_shared<Mark>();
        mark->shared_number = shared_->block().recorded.load();
    }
    if (!mark || (faulty(Fault::sync_event_first_record_counts) && recorded_ > 1)) return 0;
    auto deadline = timeout.count() < 0 ? Clock::time_point::max() : Clock::now() + timeout;
    while (!settled(*mark)) {
        if (Clock::now() >= deadline) return ACL_ERROR_RT_EVENT_SYNC_TIMEOUT;
        // The library's own marks signal; those of other processes, and work submitted meanwhile, are looked for.
        auto until = shared_ ? std::min(deadline, Clock::now() + shared_poll) : deadline;
        if (until == Clock::time_point::max()) changed_.wait(lock);
        else changed_.wait_until(lock, until);
    }
    return mark->state == Mark::State::aborted ? mark->aborted_by : mark->error;
}

bool Event::fix_external(bool external) {
    std::lock_guard lock(mutex_);
    if (external_ < 0) external_ = external ? 1 : 0;
    return external_ == (external ? 1 : 0);
}

}  // namespace aclref
