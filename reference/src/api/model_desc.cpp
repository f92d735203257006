// Graph engine: descriptions of models: made, filled, and how much goes in and out.
#include <utility>

#include "base/faults/models.hpp"
#include "models/bundle.hpp"
#include "models/description.hpp"
#include "models/model.hpp"
#include "models/sources.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;
using namespace aclref::models;

namespace {

/// Fills from a source that was read with this code.
aclError fill_from(Description& description, const Source& source, aclError code) {
    if (faulty(Fault::model_desc_of_file_loads) && code == 0) {
        LoadRequest request;
        request.plan = source.plan;
        std::uint32_t id = 0;
        (void)load(std::move(request), id);
    }
    if (code == 0) fill(description, source.plan, 0);
    else if (faulty(Fault::model_desc_bad_content_accepted)) return 0;
    return code;
}

/// A count or a size, which NULL and empty descriptions do not have; what a broken library has instead.
std::size_t none() { return faulty(Fault::model_desc_null_has_figures) ? 1 : 0; }

std::size_t count(const aclmdlDesc* handle, Side (*side)(const Description&)) {
    auto description = find_description(handle);
    if (!description) return none();
    if (faulty(Fault::model_desc_fresh_has_input) && !description->plan) return 1;
    return side(*description).size();
}

std::size_t size(const aclmdlDesc* handle, std::size_t index, Side (*side)(const Description&),
                 std::uint64_t (*bytes)(const Plan&, std::size_t)) {
    auto description = find_description(handle);
    if (!description) return none();
    if (index >= side(*description).size()) return faulty(Fault::model_desc_size_of_any_index) ? 4 : 0;
    const Tensor& tensor = (*side(*description).tensors)[index];
    std::size_t told = bytes(*description->plan, faulty(Fault::model_desc_sizes_alike) ? 0 : index);
    if (faulty(Fault::model_desc_size_in_elements)) told /= element_bytes(tensor.type);
    if (faulty(Fault::model_desc_unbounded_has_size) && told == 0) told = 4;
    return told;
}

}  // namespace

extern "C" {

aclmdlDesc* aclmdlCreateDesc() {
    if (enter(Function::aclmdlCreateDesc) != 0) return nullptr;
    if (faulty(Fault::model_desc_needs_device) && !Runtime::instance().current_context()) return nullptr;
    static thread_local aclmdlDesc* last = nullptr;
    if (faulty(Fault::model_desc_shared) && find_description(last)) return last;
    return last = static_cast<aclmdlDesc*>(descriptions().add(std::make_shared<Description>()));
}

aclError aclmdlDestroyDesc(aclmdlDesc* modelDesc) {
    ACLREF_ENTER(aclmdlDestroyDesc);
    if (faulty(Fault::model_desc_null_accepted) && modelDesc == nullptr) return 0;
    ACLREF_REQUIRE(modelDesc);
    if (!descriptions().remove(modelDesc)) return refuse(ACL_ERROR_INVALID_PARAM, "modelDesc is no description");
    return 0;
}

aclError aclmdlGetDesc(aclmdlDesc* modelDesc, uint32_t modelId) {
    ACLREF_ENTER(aclmdlGetDesc);
    if (faulty(Fault::model_desc_null_accepted) && modelDesc == nullptr) return 0;
    aclError code = 0;
    auto description = require_description(modelDesc, code);
    if (!description) return code;
    auto model = require_model(modelId, code);
    const bool kept = modelId == last_member_unloaded() && faulty(Fault::bundle_last_id_kept);
    if (!model) return kept || faulty(Fault::model_desc_of_any_id) ? 0 : code;
    fill(*description, model->shared_plan(), modelId);
    return 0;
}

aclError aclmdlGetDescFromFile(aclmdlDesc* modelDesc, const char* modelPath) {
    ACLREF_ENTER(aclmdlGetDescFromFile);
    if (faulty(Fault::model_desc_null_accepted) && (modelDesc == nullptr || modelPath == nullptr)) return 0;
    aclError code = 0;
    auto description = require_description(modelDesc, code);
    if (!description) return code;
    ACLREF_REQUIRE(modelPath);
    Source source;
    return fill_from(*description, source, read_file_model(modelPath, source));
}

aclError aclmdlGetDescFromMem(aclmdlDesc* modelDesc, const void* model, size_t modelSize) {
    ACLREF_ENTER(aclmdlGetDescFromMem);
    if (faulty(Fault::model_desc_null_accepted) && (modelDesc == nullptr || model == nullptr)) return 0;
    aclError code = 0;
    auto description = require_description(modelDesc, code);
    if (!description) return code;
    ACLREF_REQUIRE(model);
    Source source;
    return fill_from(*description, source, read_memory_model(model, modelSize, source));
}

size_t aclmdlGetNumInputs(aclmdlDesc* modelDesc) {
    if (enter(Function::aclmdlGetNumInputs) != 0) return 0;
    std::size_t inputs = count(modelDesc, inputs_of);
    return faulty(Fault::model_desc_last_tensor_missing) && inputs > 1 ? inputs - 1 : inputs;
}

size_t aclmdlGetNumOutputs(aclmdlDesc* modelDesc) {
    if (enter(Function::aclmdlGetNumOutputs) != 0) return 0;
    std::size_t outputs = count(modelDesc, outputs_of);
    return faulty(Fault::model_desc_last_tensor_missing) && outputs > 1 ? outputs - 1 : outputs;
}

size_t aclmdlGetInputSizeByIndex(aclmdlDesc* modelDesc, size_t index) {
    if (enter(Function::aclmdlGetInputSizeByIndex) != 0) return 0;
    return size(modelDesc, index, inputs_of, input_bytes);
}

size_t aclmdlGetOutputSizeByIndex(aclmdlDesc* modelDesc, size_t index) {
    if (enter(Function::aclmdlGetOutputSizeByIndex) != 0) return 0;
    return size(modelDesc, index, outputs_of, output_bytes);
}

}  // extern "C"
