// Graph engine: executing models.
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "base/faults/models.hpp"
#include "models/config.hpp"
#include "models/execution.hpp"
#include "models/sources.hpp"
#include "runtime/runtime.hpp"
#include "runtime/stream.hpp"
#include "runtime/thread_state.hpp"

using namespace aclref;
using namespace aclref::models;

namespace {

/// Static models run one way only: the two take different paths through the device.
aclError choose_way(Model& model, Way way) {
    if (model.plan().is_dynamic || faulty(Fault::run_both_ways)) return 0;
    Way expected = Way::none;
    if (model.way.compare_exchange_strong(expected, way) || expected == way) return 0;
    if (faulty(Fault::run_both_ways_in_the_end)) model.way = way;
    return refuse(ACL_ERROR_GE_FAILURE, "model %u was executed the other way before", model.id);
}

/// A run of the model on the datasets, checked and ready; null with a recorded code.
std::shared_ptr<Execution> prepare(std::uint32_t id, const aclmdlDataset* input, aclmdlDataset* output, Way way,
                                   const GivenMemory& work, aclError& code, bool allocate = true) {
    auto inputs = find_dataset(input);
    auto outputs = find_dataset(output);
    if (!inputs || !outputs) {
        code = refuse(ACL_ERROR_INVALID_PARAM, "a dataset is NULL or does not exist");
        return nullptr;
    }
    if (faulty(Fault::load_weights_of_image_lost) && (code = check_noted_image()) != 0) return nullptr;
    auto model = require_model(id, code);
    if (!model) return nullptr;
    if (model->stuck) {
        code = refuse(ACL_ERROR_GE_FAILURE, "model %u is busy", id);
        return nullptr;
    }
    if (code = check_context(*model); code != 0) return nullptr;
    if (code = choose_way(*model, way); code != 0) return nullptr;
    auto execution = std::make_shared<Execution>(model);
    if (code = execution->use_work(work); code != 0) return nullptr;
    code = execution->bind(*inputs, *outputs, allocate && way == Way::synchronous);
    if (faulty(Fault::run_on_second_device_empty) && model->device() != 0) execution->cancel();
    if (faulty(Fault::run_after_refused_outputs_is_stale)) {
        if (code == 0 && model->stale.exchange(false)) execution->cancel();
        if (code != 0 && outputs->entries.empty() && !inputs->entries.empty()) model->stale = true;
    }
    if (faulty(Fault::run_after_refusal_is_stale)) {
        if (code == 0 && model->stale.exchange(false)) execution->cancel();
        if (code != 0) model->stale = true;
    }
    return code == 0 ? execution : nullptr;
}

Task task_of(const std::shared_ptr<Execution>& execution) {
    Task task;
    task.kind = "model";
    task.run = [execution] { return execution->advance(); };
    return task;
}

/// Queues the run and remembers which task it is.
aclError launch(const std::shared_ptr<Execution>& execution, Stream& stream) {
    if (faulty(Fault::async_run_overtakes)) return run_now(*execution);
    static std::weak_ptr<Execution> before;
    if (faulty(Fault::async_one_run_for_all)) {
        if (auto other = before.lock()) other->cancel();
        before = execution;
    }
    if (faulty(Fault::async_run_behind_another_dropped) && execution->model().queued++ > 0) execution->cancel();
    return execution->model().queue_operator(execution->first_operator(), [&](Launch& launch) {
        aclError code = stream.submit(task_of(execution));
        launch.stream = static_cast<std::uint32_t>(stream.id());
        launch.task = thread_state().last_task;
        return code;
    });
}

/// The options of a handle; those of none where the product may do without.
std::shared_ptr<ExecutionConfig> options_of(const aclmdlExecConfigHandle* handle, aclError& code) {
    const bool needed = profile().product == Product::IPV350 ? !faulty(Fault::handle_not_needed_on_ipv350) : faulty(Fault::v2_handle_needed);
    if (handle == nullptr && !needed) return std::make_shared<ExecutionConfig>();
    auto config = handle == nullptr ? nullptr : execution_configs().find(handle);
    if (!config) code = refuse(ACL_ERROR_INVALID_PARAM, "handle is NULL or no configuration");
    return config;
}

/// Runs in the order of the stream and waits, no longer than the options say.
aclError run_on_stream(const std::shared_ptr<Execution>& execution, Stream& stream, const ExecutionConfig& config) {
    if (aclError code = launch(execution, stream)) return code;
    const int bound = faulty(Fault::v2_bound_ignored) ? -1 : config.stream_timeout_ms;
    if (bound > 0 && faulty(Fault::v2_bound_expires_at_once)) return refuse(ACL_ERROR_GE_FAILURE, "the model took longer than %d ms", bound);
    const aclError code = stream.synchronize(std::chrono::milliseconds(bound));
    if (code != ACL_ERROR_RT_STREAM_SYNC_TIMEOUT) return code == 0 ? 0 : refuse(code, "the model failed");
    execution->cancel();
    wake_all_executors();
    return refuse(ACL_ERROR_GE_FAILURE, "the model took longer than %d ms", config.stream_timeout_ms);
}

}  // namespace

extern "C" {

aclError aclmdlExecute(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output) {
    ACLREF_ENTER(aclmdlExecute);
    aclError code = 0;
    std::unique_lock<std::mutex> faulty_lock(one_at_a_time(), std::defer_lock);
    if (faulty(Fault::load_holds_runs_up)) faulty_lock.lock();
    auto execution = prepare(modelId, input, output, Way::synchronous, {}, code);
    if (!execution) return code;
    if (faulty(Fault::run_is_not_waited_for)) {
        auto stream = require_stream(nullptr, code, current_function());
        return stream ? stream->submit(task_of(execution)) : code;
    }
    static std::atomic<int> running{0};
    const struct Count {
        Count() { ++running; }
        ~Count() { --running; }
    } count;
    if (faulty(Fault::run_one_model_at_a_time)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (faulty(Fault::run_one_model_at_a_time) && running > 1) return refuse(ACL_ERROR_GE_FAILURE, "a model is running");
    if (code = run_now(*execution); code != 0) {
        if (faulty(Fault::run_failure_hidden)) return 0;
        if (faulty(Fault::run_failure_told_once) && execution->model().stale.exchange(true)) return 0;
        if (faulty(Fault::run_busy_after_failure)) execution->model().stuck = true;
        return refuse(code, "model %u failed", modelId);
    }
    return 0;
}

aclError aclmdlExecuteV2(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output, aclrtStream stream,
                         const aclmdlExecConfigHandle* handle) {
    ACLREF_ENTER(aclmdlExecuteV2);
    aclError code = 0;
    auto config = options_of(handle, code);
    if (!config) return code;
    auto execution = prepare(modelId, input, output, Way::synchronous, config->work, code, !faulty(Fault::v2_open_output_refused));
    if (!execution) return code;
    if (faulty(Fault::v2_second_input_only) && handle != nullptr) execution->cancel();
    auto found = require_stream(stream, code, current_function());
    return found ? run_on_stream(execution, *found, *config) : code;
}

aclError aclmdlExecuteAsync(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output, aclrtStream stream) {
    ACLREF_ENTER(aclmdlExecuteAsync);
    aclError code = 0;
    auto execution = prepare(modelId, input, output, Way::asynchronous, {}, code);
    if (!execution) return code;
    if (faulty(Fault::async_run_blocks)) return run_now(*execution);
    if (stream == nullptr && faulty(Fault::async_default_stream_overtakes)) return run_now(*execution);
    if (stream == nullptr && faulty(Fault::async_default_stream_refused)) return refuse(ACL_ERROR_INVALID_PARAM, "stream is NULL");
    if (faulty(Fault::async_foreign_stream))
        if (auto any = require_any_stream(stream, code, current_function())) return launch(execution, *any);
    auto found = require_stream(stream, code, current_function());
    return found ? launch(execution, *found) : code;
}

aclError aclmdlExecuteAsyncV2(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output, aclrtStream stream,
                              const aclmdlExecConfigHandle* handle) {
    ACLREF_ENTER(aclmdlExecuteAsyncV2);
    ACLREF_REQUIRE(stream);
    aclError code = 0;
    auto config = options_of(handle, code);
    if (!config) return code;
    auto execution = prepare(modelId, input, output, Way::asynchronous, config->work, code);
    if (!execution) return code;
    auto found = require_stream(stream, code, current_function());
    return found ? launch(execution, *found) : code;
}

}  // extern "C"
