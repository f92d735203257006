#include "copy/queue.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>

namespace aclref {

namespace {

struct Completion {
    std::mutex mutex;
    std::condition_variable changed;
    bool over = false;
    aclError code = 0;

    void finish(aclError result) {
        {
            std::scoped_lock lock(mutex);
            over = true;
            code = result;
        }
        changed.notify_all();
    }
    aclError wait() {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return over; });
        return code;
    }
};

}  // namespace

aclError submit_and_wait(Stream& stream, Task task) {
    // Tasks of such a stream wait for an instance; waiting for them would be for ever.
    if (stream.parks_tasks()) return task.run().code;
    auto completion = std::make_shared<Completion>();
    task.run = [completion, run = std::move(task.run)] {
        Progress progress = run();
        if (progress.kind != Progress::waiting) completion->finish(progress.code);
        return progress;
    };
    task.dropped = [completion](aclError code) { completion->finish(code); };
    std::uint64_t count = 0;
    if (aclError code = stream.enqueue(std::move(task), &count)) return code;
    // Earlier work may wait for other devices: nobody holds work back while we wait.
    hurry_all_executors();
    aclError code = completion->wait();
    stream.wait_counted(count);
    if (code != 0) return fail(code, "the copy was not done on its stream");
    return 0;
}

Task late(Task task) {
    task.run = [due = Clock::now() + std::chrono::milliseconds(50), run = std::move(task.run)] {
        return Clock::now() < due ? Progress::Waiting(due) : run();
    };
    return task;
}

void wait_for_default_stream(Context& context) {
    if (auto stream = context.default_stream()) stream->synchronize();
}

}  // namespace aclref
