#include "operators/registry.hpp"

#include <algorithm>
#include <list>
#include <mutex>

#include "base/faults/operators.hpp"
#include "models/shapes.hpp"
#include "operators/directory.hpp"

namespace aclref {

namespace {

using models::Dims;
using models::Plan;

constexpr std::uint64_t most_by_default = 20000;

struct Registry {
    std::mutex mutex;
    std::list<std::shared_ptr<const Plan>> used;  ///< the last used first
    std::uint64_t most = most_by_default;
    bool directory_set = false;
};

Registry& registry() {
    static auto* instance = new Registry;
    return *instance;
}

/// Whether attributes of a call are those of a model.
bool same_attributes(const models::SingleOperator& single, const std::map<std::string, AttributeValue>& given) {
    return single.attributes.size() == given.size() &&
           std::all_of(single.attributes.begin(), single.attributes.end(), [&](const auto& each) {
               auto found = given.find(each.first);
               return found != given.end() &&
                      std::visit([&](auto value) { return found->second == AttributeValue(value); }, each.second);
           });
}

bool same_tensor(const models::Tensor& one, const models::Tensor& other) {
    return one.type == other.type && one.format == other.format && one.dims == other.dims;
}

/// Whether one model takes the place of the other.
bool same_operator(const Plan& one, const Plan& other) {
    return one.single.type == other.single.type && one.single.attributes == other.single.attributes &&
           one.single.constants == other.single.constants &&
           std::equal(one.inputs.begin(), one.inputs.end(), other.inputs.begin(), other.inputs.end(), same_tensor) &&
           std::equal(one.outputs.begin(), one.outputs.end(), other.outputs.begin(), other.outputs.end(), same_tensor);
}

bool fits_input(const Plan& plan, std::size_t index, const TensorDesc& desc) {
    const models::Tensor& tensor = plan.inputs[index];
    if (tensor.type != desc.type || tensor.format != desc.format || !models::fits(tensor, desc.dims)) return false;
    auto constant = plan.single.constants.find(index);
    return constant == plan.single.constants.end() || constant->second == desc.constant;
}

/// Whether a call is one of this operator; `dims` gets those of all operands.
bool fits_call(const Plan& plan, const OperatorCall& call, std::vector<Dims>& dims) {
    if (plan.single.type != call.type || !same_attributes(plan.single, call.attributes)) return false;
    dims.clear();
    for (const auto& desc : call.inputs.descs) {
        if (is_left_out(*desc) && !faulty(Fault::operator_left_out_refused)) continue;
        if (dims.size() == plan.inputs.size() || !fits_input(plan, dims.size(), *desc)) return false;
        dims.push_back(desc->dims);
    }
    if (dims.size() != plan.inputs.size() || call.outputs.descs.size() != plan.outputs.size()) return false;
    if (models::infer_shapes(plan, dims) != nullptr) return false;
    for (std::size_t index = 0; index < plan.outputs.size(); ++index) {
        const models::Tensor& tensor = plan.outputs[index];
        const TensorDesc& desc = *call.outputs.descs[index];
        if (tensor.type != desc.type || tensor.format != desc.format || dims[plan.inputs.size() + index] != desc.dims) return false;
    }
    return true;
}

}  // namespace

void keep_operator(std::shared_ptr<const Plan> plan) {
    Registry& all = registry();
    std::lock_guard lock(all.mutex);
    all.used.remove_if([&](const auto& other) { return same_operator(*plan, *other); });
    all.used.push_front(std::move(plan));
    if (all.used.size() > all.most) all.used.resize(all.most);
}

aclError load_operator(models::Bytes bytes) {
    std::shared_ptr<const Plan> plan;
    if (aclError code = models::read_plan(bytes, models::Origin::memory, plan))
        return refuse(ACL_ERROR_DESERIALIZE_MODEL, "it is no model that can be loaded here (%s)", code_name(code));
    if (plan->single.type.empty()) return refuse(ACL_ERROR_DESERIALIZE_MODEL, "it is no model of a single operator");
    if (faulty(Fault::operator_one_at_a_time)) unload_operators();
    keep_operator(std::move(plan));
    return 0;
}

aclError load_operators_below(const char* directory) {
    Registry& all = registry();
    {
        std::lock_guard lock(all.mutex);
        if (all.directory_set && !faulty(Fault::operator_directory_again))
            return refuse(ACL_ERROR_REPEAT_INITIALIZE, "a directory is set already");
    }
    std::vector<std::vector<std::byte>> images;
    aclError code = read_operator_files(directory, images);
    for (const auto& image : images) {
        if (code != 0) break;
        code = load_operator(image);
    }
    std::lock_guard lock(all.mutex);
    all.directory_set = code == 0 || faulty(Fault::operator_directory_once);
    return code;
}

void set_most_operators(std::uint64_t most) {
    Registry& all = registry();
    std::lock_guard lock(all.mutex);
    all.most = most;
    if (all.used.size() > most) all.used.resize(most);
}

std::shared_ptr<const Plan> find_operator(const OperatorCall& call, std::vector<Dims>& dims, aclError& code) {
    Registry& all = registry();
    std::lock_guard lock(all.mutex);
    for (auto each = all.used.begin(); each != all.used.end(); ++each) {
        if (!fits_call(**each, call, dims)) continue;
        all.used.splice(all.used.begin(), all.used, each);
        return all.used.front();
    }
    code = refuse(ACL_ERROR_OP_NOT_FOUND, "no loaded operator %s has these tensors and attributes", call.type.c_str());
    return nullptr;
}

void unload_operator(const Plan& plan) {
    Registry& all = registry();
    std::lock_guard lock(all.mutex);
    all.used.remove_if([&](const auto& other) { return other.get() == &plan; });
}

void unload_operators() {
    Registry& all = registry();
    std::lock_guard lock(all.mutex);
    all.used.clear();
}

void forget_operators() {
    Registry& all = registry();
    std::lock_guard lock(all.mutex);
    all.used.clear();
    all.most = most_by_default;
    all.directory_set = false;
}

}  // namespace aclref
