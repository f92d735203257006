#include "operators/compiler.hpp"

#include <algorithm>
#include <atomic>
#include <map>

#include "base/faults/operators.hpp"
#include "models/plan_reader.hpp"
#include "operators/compile_options.hpp"
#include "operators/registry.hpp"

namespace aclref {

namespace {

using models::Dims;
using models::Op;
using models::Plan;
using models::Tensor;

std::atomic<bool> for_any_dims{false};

/// What the compiler knows of a type. Optional inputs come behind the others, and have to be left out.
struct Known {
    Op op;
    std::size_t inputs;
    std::size_t optional_inputs;
};

const std::map<std::string, Known>& known_operators() {
    static const auto* all = new std::map<std::string, Known>{
        {"Add", {Op::add, 2, 0}}, {"Cast", {Op::cast, 1, 0}},           {"MatMul", {Op::matmul, 2, 1}},
        {"Mul", {Op::mul, 2, 0}}, {"Where", {Op::find_nonzero, 1, 0}},
    };
    return *all;
}

/// Whether an operator can have this attribute with this value.
bool knows_attribute(const OperatorCall& call, const std::string& name, const AttributeValue& value) {
    if (call.type == "MatMul") return (name == "transpose_x1" || name == "transpose_x2") && value == AttributeValue(false);
    if (call.type != "Cast") return false;
    const auto type = static_cast<std::int64_t>(call.outputs.descs[0]->type);
    return name == "truncate" ? std::holds_alternative<bool>(value) : name == "dst_type" && value == AttributeValue(type);
}

/// Gives the operator the call's attributes; false for one that it cannot have.
bool take_attributes(const OperatorCall& call, models::SingleOperator& single) {
    for (const auto& [name, value] : call.attributes) {
        if (!knows_attribute(call, name, value)) return false;
        if (const bool* on = std::get_if<bool>(&value)) single.attributes[name] = *on;
        else single.attributes[name] = std::get<std::int64_t>(value);
    }
    return call.type != "Cast" || single.attributes.contains("dst_type");
}

/// Null, or why there is no tensor of this description.
const char* take_tensor(const TensorDesc& desc, Tensor& tensor) {
    tensor.type = desc.type;
    tensor.format = desc.format;
    tensor.dims = desc.dims;
    if (has_unknown_rank(desc)) return "a tensor has any number of dims";
    if (tensor.has_fixed_dims()) return nullptr;
    if (faulty(Fault::compile_ranges_refused)) return "a dim is not known";
    if (desc.dim_bounds.size() != desc.dims.size()) return "a dim is not known and has no range";
    for (const auto& [least, most] : desc.dim_bounds) tensor.bounds.push_back({least, most});
    if (faulty(Fault::compile_range_frozen))
        for (std::size_t index = 0; index < tensor.dims.size(); ++index) tensor.dims[index] = tensor.bounds[index].most;
    return nullptr;
}

/// Keeps the data of a constant.
void take_constant(const TensorDesc& desc, std::vector<std::byte>& data) {
    data = desc.constant;
    if (faulty(Fault::compile_constants_lost)) std::fill(data.begin(), data.end(), std::byte{});
}

/// The inputs and outputs, and the data of inputs that are constants. Null, or why they do not fit.
const char* take_tensors(const OperatorCall& call, const Known& known, Plan& plan) {
    const Descs& given = call.inputs.descs;
    if (given.size() < known.inputs || given.size() > known.inputs + known.optional_inputs) return "it has another number of inputs";
    if (call.outputs.descs.size() != 1) return "it has one output";
    for (const auto& desc : given) {
        if (is_left_out(*desc) && !faulty(Fault::operator_left_out_refused)) continue;
        if (!desc->constant.empty()) take_constant(*desc, plan.single.constants[plan.inputs.size()]);
        if (const char* why = take_tensor(*desc, plan.inputs.emplace_back())) return why;
    }
    if (plan.inputs.size() != known.inputs) return "an input is missing, or an optional one is not left out";
    return take_tensor(*call.outputs.descs[0], plan.outputs.emplace_back());
}

bool is_open(const Tensor& tensor) { return !tensor.has_fixed_dims(); }

/// Null, or why there is no such operator.
const char* build(const OperatorCall& call, Plan& plan) {
    auto known = known_operators().find(call.type);
    if (known == known_operators().end()) return "its type is not known";
    plan.name = call.type;
    plan.single.type = call.type;
    plan.single.watches_memory = compile_option(ACL_OP_DEBUG_OPTION) == "oom";
    if (const char* why = take_tensors(call, known->second, plan)) return why;
    if (!take_attributes(call, plan.single)) return "it has other attributes";
    auto& step = plan.steps.emplace_back();
    step.op = known->second.op;
    for (std::size_t index = 0; index < plan.inputs.size(); ++index) step.operands.push_back(index);
    step.result = plan.inputs.size();
    plan.is_dynamic = std::any_of(plan.inputs.begin(), plan.inputs.end(), is_open) || is_open(plan.outputs[0]);
    return models::contradiction(plan);
}

/// Makes an operator one of any dims; those of constants stay.
void open_dims(Plan& plan) {
    plan.is_dynamic = true;
    auto open = [](Tensor& tensor) {
        std::fill(tensor.dims.begin(), tensor.dims.end(), -1);
        tensor.bounds.assign(tensor.dims.size(), {0, -1});
    };
    for (std::size_t index = 0; index < plan.inputs.size(); ++index)
        if (!plan.single.constants.contains(index)) open(plan.inputs[index]);
    open(plan.outputs[0]);
}

aclError refuse_operator(const OperatorCall& call, const char* why) {
    return refuse(ACL_ERROR_GE_FAILURE, "the operator %s cannot be made: %s", call.type.c_str(), why);
}

}  // namespace

aclError check_compilation(aclopEngineType engine, aclopCompileType kind) {
    if (engine != ACL_ENGINE_SYS) return refuse(ACL_ERROR_API_NOT_SUPPORT, "engineType %d is not supported", engine);
    if (kind == ACL_COMPILE_SYS || faulty(Fault::compile_kind_unchecked)) return 0;
    if (kind == ACL_COMPILE_UNREGISTERED) return refuse(ACL_ERROR_INVALID_PARAM, "operators of one's own cannot be compiled");
    return refuse(ACL_ERROR_API_NOT_SUPPORT, "compileFlag %d does not exist", kind);
}

aclError compile_operator(const OperatorCall& call) {
    auto plan = std::make_shared<Plan>();
    if (const char* why = build(call, *plan)) return refuse_operator(call, why);
    if (for_any_dims) open_dims(*plan);
    keep_operator(std::move(plan));
    return 0;
}

aclError check_operator(const OperatorCall& call) {
    Plan plan;
    const char* why = build(call, plan);
    return why == nullptr ? 0 : refuse_operator(call, why);
}

void compile_for_any_dims(bool on) { for_any_dims = on; }

}  // namespace aclref
