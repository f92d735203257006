// Notifies: one record releases one wait. Counting notifies: a number that waits compare with.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "runtime/shared_word.hpp"
#include "runtime/stream.hpp"

namespace aclref {

class Notify : public std::enable_shared_from_this<Notify> {
public:
    /// `imported`: the block of another process's notify.
    explicit Notify(Device& device, std::shared_ptr<SharedWord> imported = nullptr);
    ~Notify();
    Notify(const Notify&) = delete;
    Notify& operator=(const Notify&) = delete;

    Device& device() const { return device_; }
    std::uint32_t id() const { return id_; }
    bool imported() const { return imported_; }
    aclrtNotify handle = nullptr;

    Task record_task(const std::shared_ptr<Stream>& stream);
    /// `seconds` 0: waits for ever.
    Task wait_task(std::uint32_t seconds);
    void clear();

    /// The notify is destroyed: it can no longer be imported, and its place on the device is free.
    void retire();

    /// The block other processes can open, made on first use; null when the system has none left.
    std::shared_ptr<SharedWord> share();

private:
    std::optional<Clock::time_point> take();
    void set(Clock::time_point at);

    Device& device_;
    const std::uint32_t id_;
    const bool imported_;
    std::atomic<bool> retired_{false};
    std::mutex mutex_;
    bool set_ = false;  ///< until the notify is shared, then the word of the block counts
    Clock::time_point set_at_{};
    std::shared_ptr<SharedWord> shared_;
};

class CountNotify : public std::enable_shared_from_this<CountNotify> {
public:
    explicit CountNotify(Device& device);
    ~CountNotify();
    CountNotify(const CountNotify&) = delete;
    CountNotify& operator=(const CountNotify&) = delete;

    std::uint32_t id() const { return id_; }

    Task record_task(aclrtCntNotifyRecordInfo info);
    Task wait_task(aclrtCntNotifyWaitInfo info);
    Task reset_task();

private:
    std::optional<Clock::time_point> released(const aclrtCntNotifyWaitInfo& info);

    Device& device_;
    const std::uint32_t id_;
    std::mutex mutex_;
    std::uint32_t count_ = 0;
    Clock::time_point recorded_at_ = Clock::time_point::min();
};

}  // namespace aclref
