// Graph engine: what is known of a model's operators.
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/faults/models.hpp"
#include "models/description.hpp"
#include "models/model.hpp"
#include "models/tensor_desc.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;
using namespace aclref::models;

namespace {

/// The text as it stands in the model; a broken library lends one place to all.
const char* told(const std::string& text) {
    static thread_local std::string lent(256, '\0');
    if (!faulty(Fault::operator_attribute_lent)) return text.c_str();
    std::strncpy(lent.data(), text.c_str(), lent.size() - 1);
    return lent.c_str();
}

std::optional<Launch> find_operator(std::uint32_t device, std::uint32_t stream, std::uint32_t task) {
    for (const auto& model : all_models()) {
        // What a dynamic-shape model runs is not told, nor that of a model loaded without its graph.
        const bool silent = model->plan().is_dynamic || model->request().without_graph;
        if (model->device() != static_cast<int>(device) || silent) continue;
        auto found = model->launched(stream, task);
        if (found && !found->name.empty()) return found;
    }
    return std::nullopt;
}

aclTensorDesc* publish(const std::vector<OperatorTensor>& tensors) {
    std::vector<TensorDesc> descs;
    for (const OperatorTensor& tensor : tensors) {
        TensorDesc& desc = descs.emplace_back();
        desc.type = tensor.type;
        desc.format = tensor.format;
        desc.dims = tensor.dims;
        desc.address = tensor.address;
    }
    return publish_tensor_array(std::move(descs));
}

/// What a broken library takes for an output.
bool any_null(const char* name, const void* in, const void* ins, const void* out, const void* outs) {
    if (!faulty(Fault::operator_null_accepted)) return false;
    return name == nullptr || in == nullptr || ins == nullptr || out == nullptr || outs == nullptr;
}

}  // namespace

extern "C" {

const char* aclmdlGetOpAttr(aclmdlDesc* modelDesc, const char* opName, const char* attr) {
    if (enter(Function::aclmdlGetOpAttr) != 0) return nullptr;
    const char* none = faulty(Fault::operator_attribute_made_up) ? "operator" : nullptr;
    auto description = find_description(modelDesc);
    if (!description || !description->plan || opName == nullptr || attr == nullptr) return none;
    // A description of a file belongs to no model, and only a loaded one knows its operators.
    if (description->model == 0 || std::strcmp(attr, ACL_ATTR_NAME_DATA_DUMP_ORIGIN_OP_NAMES) != 0) return none;
    for (const Operator& each : description->plan->operators)
        if (each.name == opName) return told(each.original_names);
    return none;
}

aclError aclmdlCreateAndGetOpDesc(uint32_t deviceId, uint32_t streamId, uint32_t taskId, char* opName, size_t opNameLen,
                                  aclTensorDesc** inputDesc, size_t* numInputs, aclTensorDesc** outputDesc,
                                  size_t* numOutputs) {
    ACLREF_ENTER(aclmdlCreateAndGetOpDesc);
    if (any_null(opName, inputDesc, numInputs, outputDesc, numOutputs)) return 0;
    ACLREF_REQUIRE(opName);
    ACLREF_REQUIRE(inputDesc);
    ACLREF_REQUIRE(numInputs);
    ACLREF_REQUIRE(outputDesc);
    ACLREF_REQUIRE(numOutputs);
    auto found = find_operator(deviceId, streamId, taskId);
    if (!found) {
        if (faulty(Fault::operator_unknown_is_success)) return 0;
        return refuse(ACL_ERROR_GE_FAILURE, "task %u of stream %u is no operator of a model", taskId, streamId);
    }
    if (opNameLen <= found->name.size()) {
        if (faulty(Fault::operator_name_cut)) return 0;
        return refuse(ACL_ERROR_INVALID_PARAM, "room for %zu bytes, the name needs %zu", opNameLen, found->name.size() + 1);
    }
    std::memcpy(opName, found->name.c_str(), found->name.size() + 1);
    *numInputs = found->inputs.size();
    *numOutputs = found->outputs.size();
    *inputDesc = publish(found->inputs);
    *outputDesc = publish(found->outputs);
    return 0;
}

}  // extern "C"
