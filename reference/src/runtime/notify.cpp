#include "runtime/notify.hpp"
#include "base/faults/runtime.hpp"

#include <algorithm>
#include <utility>

namespace aclref {

namespace {

/// Other processes cannot wake us: what they change is looked at this often.
constexpr auto shared_poll = std::chrono::milliseconds(1);

std::uint32_t next_id() {
    static constinit std::atomic<std::uint32_t> next{0};
    return next.fetch_add(1, std::memory_order_relaxed);
}

std::chrono::milliseconds bound_of(std::uint32_t seconds) {
    if (faulty(Fault::notify_bound_in_milliseconds)) return std::chrono::milliseconds(seconds);
    return std::chrono::seconds(seconds);
}

/// A task that asks `released` until it says when that happened, or the time is over.
Task waiting_task(const char* kind, std::function<std::optional<Clock::time_point>()> released, std::uint32_t seconds,
                  std::function<bool()> shared) {
    auto begun = std::make_shared<Clock::time_point>(Clock::time_point::max());
    Task task;
    task.kind = kind;
    task.run = [released = std::move(released), shared = std::move(shared), begun, limit = bound_of(seconds)] {
        if (auto at = released()) {
            *begun = Clock::time_point::max();
            return Progress::Done(*at);
        }
        if (*begun == Clock::time_point::max()) *begun = Clock::now();
        auto until = shared() ? Clock::now() + shared_poll : Clock::time_point::max();
        if (limit.count() > 0) {
            if (Clock::now() >= *begun + limit) {
                *begun = Clock::time_point::max();
                return Progress::Failed(ACL_ERROR_RT_WAIT_TIMEOUT);
            }
            until = std::min(until, *begun + limit);
        }
        return Progress::Waiting(until);
    };
    return task;
}

}  // namespace

Notify::Notify(Device& device, std::shared_ptr<SharedWord> imported)
    : device_(device), id_(next_id()), imported_(imported != nullptr), shared_(std::move(imported)) {}

Notify::~Notify() { retire(); }

void Notify::retire() {
    if (retired_.exchange(true)) return;
    if (!imported_) device_.notifies.fetch_sub(1, std::memory_order_relaxed);
    std::lock_guard lock(mutex_);
    if (shared_) shared_->retire();
}

std::optional<Clock::time_point> Notify::take() {
    std::lock_guard lock(mutex_);
    bool keeps = faulty(Fault::notify_not_reset);
    if (shared_) {
        auto& word = shared_->block().set;
        if ((keeps ? word.load() : word.exchange(0)) == 0) return std::nullopt;
        // When another process has set it nobody knows.
        return Clock::now();
    }
    if (!(keeps ? set_ : std::exchange(set_, false))) return std::nullopt;
    return set_at_;
}

void Notify::set(Clock::time_point at) {
    {
        std::lock_guard lock(mutex_);
        if (imported_ && faulty(Fault::notify_import_record_lost)) return;
        if (shared_) shared_->block().set.store(1);
        else set_ = true;
        set_at_ = at;
    }
    wake_all_executors();
}

Task Notify::record_task(const std::shared_ptr<Stream>& stream) {
    Task task;
    task.kind = "notify record";
    // A task must not keep its stream alive; and a captured one may be replayed when the stream is gone.
    task.run = [notify = shared_from_this(), on = std::weak_ptr(stream)] {
        auto recorder = on.lock();
        notify->set(recorder ? recorder->task_time() : Clock::now());
        return Progress::Done();
    };
    return task;
}

Task Notify::wait_task(std::uint32_t seconds) {
    auto self = shared_from_this();
    return waiting_task(
        "notify wait", [self] { return self->take(); }, seconds,
        [self] {
            std::lock_guard lock(self->mutex_);
            return self->shared_ != nullptr;
        });
}

void Notify::clear() {
    std::lock_guard lock(mutex_);
    set_ = false;
    if (shared_) shared_->block().set.store(0);
}

std::shared_ptr<SharedWord> Notify::share() {
    std::shared_ptr<SharedWord> shared;
    {
        std::lock_guard lock(mutex_);
        if (shared_) return shared_;
        shared = shared_ = SharedWord::create();
        if (shared) shared->block().set.store(set_ ? 1 : 0);
    }
    // What waits already has to look at the shared word from now on.
    if (!faulty(Fault::notify_shared_late_not_heard)) wake_all_executors();
    return shared;
}

CountNotify::CountNotify(Device& device) : device_(device), id_(next_id()) {}

CountNotify::~CountNotify() { device_.notifies.fetch_sub(1, std::memory_order_relaxed); }

Task CountNotify::record_task(aclrtCntNotifyRecordInfo info) {
    Task task;
    task.kind = "notify record";
    task.run = [self = shared_from_this(), info] {
        {
            std::lock_guard lock(self->mutex_);
            switch (info.mode) {
                case ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE: self->count_ = info.value; break;
                case ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE:
                    self->count_ = faulty(Fault::count_notify_add_sets) ? info.value : self->count_ + info.value;
                    break;
                case ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE:
                    if (faulty(Fault::count_notify_or_is_and)) self->count_ &= info.value;
                    else self->count_ |= info.value;
                    break;
                case ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE: self->count_ &= info.value; break;
            }
            self->recorded_at_ = Clock::now();
        }
        wake_all_executors();
        return Progress::Done();
    };
    return task;
}

std::optional<Clock::time_point> CountNotify::released(const aclrtCntNotifyWaitInfo& info) {
    std::lock_guard lock(mutex_);
    bool yes = false;
    switch (info.mode) {
        case ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE:
            yes = faulty(Fault::count_notify_less_includes_equal) ? count_ <= info.value : count_ < info.value;
            break;
        case ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE:
            yes = count_ == info.value;
            if (faulty(Fault::count_notify_equal_in_16_bits)) yes = (count_ & 0xFFFF) == (info.value & 0xFFFF);
            break;
        case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE: yes = count_ > info.value; break;
        case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE: yes = count_ >= info.value; break;
        case ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE:
            yes = (count_ & info.value) == info.value;
            if (faulty(Fault::count_notify_any_bit)) yes = (count_ & info.value) != 0;
            break;
    }
    if (info.mode <= ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE && faulty(Fault::count_notify_has_a_sign)) {
        auto difference = std::int64_t{static_cast<std::int32_t>(count_)} - static_cast<std::int32_t>(info.value);
        yes = info.mode == ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE     ? difference < 0
              : info.mode == ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE  ? difference == 0
              : info.mode == ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE ? difference > 0
                                                                : difference >= 0;
    }
    if (yes && info.isClear && !faulty(Fault::count_notify_clear_ignored)) count_ = 0;
    if (yes && faulty(Fault::count_notify_always_cleared)) count_ = 0;
    return yes ? std::optional(recorded_at_) : std::nullopt;
}

Task CountNotify::wait_task(aclrtCntNotifyWaitInfo info) {
    return waiting_task(
        "notify wait", [self = shared_from_this(), info] { return self->released(info); },
        faulty(Fault::count_notify_bound_ignored) ? 0 : info.timeout,
        [] { return false; });
}

Task CountNotify::reset_task() {
    const auto mode = faulty(Fault::count_notify_reset_ignored) ? ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE
                                                                 : ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE;
    aclrtCntNotifyRecordInfo zero{mode, 0};
    return record_task(zero);
}

}  // namespace aclref
