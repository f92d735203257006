#include "models/description.hpp"

#include "base/live_objects.hpp"
#include "models/shapes.hpp"

namespace aclref::models {

HandleTable<Description>& descriptions() {
    static auto* table = new HandleTable<Description>;
    return *table;
}

std::shared_ptr<Description> find_description(const aclmdlDesc* handle) {
    return handle == nullptr ? nullptr : descriptions().find(handle);
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

namespace {
const LiveCounter live("model_descriptions", [] { return std::uint64_t{descriptions().size()}; });
}  // namespace

}  // namespace aclref::models
