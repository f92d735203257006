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

/// A task that asks `released` until it says yes or the time is over.
Task waiting_task(const char* kind, std::function<bool()> released, std::uint32_t seconds, std::function<bool()> shared) {
    auto begun = std::make_shared<Clock::time_point>(Clock::time_point::max());
    Task task;
    task.kind = kind;
    task.run = [released = std::move(released), shared = std::move(shared), begun, limit = std::chrono::seconds(seconds)] {
        if (released()) {
            *begun = Clock::time_point::max();
            return Progress::Done();
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

bool Notify::take() {
    std::lock_guard lock(mutex_);
    if (faulty(Fault::notify_not_reset)) return shared_ ? shared_->block().set.load() != 0 : set_;
    return shared_ ? shared_->block().set.exchange(0) != 0 : std::exchange(set_, false);
}

void Notify::set() {
    {
        std::lock_guard lock(mutex_);
        if (shared_) shared_->block().set.store(1);
        else set_ = true;
    }
    wake_all_executors();
}

Task Notify::record_task() {
    Task task;
    task.kind = "notify record";
    task.run = [notify = shared_from_this()] {
        notify->set();
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
    std::lock_guard lock(mutex_);
    if (!shared_) {
        shared_ = SharedWord::create();
        if (shared_) shared_->block().set.store(set_ ? 1 : 0);
    }
    return shared_;
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
                case ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE: self->count_ += info.value; break;
                case ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE: self->count_ |= info.value; break;
                case ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE: self->count_ &= info.value; break;
            }
        }
        wake_all_executors();
        return Progress::Done();
    };
    return task;
}

bool CountNotify::released(const aclrtCntNotifyWaitInfo& info) {
    std::lock_guard lock(mutex_);
    bool yes = false;
    switch (info.mode) {
        case ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE: yes = count_ < info.value; break;
        case ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE: yes = count_ == info.value; break;
        case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE: yes = count_ > info.value; break;
        case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE: yes = count_ >= info.value; break;
        case ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE: yes = (count_ & info.value) == info.value; break;
    }
    if (yes && info.isClear) count_ = 0;
    return yes;
}

Task CountNotify::wait_task(aclrtCntNotifyWaitInfo info) {
    return waiting_task(
        "notify wait", [self = shared_from_this(), info] { return self->released(info); }, info.timeout,
        [] { return false; });
}

Task CountNotify::reset_task() {
    aclrtCntNotifyRecordInfo zero{ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 0};
    return record_task(zero);
}

}  // namespace aclref
