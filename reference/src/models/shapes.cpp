#include "models/shapes.hpp"

#include <algorithm>

#include "models/compute.hpp"

namespace aclref::models {

namespace {

/// Larger tensors are no work for a small program.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;

/// Whether every dim is known and the tensor is not too large; only then do dims and bytes agree everywhere.
bool is_measurable(aclDataType type, const Dims& dims) {
    std::uint64_t bytes = element_bytes(type);
    for (std::int64_t dim : dims) {
        if (dim < 0) return false;
        if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(dim), &bytes) || bytes > most_bytes) return false;
    }
    return true;
}

bool is_one_element(const Dims& dims) { return std::all_of(dims.begin(), dims.end(), [](auto dim) { return dim == 1; }); }

Dims transposed_if(bool transposed, const Dims& dims) { return transposed ? Dims{dims[1], dims[0]} : dims; }

/// Dims of a gemm's result, which are those of its matrix C.
Dims product_dims(const Step& step, const std::vector<Dims>& dims, const char*& why) {
    const Dims &a = dims[step.operands[0]], &b = dims[step.operands[1]], &c = dims[step.operands[2]];
    why = "the matrices of a product do not fit";
    if (a.size() != 2 || b.size() != 2) return {};
    const Dims left = transposed_if(step.parameter & transposed_a, a), right = transposed_if(step.parameter & transposed_b, b);
    if (left[1] != right[0] || c != Dims{left[0], right[1]}) return {};
    if (!is_one_element(dims[step.operands[3]]) || !is_one_element(dims[step.operands[4]])) return {};
    why = nullptr;
    return c;
}

/// Dims of a step's result; null in `why` where its operands fit.
Dims result_dims(const Step& step, const std::vector<Dims>& dims, const char*& why) {
    const Dims& first = dims[step.operands[0]];
    switch (step.op) {
        case Op::add:
        case Op::mul: {
            const Dims& second = dims[step.operands[1]];
            if (second != first && !is_one_element(second)) why = "two operands have different shapes";
            return first;
        }
        case Op::matmul: {
            const Dims& second = dims[step.operands[1]];
            if (first.size() != 2 || second.size() != 2 || first[1] != second[0]) {
                why = "two matrices do not fit";
                return {};
            }
            return {first[0], second[1]};
        }
        case Op::gemm: return product_dims(step, dims, why);
        case Op::reduce_sum:
            if (first.empty()) {
                why = "a scalar has no axis to sum over";
                return {};
            }
            return {first.begin(), first.end() - 1};
        case Op::find_nonzero: {
            std::int64_t most = 1;
            for (std::int64_t dim : first)
                if (__builtin_mul_overflow(most, dim, &most)) why = "a result is too large";
            return {most, static_cast<std::int64_t>(first.size())};
        }
        default: return first;
    }
}

bool has_other_types(const Plan& plan, const Step& step, aclDataType type) {
    auto other = [&](std::uint64_t operand) { return operand_type(plan, operand) != type; };
    switch (step.op) {
        case Op::cast: return false;
        case Op::find_nonzero: return type != ACL_INT64;
        case Op::gemm: {
            const aclDataType factor = operand_type(plan, step.operands[0]);
            return operand_type(plan, step.operands[1]) != factor || !multiplies(factor, type) ||
                   std::any_of(step.operands.begin() + 2, step.operands.end(), other);
        }
        default: return std::any_of(step.operands.begin(), step.operands.end(), other);
    }
}

}  // namespace

std::size_t operand_count(const Plan& plan) { return plan.inputs.size() + plan.outputs.size() + plan.values.size(); }

aclDataType operand_type(const Plan& plan, std::size_t operand) {
    if (operand < plan.inputs.size()) return plan.inputs[operand].type;
    operand -= plan.inputs.size();
    if (operand < plan.outputs.size()) return plan.outputs[operand].type;
    return plan.values[operand - plan.outputs.size()].type;
}

const char* infer_shapes(const Plan& plan, std::vector<Dims>& dims) {
    const std::size_t inputs = plan.inputs.size();
    const std::size_t first_value = inputs + plan.outputs.size();
    std::vector<bool> known(operand_count(plan), false);
    dims.resize(known.size());
    for (std::size_t index = 0; index < inputs; ++index) {
        if (!is_measurable(plan.inputs[index].type, dims[index])) return "the shape of an input is not known, or too large";
        known[index] = true;
    }
    for (std::size_t index = 0; index < plan.values.size(); ++index)
        if (plan.values[index].in_weights) {
            dims[first_value + index] = plan.values[index].dims;
            known[first_value + index] = true;
        }
    for (const Step& step : plan.steps) {
        for (std::uint64_t operand : step.operands)
            if (!known[operand]) return "a step computes with a result that is not there yet";
        if (step.op == Op::delay || step.op == Op::reject_negative) continue;
        const aclDataType type = operand_type(plan, step.result);
        if (has_other_types(plan, step, type)) return "a step computes with different types";
        const char* why = nullptr;
        Dims result = result_dims(step, dims, why);
        if (why != nullptr) return why;
        if (!is_measurable(type, result)) return "a result is too large";
        if (step.result >= first_value && tensor_bytes(type, result) > plan.values[step.result - first_value].size)
            return "an intermediate result is larger than its place";
        dims[step.result] = std::move(result);
        known[step.result] = true;
    }
    for (std::size_t index = inputs; index < first_value; ++index)
        if (!known[index]) return "nothing computes an output";
    return nullptr;
}

std::vector<Dims> dims_for_gear(const Plan& plan, const std::vector<std::uint64_t>& gear) {
    std::vector<Dims> dims;
    std::size_t next = 0;
    for (const Tensor& input : plan.inputs) {
        Dims& mine = dims.emplace_back(input.dims);
        if (input.role != Role::data) continue;
        if (plan.gear_kind == GearKind::image_size) next = 0;
        for (std::int64_t& dim : mine) {
            if (plan.gear_kind == GearKind::dims) {
                dim = static_cast<std::int64_t>(gear[next++]);
            } else if (dim < 0) {
                dim = static_cast<std::int64_t>(gear[std::min(next, gear.size() - 1)]);
                ++next;
            }
        }
    }
    return dims;
}

std::size_t gear_element_bytes(std::size_t room, std::size_t count) {
    return room >= count * sizeof(std::uint64_t) ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
}

bool fits(const Tensor& tensor, const Dims& dims) {
    if (dims.size() != tensor.dims.size()) return false;
    for (std::size_t index = 0; index < dims.size(); ++index) {
        if (dims[index] < 0 || (tensor.dims[index] >= 0 && dims[index] != tensor.dims[index])) return false;
        if (tensor.dims[index] >= 0 || tensor.bounds.empty()) continue;
        const Bound& bound = tensor.bounds[index];
        if (dims[index] < bound.least || (bound.most >= 0 && dims[index] > bound.most)) return false;
    }
    return true;
}

const std::vector<std::uint64_t>* largest_gear(const Plan& plan) {
    const std::vector<std::uint64_t>* largest = nullptr;
    std::uint64_t most = 0;
    for (const auto& gear : plan.gears) {
        std::uint64_t bytes = 0;
        const auto dims = dims_for_gear(plan, gear);
        for (std::size_t index = 0; index < dims.size(); ++index) bytes += tensor_bytes(plan.inputs[index].type, dims[index]);
        if (largest != nullptr && bytes <= most) continue;
        largest = &gear;
        most = bytes;
    }
    return largest;
}

std::vector<Dims> planned_input_dims(const Plan& plan) {
    if (const auto* gear = largest_gear(plan)) return dims_for_gear(plan, *gear);
    std::vector<Dims> dims;
    for (const Tensor& input : plan.inputs) dims.push_back(input.dims);
    return dims;
}

std::vector<Dims> output_dims_for(const Plan& plan, const std::vector<Dims>& inputs) {
    std::vector<Dims> dims = inputs;
    if (infer_shapes(plan, dims) != nullptr) return {};
    const auto first = dims.begin() + static_cast<std::ptrdiff_t>(plan.inputs.size());
    return {first, first + static_cast<std::ptrdiff_t>(plan.outputs.size())};
}

std::uint64_t bounded_bytes(const Tensor& tensor) {
    if (tensor.has_fixed_dims()) return tensor_bytes(tensor.type, tensor.dims);
    if (tensor.bounds.size() != tensor.dims.size()) return 0;
    Dims most;
    for (const Bound& bound : tensor.bounds) most.push_back(bound.most);
    return tensor_bytes(tensor.type, most);
}

}  // namespace aclref::models
