// Graph engine: executing models.
#include "models/execution.hpp"
#include "runtime/runtime.hpp"
#include "runtime/stream.hpp"

using namespace aclref;
using namespace aclref::models;

namespace {

/// What one execution works on.
struct Prepared {
    std::shared_ptr<Model> model;
    std::shared_ptr<Execution> execution;
};

/// Static models run one way only: the two take different paths through the device.
aclError choose_way(Model& model, Way way) {
    if (model.plan().is_dynamic) return 0;
    Way expected = Way::none;
    if (model.way.compare_exchange_strong(expected, way) || expected == way) return 0;
    return refuse(ACL_ERROR_GE_FAILURE, "model %u was executed the other way before", model.id);
}

aclError prepare(std::uint32_t id, const aclmdlDataset* input, aclmdlDataset* output, Way way, Prepared& out) {
    ACLREF_REQUIRE(input);
    ACLREF_REQUIRE(output);
    auto inputs = find_dataset(input);
    auto outputs = find_dataset(output);
    if (!inputs || !outputs) return refuse(ACL_ERROR_INVALID_PARAM, "a dataset does not exist");
    aclError code = 0;
    out.model = require_model(id, code);
    if (!out.model) return code;
    if (code = check_context(*out.model); code != 0) return code;
    if (code = choose_way(*out.model, way); code != 0) return code;
    out.execution = std::make_shared<Execution>(out.model);
    return out.execution->bind(*inputs, *outputs, way == Way::synchronous);
}

}  // namespace

extern "C" {

aclError aclmdlExecute(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output) {
    ACLREF_ENTER(aclmdlExecute);
    Prepared prepared;
    if (aclError code = prepare(modelId, input, output, Way::synchronous, prepared)) return code;
    if (aclError code = run_now(*prepared.execution)) return refuse(code, "model %u failed", modelId);
    return 0;
}

aclError aclmdlExecuteAsync(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output, aclrtStream stream) {
    ACLREF_ENTER(aclmdlExecuteAsync);
    aclError code = 0;
    Prepared prepared;
    ACLREF_REQUIRE(input);
    ACLREF_REQUIRE(output);
    auto found = require_stream(stream, code, current_function());
    if (!found) return code;
    if (code = prepare(modelId, input, output, Way::asynchronous, prepared); code != 0) return code;
    Task task;
    task.kind = "model";
    task.run = [execution = prepared.execution] { return execution->advance(); };
    return found->submit(std::move(task));
}

}  // extern "C"
