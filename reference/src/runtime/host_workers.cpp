#include "runtime/host_workers.hpp"

#include <pthread.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace aclref {

namespace {

class Workers {
public:
    void run(std::function<void()> function) {
        std::unique_lock lock(mutex_);
        queue_.push_back(std::move(function));
        if (queue_.size() <= idle_) {
            work_.notify_one();
            return;
        }
        lock.unlock();
        // Detached: a function of the caller may never return, and nothing may wait for it.
        std::thread([this] { loop(); }).detach();
    }

private:
    void loop() {
        pthread_setname_np(pthread_self(), "aclref-host");
        std::unique_lock lock(mutex_);
        for (;;) {
            ++idle_;
            work_.wait(lock, [this] { return !queue_.empty(); });
            --idle_;
            auto function = std::move(queue_.front());
            queue_.pop_front();
            lock.unlock();
            function();
            function = nullptr;
            lock.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable work_;
    std::deque<std::function<void()>> queue_;
    std::size_t idle_ = 0;
};

}  // namespace

void run_on_host_worker(std::function<void()> function) {
    // Never destroyed: its threads run until the process ends.
    static auto* workers = new Workers;
    workers->run(std::move(function));
}

}  // namespace aclref
