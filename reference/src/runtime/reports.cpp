#include "runtime/reports.hpp"

#include <pthread.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/faults/runtime.hpp"

namespace aclref {

namespace {

/// One launch of a callback.
struct Report {
    enum class State { waiting, over, abandoned } state = State::waiting;
    aclrtCallback function = nullptr;
    void* argument = nullptr;
    std::int32_t stream = 0;
};

struct ReportThread {
    int device = 0;
    std::size_t streams = 0;
    std::deque<std::shared_ptr<Report>> queue;
};

struct Reports {
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::uint64_t, ReportThread> threads;
    std::map<aclrtStream, std::uint64_t> thread_of;
};

Reports& reports() {
    static auto* instance = new Reports;
    return *instance;
}

std::uint64_t this_thread() { return static_cast<std::uint64_t>(::pthread_self()); }

/// Takes the stream from its thread. Callbacks of it that nobody will run any more are given up. The lock is held.
void detach(Reports& all, std::uint64_t thread, const Stream& stream) {
    all.thread_of.erase(stream.handle);
    if (faulty(Fault::report_unsubscribe_spreads))
        std::erase_if(all.thread_of, [&](const auto& entry) { return entry.second == thread; });
    auto it = all.threads.find(thread);
    if (it == all.threads.end()) return;
    std::erase_if(it->second.queue, [&](const std::shared_ptr<Report>& report) {
        if (report->stream != stream.id()) return false;
        report->state = Report::State::abandoned;
        return true;
    });
    if (--it->second.streams == 0) all.threads.erase(it);
    all.changed.notify_all();
}

bool hand_over(const Stream& stream, const std::shared_ptr<Report>& report) {
    Reports& all = reports();
    std::lock_guard lock(all.mutex);
    auto it = all.thread_of.find(stream.handle);
    if (it == all.thread_of.end()) return false;
    all.threads[it->second].queue.push_back(report);
    all.changed.notify_all();
    return true;
}

Report::State state_of(const Report& report) {
    std::lock_guard lock(reports().mutex);
    return report.state;
}

}  // namespace

aclError subscribe_reports(std::uint64_t thread, const Stream& stream) {
    Reports& all = reports();
    std::lock_guard lock(all.mutex);
    if (all.thread_of.count(stream.handle)) return ACL_ERROR_RT_STREAM_SUBSCRIBE;
    auto it = all.threads.find(thread);
    if (it == all.threads.end()) {
        if (all.threads.size() >= most_report_threads && !faulty(Fault::report_threads_unlimited)) return ACL_ERROR_RT_INTERNAL_ERROR;
        it = all.threads.emplace(thread, ReportThread{stream.device().id(), 0, {}}).first;
    } else if (it->second.device != stream.device().id() && !faulty(Fault::report_thread_of_two_devices)) {
        return ACL_ERROR_RT_THREAD_SUBSCRIBE;
    }
    if (it->second.streams > 0 && faulty(Fault::report_thread_serves_one)) return ACL_ERROR_RT_THREAD_SUBSCRIBE;
    ++it->second.streams;
    all.thread_of[stream.handle] = thread;
    return 0;
}

aclError unsubscribe_reports(std::uint64_t thread, const Stream& stream) {
    Reports& all = reports();
    {
        std::lock_guard lock(all.mutex);
        auto it = all.thread_of.find(stream.handle);
        if (it == all.thread_of.end()) return ACL_ERROR_RT_STREAM_SUBSCRIBE;
        if (it->second != thread) return ACL_ERROR_RT_THREAD_SUBSCRIBE;
        if (faulty(Fault::report_unsubscribe_ignored)) return 0;
        detach(all, thread, stream);
    }
    wake_all_executors();
    return 0;
}

bool has_report_thread(const Stream& stream) {
    Reports& all = reports();
    std::lock_guard lock(all.mutex);
    return all.thread_of.count(stream.handle) > 0;
}

Task callback_task(const std::shared_ptr<Stream>& stream, aclrtCallback function, void* argument, bool blocks) {
    Task task;
    task.kind = "callback";
    auto under_way = std::make_shared<std::shared_ptr<Report>>();
    task.run = [on = std::weak_ptr(stream), function, argument, blocks, under_way]() -> Progress {
        if (!*under_way) {
            auto report = std::make_shared<Report>();
            report->function = function;
            report->argument = argument;
            auto stream = on.lock();
            report->stream = stream ? stream->id() : -1;
            if (!stream || !hand_over(*stream, report)) return Progress::Failed(ACL_ERROR_RT_STREAM_NO_CB_REG);
            if (!blocks) return Progress::Done();
            *under_way = report;
        }
        Report::State state = state_of(**under_way);
        if (state == Report::State::waiting) return Progress::Waiting();
        under_way->reset();
        return state == Report::State::over ? Progress::Done() : Progress::Failed(ACL_ERROR_RT_STREAM_NO_CB_REG);
    };
    return task;
}

aclError process_report(std::chrono::milliseconds timeout) {
    Reports& all = reports();
    std::unique_lock lock(all.mutex);
    const std::uint64_t thread = this_thread();
    auto mine = [&] { return all.threads.find(thread); };
    if (mine() == all.threads.end()) return ACL_ERROR_RT_THREAD_SUBSCRIBE;
    auto something = [&] { return mine() == all.threads.end() || !mine()->second.queue.empty(); };
    if (timeout.count() >= 0 && !something() && faulty(Fault::process_report_returns_at_once))
        return ACL_ERROR_RT_REPORT_TIMEOUT;
    if (timeout.count() < 0) all.changed.wait(lock, something);
    else if (!all.changed.wait_for(lock, timeout, something))
        return faulty(Fault::report_expiry_wrong_code) ? ACL_ERROR_RT_THREAD_SUBSCRIBE : ACL_ERROR_RT_REPORT_TIMEOUT;
    if (mine() == all.threads.end()) return ACL_ERROR_RT_THREAD_SUBSCRIBE;
    auto report = mine()->second.queue.front();
    mine()->second.queue.pop_front();
    lock.unlock();
    report->function(report->argument);
    if (faulty(Fault::callback_runs_twice)) report->function(report->argument);
    lock.lock();
    report->state = Report::State::over;
    lock.unlock();
    wake_all_executors();
    return 0;
}

std::uint64_t report_thread_count() {
    std::lock_guard lock(reports().mutex);
    return reports().threads.size();
}

void forget_stream_reports(const Stream& stream) {
    Reports& all = reports();
    std::lock_guard lock(all.mutex);
    auto it = all.thread_of.find(stream.handle);
    if (it != all.thread_of.end()) detach(all, it->second, stream);
}

void forget_reports() {
    Reports& all = reports();
    std::lock_guard lock(all.mutex);
    for (auto& [thread, entry] : all.threads)
        for (auto& report : entry.queue) report->state = Report::State::abandoned;
    all.threads.clear();
    all.thread_of.clear();
    all.changed.notify_all();
}

}  // namespace aclref
