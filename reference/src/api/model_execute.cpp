// Graph engine: executing models.
#include <chrono>

#include "models/config.hpp"
#include "models/execution.hpp"
#include "runtime/runtime.hpp"
#include "runtime/stream.hpp"
#include "runtime/thread_state.hpp"

using namespace aclref;
using namespace aclref::models;

namespace {

/// Static models run one way only: the two take different paths through the device.
aclError choose_way(Model& model, Way way) {
    if (model.plan().is_dynamic) return 0;
    Way expected = Way::none;
    if (model.way.compare_exchange_strong(expected, way) || expected == way) return 0;
    return refuse(ACL_ERROR_GE_FAILURE, "model %u was executed the other way before", model.id);
}

/// A run of the model on the datasets, checked and ready; null with a recorded code.
std::shared_ptr<Execution> prepare(std::uint32_t id, const aclmdlDataset* input, aclmdlDataset* output, Way way,
                                   const GivenMemory& work, aclError& code) {
    auto inputs = find_dataset(input);
    auto outputs = find_dataset(output);
    if (!inputs || !outputs) {
        code = refuse(ACL_ERROR_INVALID_PARAM, "a dataset is NULL or does not exist");
        return nullptr;
    }
    auto model = require_model(id, code);
    if (!model) return nullptr;
    if (code = check_context(*model); code != 0) return nullptr;
    if (code = choose_way(*model, way); code != 0) return nullptr;
    auto execution = std::make_shared<Execution>(model);
    if (code = execution->use_work(work); code != 0) return nullptr;
    code = execution->bind(*inputs, *outputs, way == Way::synchronous);
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
    return execution->model().queue_operator(execution->first_operator(), [&](Launch& launch) {
        aclError code = stream.submit(task_of(execution));
        launch.stream = static_cast<std::uint32_t>(stream.id());
        launch.task = thread_state().last_task;
        return code;
    });
}

/// The options of a handle; those of none where the product may do without.
std::shared_ptr<ExecutionConfig> options_of(const aclmdlExecConfigHandle* handle, aclError& code) {
    if (handle == nullptr && profile().product != Product::IPV350) return std::make_shared<ExecutionConfig>();
    auto config = handle == nullptr ? nullptr : execution_configs().find(handle);
    if (!config) code = refuse(ACL_ERROR_INVALID_PARAM, "handle is NULL or no configuration");
    return config;
}

/// Runs in the order of the stream and waits, no longer than the options say.
aclError run_on_stream(const std::shared_ptr<Execution>& execution, Stream& stream, const ExecutionConfig& config) {
    if (aclError code = launch(execution, stream)) return code;
    const aclError code = stream.synchronize(std::chrono::milliseconds(config.stream_timeout_ms));
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
    auto execution = prepare(modelId, input, output, Way::synchronous, {}, code);
    if (!execution) return code;
    if (code = run_now(*execution); code != 0) return refuse(code, "model %u failed", modelId);
    return 0;
}

aclError aclmdlExecuteV2(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output, aclrtStream stream,
                         const aclmdlExecConfigHandle* handle) {
    ACLREF_ENTER(aclmdlExecuteV2);
    aclError code = 0;
    auto config = options_of(handle, code);
    if (!config) return code;
    auto execution = prepare(modelId, input, output, Way::synchronous, config->work, code);
    if (!execution) return code;
    auto found = require_stream(stream, code, current_function());
    return found ? run_on_stream(execution, *found, *config) : code;
}

aclError aclmdlExecuteAsync(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output, aclrtStream stream) {
    ACLREF_ENTER(aclmdlExecuteAsync);
    aclError code = 0;
    auto execution = prepare(modelId, input, output, Way::asynchronous, {}, code);
    if (!execution) return code;
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
