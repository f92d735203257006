#include "models/description.hpp"

#include <algorithm>
#include <utility>

#include "base/errors.hpp"
#include "base/faults/models.hpp"
#include "base/live_objects.hpp"
#include "models/shapes.hpp"

namespace aclref::models {

namespace {

const LiveCounter live("model_descriptions", [] { return std::uint64_t{descriptions().size()}; });

/// Names of one side; what does not fit a dims record is replaced, and by nothing that another tensor is called.
std::vector<std::string> told_names(const std::vector<Tensor>& tensors, std::uint32_t model, const char* side) {
    std::vector<std::string> names;
    for (const Tensor& tensor : tensors) names.push_back(tensor.name);
    for (std::size_t index = 0; index < names.size(); ++index) {
        if (names[index].size() < ACL_MAX_TENSOR_NAME_LEN) continue;
        if (faulty(Fault::model_long_name_cut)) {
            names[index].resize(ACL_MAX_TENSOR_NAME_LEN - 1);
            continue;
        }
        std::string made = "acl_modelId_" + std::to_string(model) + "_" + side + "_" + std::to_string(index);
        while (std::find(names.begin(), names.end(), made) != names.end()) made += "_0";
        names[index] = std::move(made);
    }
    return names;
}

}  // namespace

HandleTable<Description>& descriptions() {
    static auto* table = new HandleTable<Description>;
    return *table;
}

std::shared_ptr<Description> find_description(const aclmdlDesc* handle) {
    return handle == nullptr ? nullptr : descriptions().find(handle);
}

std::shared_ptr<Description> require_description(const aclmdlDesc* handle, aclError& code) {
    auto description = find_description(handle);
    code = description ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "modelDesc is NULL or no description");
    return description;
}

std::shared_ptr<Description> require_filled(const aclmdlDesc* handle, aclError& code) {
    auto description = require_description(handle, code);
    if (!description || description->plan) return description;
    code = refuse(ACL_ERROR_INVALID_PARAM, "the description was never filled");
    return nullptr;
}

void fill(Description& description, std::shared_ptr<const Plan> plan, std::uint32_t model) {
    if (faulty(Fault::model_desc_filled_once) && description.plan) return;
    const bool again = faulty(Fault::model_desc_second_fill_nameless) && description.plan == plan;
    const bool nameless = again || (faulty(Fault::model_desc_of_file_nameless) && model == 0);
    description.input_names = told_names(plan->inputs, model, "input");
    description.output_names = told_names(plan->outputs, model, "output");
    if (nameless) std::fill(description.input_names.begin(), description.input_names.end(), "");
    description.model = model;
    description.plan = std::move(plan);
}

Side inputs_of(const Description& description) {
    if (!description.plan) return {};
    return {&description.plan->inputs, &description.input_names};
}

Side outputs_of(const Description& description) {
    if (!description.plan) return {};
    return {&description.plan->outputs, &description.output_names};
}

std::uint64_t input_bytes(const Plan& plan, std::size_t index) {
    const Tensor& input = plan.inputs[index];
    if (plan.is_dynamic) return bounded_bytes(input);
    return tensor_bytes(input.type, planned_input_dims(plan)[index]);
}

std::uint64_t output_bytes(const Plan& plan, std::size_t index) {
    const Tensor& output = plan.outputs[index];
    if (plan.is_dynamic) return bounded_bytes(output);
    const auto dims = output_dims_for(plan, planned_input_dims(plan));
    return dims.empty() ? 0 : tensor_bytes(output.type, dims[index]);
}

}  // namespace aclref::models
