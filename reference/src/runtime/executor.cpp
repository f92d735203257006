#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/exceptions.hpp"
#include "base/faults/runtime.hpp"
#include "runtime/stream.hpp"
#include "runtime/thread_state.hpp"

namespace aclref {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/// Work is held back until nothing was submitted for this long, but not longer than the limit.
constexpr auto hold_quiet = milliseconds(1);
constexpr auto hold_limit = milliseconds(10);

/// Sleeping is only good to some tens of microseconds; the end of a timed transfer is met by spinning the last bit.
constexpr auto sleep_slack = microseconds(60);
/// A caller that waits for its own transfer has nothing else to do: it spins longer, and is not late where others compete
/// for the processor.
constexpr auto blocking_slack = milliseconds(2);

/// splitmix64: a well-mixed number from a counter.
std::uint64_t mixed(std::uint64_t value) {
    value += 0x9E3779B97F4A7C15;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return value ^ (value >> 31);
}

/// Depends on the seed, the stream and the place in the stream only, never on time or on other streams.
std::uint64_t task_key(std::uint64_t stream_ordinal, std::uint64_t place) {
    return mixed(mixed(profile().seed ^ mixed(stream_ordinal)) + place);
}

/// A normally distributed number of standard deviation 1; the same seed and place, the same number.
double scatter(std::uint64_t seed, std::uint64_t place) {
    constexpr double unit = 1.0 / 9007199254740992.0;
    double first = (static_cast<double>(mixed(seed ^ mixed(2 * place)) >> 11) + 1) * unit;
    double second = static_cast<double>(mixed(seed ^ mixed(2 * place + 1)) >> 11) * unit;
    return std::sqrt(-2 * std::log(first)) * std::cos(2 * std::numbers::pi * second);
}

std::uint32_t this_thread_number() {
    static thread_local constinit std::uint32_t number = 0;
    if (number == 0) number = static_cast<std::uint32_t>(::syscall(SYS_gettid));
    return number;
}

using Dropped = std::vector<QueuedTask>;

void tell_dropped(Dropped& tasks, aclError code) {
    for (QueuedTask& queued : tasks)
        if (queued.task.dropped) queued.task.dropped(code);
}

}  // namespace

struct Executor::Impl {
    explicit Impl(Device& owner) : device(owner) {}

    Device& device;
    mutable std::mutex mutex;
    std::condition_variable work;
    std::vector<std::shared_ptr<Stream>> active;  ///< streams with something queued
    std::thread thread;
    bool stopping = false;
    Clock::time_point asleep_until = Clock::time_point::min();  ///< while the thread sleeps
    int waiters = 0;
    std::uint64_t wakes = 0;
    std::uint64_t numbered = 0;
    std::uint64_t released = 0;                   ///< tasks up to this number may run
    std::uint32_t last_id = 0;
    Clock::time_point held_since;
    Clock::time_point last_submitted;
    Clock::time_point engine_free[3] = {};        ///< timing model: to the device, to the host, on the device
    std::uint64_t transfers = 0;                  ///< timing model: how many there were, for their scatter

    void release_all() { released = numbered; }

    void note_submission(Clock::time_point now) {
        if (released + 1 == numbered) held_since = now;
        last_submitted = now;
        if (waiters > 0 || profile().timing) release_all();
        if (released == numbered || hold_ends() < asleep_until) work.notify_one();
    }

    Clock::time_point hold_ends() const { return std::min(last_submitted + hold_quiet, held_since + hold_limit); }

    void remove_active(const Stream& stream) {
        std::erase_if(active, [&](const auto& entry) { return entry.get() == &stream; });
    }

    // The rest is in the order of the loop below.

    /// When the transfer of a task is over; it has one engine to itself.
    Clock::time_point transfer_end(std::size_t bytes, bool crosses_link, bool to_host, Clock::time_point start) {
        const Profile& now = profile();
        Clock::time_point& free_at = engine_free[crosses_link ? (to_host ? 1 : 0) : 2];
        double rate = crosses_link ? now.link_bytes_per_second : now.device_bytes_per_second;
        double seconds = now.link_latency_seconds + static_cast<double>(bytes) / rate;
        if (now.jitter > 0) seconds *= std::max(0.1, 1 + now.jitter * scatter(now.seed, ++transfers));
        free_at = std::max(free_at, start) + nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
        return free_at;
    }

    /// Whether the head of the stream may run now; otherwise `next` is moved to when it may.
    bool ready(Stream& stream, Clock::time_point now, Clock::time_point& next) {
        QueuedTask& head = stream.queue_.front();
        if (head.number > released) {
            next = std::min(next, hold_ends());
            return false;
        }
        if (!head.timed && head.task.bytes > 0 && profile().timing) {
            head.timed = true;
            head.transfer_end = transfer_end(head.task.bytes, head.task.crosses_link, head.task.to_host,
                                             std::max(stream.model_time_, head.submitted));
        }
        bool told_to_wait = head.moved || (head.asked && head.asked_at == wakes);
        Clock::time_point again = head.moved ? head.transfer_end : head.ask_again;
        if (told_to_wait && now < again) {
            next = std::min(next, again);
            return false;
        }
        return true;
    }

    std::shared_ptr<Stream> choose(Clock::time_point now, Clock::time_point& next) {
        if (released < numbered && now >= hold_ends()) release_all();
        const std::shared_ptr<Stream>* chosen = nullptr;
        for (const auto& stream : active)
            if (ready(*stream, now, next) &&
                (!chosen || stream->queue_.front().key < (*chosen)->queue_.front().key))
                chosen = &stream;
        return chosen ? *chosen : nullptr;
    }

    void sleep(std::unique_lock<std::mutex>& lock, Clock::time_point next) {
        asleep_until = next;
        if (next == Clock::time_point::max()) {
            work.wait(lock);
        } else if (profile().timing && next - Clock::now() < sleep_slack) {
            lock.unlock();
            std::this_thread::yield();
            lock.lock();
        } else {
            work.wait_until(lock, profile().timing ? next - sleep_slack : next);
        }
        asleep_until = Clock::time_point::min();
    }

    void drop_queue(Stream& stream, Dropped& dropped) {
        std::size_t keep = stream.running_ ? 1 : 0;
        while (stream.queue_.size() > keep) {
            dropped.push_back(std::move(stream.queue_.back()));
            stream.queue_.pop_back();
        }
        while (!stream.parked_.empty()) {
            dropped.push_back(std::move(stream.parked_.back()));
            stream.parked_.pop_back();
        }
        if (keep == 0) {
            stream.finished_ = stream.submitted_;
            remove_active(stream);
        }
    }

    /// In stop mode nothing of the context runs any more.
    void stop_context(Stream& failed, aclError code, Dropped& dropped) {
        auto context = failed.context_.lock();
        if (!context || faulty(Fault::failure_mode_ignored)) return;
        if (!context->stops_on_failure && !faulty(Fault::failure_stops_every_stream)) return;
        if (faulty(Fault::failure_stops_stream_only)) return drop_queue(failed, dropped);
        aclError none = 0;
        context->stopped_by.compare_exchange_strong(none, code);
        auto streams = active;
        for (const auto& stream : streams)
            if (stream->context_.lock() == context) {
                drop_queue(*stream, dropped);
                stream->settled_.notify_all();
            }
    }

    static aclrtExceptionInfo describe(const Stream& stream, const QueuedTask& queued, aclError code) {
        int device = faulty(Fault::exception_device_zero) ? 0 : stream.device().id();
        return {queued.id, static_cast<std::uint32_t>(stream.id()), queued.thread, static_cast<std::uint32_t>(device),
                static_cast<std::uint32_t>(code)};
    }

    /// Runs the head of the stream without the lock.
    Progress run_head(Stream& stream, QueuedTask& head) {
        Progress progress = head.injected ? Progress::Failed(head.injected) : head.task.run();
        if (progress.kind == Progress::waiting) return progress;
        if (head.injected && head.task.dropped) head.task.dropped(head.injected);
        // What the task holds is given back before anybody is told that it is over.
        head.task.run = nullptr;
        head.task.dropped = nullptr;
        if (progress.kind == Progress::failed) {
            aclrtExceptionInfo info = describe(stream, head, progress.code);
            if (head.task.explain) head.task.explain(info);
            report_exception(info);
        }
        head.task.explain = nullptr;
        return progress;
    }

    /// When the task ended, for the timing model: transfers end when the model says, waits and host work when they
    /// did, everything else takes no time.
    static Clock::time_point ended(const Stream& stream, const QueuedTask& head, const Progress& progress) {
        if (head.timed) return head.transfer_end;
        if (progress.at != Clock::time_point::min()) return progress.at;
        return head.asked ? Clock::now() : std::max(stream.model_time_, head.submitted);
    }

    void settle(Stream& stream, const Progress& progress, Dropped& dropped) {
        QueuedTask& head = stream.queue_.front();
        stream.model_time_ = std::max(stream.model_time_, ended(stream, head, progress));
        stream.queue_.pop_front();
        ++stream.finished_;
        if (progress.kind == Progress::failed) {
            bool untold = faulty(Fault::failed_task_unreported) ||
                          (stream.last_error_ != 0 && faulty(Fault::failed_task_told_once)) ||
                          (stream.is_default() && faulty(Fault::failed_task_of_default_untold));
            stream.last_error_ = progress.code;
            if (stream.pending_error_ == 0 && !untold) stream.pending_error_ = progress.code;
            stop_context(stream, progress.code, dropped);
        }
        if (stream.queue_.empty()) remove_active(stream);
    }

    void step(std::unique_lock<std::mutex>& lock, std::shared_ptr<Stream> stream) {
        QueuedTask& head = stream->queue_.front();
        std::uint64_t wakes_before = wakes;
        if (head.moved) return finish(lock, std::move(stream), head.outcome);
        stream->running_ = true;
        lock.unlock();
        Progress progress = run_head(*stream, head);
        lock.lock();
        stream->running_ = false;
        if (progress.kind == Progress::waiting) {
            head.asked = true;
            head.asked_at = wakes_before;
            head.ask_again = progress.until;
        } else if (head.timed && Clock::now() < head.transfer_end) {
            head.moved = true;
            head.outcome = progress;
            if (stream->aborting_ > 0) stream->settled_.notify_all();
            return;
        }
        finish(lock, std::move(stream), progress);
    }

    /// Settles the head of the stream, unless it waits, and tells everybody concerned.
    void finish(std::unique_lock<std::mutex>& lock, std::shared_ptr<Stream> stream, const Progress progress) {
        Dropped dropped;
        if (progress.kind != Progress::waiting) settle(*stream, progress, dropped);
        if (progress.kind != Progress::waiting || stream->aborting_ > 0) stream->settled_.notify_all();
        if (!dropped.empty() || stream.use_count() == 1) {
            lock.unlock();
            tell_dropped(dropped, progress.code);
            dropped.clear();
            stream.reset();
            lock.lock();
        }
    }

    void loop() {
        pthread_setname_np(pthread_self(), "aclref-device");
        std::unique_lock lock(mutex);
        while (!stopping) {
            Clock::time_point next = Clock::time_point::max();
            if (auto stream = choose(Clock::now(), next)) step(lock, std::move(stream));
            else sleep(lock, next);
        }
    }

    void start() {
        if (!thread.joinable()) thread = std::thread([this] { loop(); });
    }
};

Executor::Executor(Device& device) : impl_(std::make_unique<Impl>(device)) {}

Executor::~Executor() = default;

void Executor::wake() {
    std::lock_guard lock(impl_->mutex);
    ++impl_->wakes;
    if (!impl_->active.empty()) impl_->work.notify_one();
}

void Executor::hurry() {
    std::lock_guard lock(impl_->mutex);
    if (impl_->released == impl_->numbered) return;
    impl_->release_all();
    impl_->work.notify_one();
}

void Executor::shut_down() {
    for (const auto& stream : Runtime::instance().streams().all())
        if (&stream->device() == &impl_->device) stream->close(ACL_ERROR_RT_STREAM_ABORT);
    std::thread ending;
    {
        std::lock_guard lock(impl_->mutex);
        impl_->stopping = true;
        impl_->work.notify_one();
        ending.swap(impl_->thread);
    }
    if (ending.joinable()) ending.join();
    std::lock_guard lock(impl_->mutex);
    impl_->stopping = false;
    for (Clock::time_point& free_at : impl_->engine_free) free_at = {};
    impl_->transfers = 0;
}

BlockingTransfer::BlockingTransfer() {
    if (profile().timing) called_ = Clock::now();
}

void BlockingTransfer::begin(Executor& executor, std::size_t bytes, bool crosses_link, bool to_host) {
    if (!profile().timing || bytes == 0) return;
    std::lock_guard lock(executor.impl_->mutex);
    end_ = executor.impl_->transfer_end(bytes, crosses_link, to_host, called_);
}

BlockingTransfer::~BlockingTransfer() {
    if (end_ == Clock::time_point{}) return;
    if (end_ - Clock::now() > blocking_slack) std::this_thread::sleep_until(end_ - blocking_slack);
    // Giving the core away here would make the transfer as long as somebody else's time slice.
    while (Clock::now() < end_) {
    }
}

int Executor::utilization() const {
    std::lock_guard lock(impl_->mutex);
    return impl_->active.empty() ? 0 : 100;
}

void wake_all_executors() {
    Runtime& runtime = Runtime::instance();
    for (int id = 0; id < runtime.device_count(); ++id) runtime.device(id)->executor().wake();
}

void hurry_all_executors() {
    Runtime& runtime = Runtime::instance();
    for (int id = 0; id < runtime.device_count(); ++id) runtime.device(id)->executor().hurry();
}

// The queue side of Stream: everything that looks at a queue holds the executor's mutex.

aclError Stream::submit(Task task) {
    if (CaptureRecorder* recorder = capture.load(std::memory_order_acquire)) return recorder->record(*this, std::move(task));
    return enqueue(std::move(task));
}

aclError Stream::enqueue(Task task, std::uint64_t* count) {
    Executor::Impl& executor = *device_.executor().impl_;
    auto context = context_.lock();
    std::lock_guard lock(executor.mutex);
    if (closed_ || !context) return refuse(ACL_ERROR_RT_INVALID_HANDLE, "the stream is gone");
    if (aclError code = context->stopped_by; code && faulty(Fault::stop_mode_takes_new_tasks)) return 0;
    else if (code)
        return refuse(code, "a task of this context failed in stop mode, it takes no more work");
    QueuedTask queued;
    queued.task = std::move(task);
    queued.id = ++executor.last_id;
    queued.thread = this_thread_number();
    queued.submitted = Clock::now();
    queued.key = task_key(ordinal_, submitted_);
    if (auto it = injected_.find(submitted_); it != injected_.end()) {
        queued.injected = it->second;
        injected_.erase(it);
    }
    thread_state().last_task = queued.id;
    if (parks_tasks()) {
        parked_.push_back(std::move(queued));
        return 0;
    }
    queued.number = ++executor.numbered;
    ++submitted_;
    if (count != nullptr) *count = submitted_;
    if (queue_.empty()) executor.active.push_back(shared_from_this());
    executor.note_submission(queued.submitted);
    if (faulty(Fault::stream_order_reversed) && !running_) queue_.push_front(std::move(queued));
    else queue_.push_back(std::move(queued));
    executor.start();
    return 0;
}

aclError Stream::synchronize(std::chrono::milliseconds timeout) {
    if (parks_tasks()) return 0;
    Executor::Impl& executor = *device_.executor().impl_;
    std::unique_lock lock(executor.mutex);
    if (finished_ < submitted_) {
        lock.unlock();
        hurry_all_executors();
        lock.lock();
    }
    const std::uint64_t target = faulty(Fault::sync_stream_last_task_left) && submitted_ > 0 ? submitted_ - 1 : submitted_;
    const std::uint64_t aborts = aborts_;
    auto over = [&] { return finished_ >= target || aborts_ != aborts || closed_; };
    bool in_time = true;
    if (!over()) {
        ++executor.waiters;
        if (timeout.count() < 0) settled_.wait(lock, over);
        else in_time = settled_.wait_for(lock, timeout, over);
        --executor.waiters;
    }
    if (aborts_ != aborts || closed_) return abort_code_;
    if (!in_time) {
        lock.unlock();
        if (faulty(Fault::sync_timeout_drops_tasks)) abort(0);
        return ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
    }
    auto context = context_.lock();
    if (context && context->stopped_by && !faulty(Fault::stop_mode_takes_new_tasks)) return context->stopped_by;
    if (aclError code = sticky_error) return code;
    if (faulty(Fault::failed_task_reported_twice)) return pending_error_;
    return std::exchange(pending_error_, 0);
}

std::vector<Task> Stream::take_parked() {
    std::lock_guard lock(device_.executor().impl_->mutex);
    std::vector<Task> tasks;
    for (QueuedTask& queued : parked_) tasks.push_back(std::move(queued.task));
    parked_.clear();
    return tasks;
}

void Stream::wait_counted(std::uint64_t count) {
    std::unique_lock lock(device_.executor().impl_->mutex);
    settled_.wait(lock, [&] { return finished_ >= count || closed_; });
}

std::atomic<aclError> Stream::sticky_error{0};

aclError Stream::last_error() const {
    std::lock_guard lock(device_.executor().impl_->mutex);
    return last_error_;
}

bool Stream::waits_for_event() const {
    std::lock_guard lock(device_.executor().impl_->mutex);
    return !queue_.empty() && std::string_view(queue_.front().task.kind) == "event wait";
}

bool Stream::ends_with_event_wait() const {
    std::lock_guard lock(device_.executor().impl_->mutex);
    return !queue_.empty() && std::string_view(queue_.back().task.kind) == "event wait";
}

Clock::time_point Stream::task_time() const {
    std::lock_guard lock(device_.executor().impl_->mutex);
    if (!profile().timing || queue_.empty()) return Clock::now();
    return std::max(model_time_, queue_.front().submitted);
}

bool Stream::idle() const {
    std::lock_guard lock(device_.executor().impl_->mutex);
    return finished_ == submitted_;
}

std::optional<aclError> Stream::peek_error() const {
    std::lock_guard lock(device_.executor().impl_->mutex);
    if (pending_error_ == 0) return std::nullopt;
    return pending_error_;
}

void Stream::abort(aclError code) {
    Executor::Impl& executor = *device_.executor().impl_;
    Dropped dropped;
    {
        std::unique_lock lock(executor.mutex);
        executor.drop_queue(*this, dropped);
        ++aborting_;
        settled_.wait(lock, [&] { return !running_; });
        --aborting_;
        executor.drop_queue(*this, dropped);
        ++aborts_;
        abort_code_ = code;
        pending_error_ = 0;
        settled_.notify_all();
    }
    tell_dropped(dropped, code);
}

void Stream::close(aclError code) {
    {
        std::lock_guard lock(device_.executor().impl_->mutex);
        closed_ = true;
    }
    abort(code);
    release_slots();
}

void Stream::inject_error(unsigned k, aclError code) {
    std::lock_guard lock(device_.executor().impl_->mutex);
    injected_[submitted_ + k] = code;
}

}  // namespace aclref
