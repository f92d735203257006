// Chapter 12, functions of the caller between the tasks of a stream; chapter 24, the same under its IPV350 names.
#include <chrono>
#include <cstdint>

#include "capture/capture.hpp"
#include "base/faults/runtime.hpp"
#include "runtime/host_workers.hpp"
#include "runtime/reports.hpp"
#include "runtime/runtime.hpp"
#include "runtime/stream.hpp"
#include "runtime/thread_state.hpp"

using namespace aclref;

namespace {

/// For faults.
void* low_half(void* argument) {
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(argument))));
}

/// For faults: whether this is the 33rd function that the thread puts on the stream in a row.
bool is_33rd(aclrtStream stream) {
    thread_local constinit aclrtStream last = nullptr;
    thread_local constinit int count = 0;
    count = stream == last ? count + 1 : 1;
    last = stream;
    return count == 33;
}

aclError subscribe(std::uint64_t thread, aclrtStream stream) {
    aclError code = 0;
    auto found = require_any_stream(stream, code, current_function());
    if (!found) return code;
    code = subscribe_reports(thread, *found);
    return code ? refuse(code, "the stream or the thread is subscribed already, or too many threads are") : 0;
}

aclError unsubscribe(std::uint64_t thread, aclrtStream stream) {
    aclError code = 0;
    auto found = require_any_stream(stream, code, current_function());
    if (!found) return code;
    code = unsubscribe_reports(thread, *found);
    return code ? refuse(code, "the stream is not subscribed for this thread") : 0;
}

aclError process(std::int32_t timeout) {
    if (timeout < -1 || timeout == 0)
        return refuse(ACL_ERROR_INVALID_PARAM, "timeout %d ms is neither -1 nor positive", timeout);
    aclError code = process_report(std::chrono::milliseconds(timeout));
    if (code == 0) return 0;
    return refuse(code, code == ACL_ERROR_RT_REPORT_TIMEOUT ? "the time is over and there was no callback"
                                                            : "the thread is not subscribed");
}

/// Runs the function on a thread of the library; the stream goes on when it has returned.
Task host_task(const std::shared_ptr<Stream>& stream, aclrtHostFunc function, void* argument) {
    struct Run {
        std::atomic<int> state{0};  // 0 not started, 1 running, 2 over
    };
    auto run = std::make_shared<Run>();
    Task task;
    task.kind = "host function";
    task.run = [run, function, argument, executor = &stream->device().executor()] {
        int before = 0;
        if (run->state.compare_exchange_strong(before, 1)) {
            run_on_host_worker([run, function, argument, executor] {
                function(argument);
                if (faulty(Fault::host_func_runs_twice)) function(argument);
                run->state = 2;
                executor->wake();
            });
            return faulty(Fault::host_func_does_not_block) ? Progress::Done() : Progress::Waiting();
        }
        if (before == 1) return Progress::Waiting();
        run->state = 0;
        return Progress::Done();
    };
    return task;
}

}  // namespace

extern "C" {

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream) {
    ACLREF_ENTER(aclrtSubscribeReport);
    return subscribe(threadId, stream);
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream) {
    ACLREF_ENTER(aclrtUnSubscribeReport);
    return unsubscribe(threadId, stream);
}

aclError aclrtProcessReport(int32_t timeout) {
    ACLREF_ENTER(aclrtProcessReport);
    return process(timeout);
}

aclError aclrtLaunchCallback(aclrtCallback fn, void* userData, aclrtCallbackBlockType blockType, aclrtStream stream) {
    ACLREF_ENTER(aclrtLaunchCallback);
    ACLREF_REQUIRE_AS(ACL_ERROR_RT_PARAM_INVALID, fn);
    if (blockType != ACL_CALLBACK_NO_BLOCK && blockType != ACL_CALLBACK_BLOCK)
        return refuse(ACL_ERROR_INVALID_PARAM, "blockType %d does not exist", blockType);
    aclError code = 0;
    auto found = require_stream(stream, code, current_function());
    if (!found) return code;
    if (!has_report_thread(*found) && !faulty(Fault::callback_without_thread_accepted))
        return refuse(ACL_ERROR_RT_STREAM_NO_CB_REG, "no thread is subscribed for the stream");
    if (faulty(Fault::callback_at_submit)) {
        fn(userData);
        return 0;
    }
    if (faulty(Fault::callback_argument_of_32_bits)) userData = low_half(userData);
    if (is_33rd(stream) && faulty(Fault::callback_33rd_lost)) fn = [](void*) {};
    bool blocks = blockType == ACL_CALLBACK_BLOCK && !faulty(Fault::callback_does_not_block);
    blocks = blocks || faulty(Fault::callback_always_blocks);
    return found->submit(callback_task(found, fn, userData, blocks));
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
    ACLREF_ENTER(aclrtLaunchHostFunc);
    ACLREF_REQUIRE_AS(ACL_ERROR_RT_PARAM_INVALID, fn);
    aclError code = 0;
    auto found = require_stream(stream, code, current_function());
    if (!found) return code;
    if (has_report_thread(*found))
        return refuse(ACL_ERROR_RT_STREAM_SUBSCRIBE, "the stream uses the other kind of callbacks");
    if (faulty(Fault::host_func_on_default_stream_at_once) && found->is_default()) {
        fn(args);
        return 0;
    }
    if (faulty(Fault::host_func_argument_of_32_bits)) args = low_half(args);
    if (is_33rd(stream) && faulty(Fault::host_func_33rd_lost)) fn = [](void*) {};
    return found->submit(host_task(found, fn, args));
}

aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream) {
    ACLREF_ENTER(aclrtSubscribeHostFunc);
    ACLREF_REQUIRE(exeStream);
    return subscribe(hostFuncThreadId, exeStream);
}

aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream) {
    ACLREF_ENTER(aclrtUnSubscribeHostFunc);
    ACLREF_REQUIRE(exeStream);
    return unsubscribe(hostFuncThreadId, exeStream);
}

aclError aclrtProcessHostFunc(int32_t timeout) {
    ACLREF_ENTER(aclrtProcessHostFunc);
    return process(timeout);
}

aclError aclrtGetThreadLastTaskId(uint32_t* taskId) {
    ACLREF_ENTER(aclrtGetThreadLastTaskId);
    ACLREF_REQUIRE(taskId);
    aclError code = 0;
    if (!require_context(code, current_function())) return code;
    *taskId = faulty(Fault::last_task_zero) ? 0 : thread_state().last_task;
    return 0;
}

}  // extern "C"
