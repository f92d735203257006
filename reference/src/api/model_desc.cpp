// Graph engine: descriptions of models.
#include "models/description.hpp"
#include "models/model.hpp"
#include "models/sources.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;
using namespace aclref::models;

namespace {

/// The description of a handle, or a recorded ACL_ERROR_INVALID_PARAM in `code`.
std::shared_ptr<Description> require_description(const aclmdlDesc* handle, aclError& code) {
    auto description = find_description(handle);
    if (!description) code = refuse(ACL_ERROR_INVALID_PARAM, "modelDesc is NULL or no description");
    return description;
}

}  // namespace

extern "C" {

aclmdlDesc* aclmdlCreateDesc() {
    if (enter(Function::aclmdlCreateDesc) != 0) return nullptr;
    return static_cast<aclmdlDesc*>(descriptions().add(std::make_shared<Description>()));
}

aclError aclmdlDestroyDesc(aclmdlDesc* modelDesc) {
    ACLREF_ENTER(aclmdlDestroyDesc);
    ACLREF_REQUIRE(modelDesc);
    if (!descriptions().remove(modelDesc)) return refuse(ACL_ERROR_INVALID_PARAM, "modelDesc is no description");
    return 0;
}

aclError aclmdlGetDesc(aclmdlDesc* modelDesc, uint32_t modelId) {
    ACLREF_ENTER(aclmdlGetDesc);
    aclError code = 0;
    auto description = require_description(modelDesc, code);
    if (!description) return code;
    auto model = require_model(modelId, code);
    if (!model) return code;
    *description = {model->shared_plan(), modelId};
    return 0;
}

aclError aclmdlGetDescFromFile(aclmdlDesc* modelDesc, const char* modelPath) {
    ACLREF_ENTER(aclmdlGetDescFromFile);
    aclError code = 0;
    auto description = require_description(modelDesc, code);
    if (!description) return code;
    ACLREF_REQUIRE(modelPath);
    Source source;
    if (code = read_file_model(modelPath, source); code != 0) return code;
    *description = {source.plan, 0};
    return 0;
}

aclError aclmdlGetDescFromMem(aclmdlDesc* modelDesc, const void* model, size_t modelSize) {
    ACLREF_ENTER(aclmdlGetDescFromMem);
    aclError code = 0;
    auto description = require_description(modelDesc, code);
    if (!description) return code;
    ACLREF_REQUIRE(model);
    Source source;
    if (code = read_memory_model(model, modelSize, source); code != 0) return code;
    *description = {source.plan, 0};
    return 0;
}

size_t aclmdlGetNumInputs(aclmdlDesc* modelDesc) {
    if (enter(Function::aclmdlGetNumInputs) != 0) return 0;
    auto description = find_description(modelDesc);
    return description && description->plan ? description->plan->inputs.size() : 0;
}

size_t aclmdlGetNumOutputs(aclmdlDesc* modelDesc) {
    if (enter(Function::aclmdlGetNumOutputs) != 0) return 0;
    auto description = find_description(modelDesc);
    return description && description->plan ? description->plan->outputs.size() : 0;
}

size_t aclmdlGetInputSizeByIndex(aclmdlDesc* modelDesc, size_t index) {
    if (enter(Function::aclmdlGetInputSizeByIndex) != 0) return 0;
    auto description = find_description(modelDesc);
    if (!description || !description->plan || index >= description->plan->inputs.size()) return 0;
    return input_bytes(*description->plan, index);
}

size_t aclmdlGetOutputSizeByIndex(aclmdlDesc* modelDesc, size_t index) {
    if (enter(Function::aclmdlGetOutputSizeByIndex) != 0) return 0;
    auto description = find_description(modelDesc);
    if (!description || !description->plan || index >= description->plan->outputs.size()) return 0;
    return output_bytes(*description->plan, index);
}

}  // extern "C"
