#include "models/plan_reader.hpp"

#include <algorithm>
#include <optional>

#include "models/shapes.hpp"

namespace aclref::models {

namespace {

constexpr std::size_t most_entries = 4096;     // of any list in a message
constexpr std::size_t most_operands = 8;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;
constexpr std::uint64_t longest_delay_ms = 60'000;


/// Calls `take(field)` for each field; false when the bytes are malformed or `take` says no.
template <class Take>
bool each_field(Bytes bytes, Take take) {
    WireReader reader(bytes);
    while (auto field = reader.next())
        if (!take(*field)) return false;
    return !reader.bad();
}

bool read_dims(Bytes bytes, Dims& dims) {
    auto numbers = packed_numbers(bytes, most_dims);
    if (!numbers) return false;
    dims.clear();
    for (std::uint64_t number : *numbers) dims.push_back(from_zigzag(number));
    return true;
}

bool read_bounds(Bytes bytes, std::vector<Bound>& bounds) {
    auto numbers = packed_numbers(bytes, 2 * most_dims);
    if (!numbers || numbers->size() % 2 != 0) return false;
    bounds.clear();
    for (std::size_t index = 0; index < numbers->size(); index += 2)
        bounds.push_back({from_zigzag((*numbers)[index]), from_zigzag((*numbers)[index + 1])});
    return true;
}

bool read_tensor(Bytes bytes, Tensor& tensor) {
    tensor.format = ACL_FORMAT_NCHW;  // a number of 0 is left out
    return each_field(bytes, [&](const WireField& field) {
        switch (field.number) {
            case 1: tensor.name = as_text(field.bytes); return field.is_bytes;
            case 2: tensor.type = static_cast<aclDataType>(field.value); return !field.is_bytes && field.value < 64;
            case 3: tensor.format = static_cast<aclFormat>(field.value); return !field.is_bytes && field.value < 64;
            case 4: return field.is_bytes && read_dims(field.bytes, tensor.dims);
            case 5: return field.is_bytes && read_bounds(field.bytes, tensor.bounds);
            case 6: tensor.role = static_cast<Role>(field.value); return !field.is_bytes && field.value <= 2;
            default: return true;
        }
    });
}

bool read_aipp(Bytes bytes, Aipp& aipp) {
    return each_field(bytes, [&](const WireField& field) {
        if (field.is_bytes || field.value > INT32_MAX) return false;
        const auto number = static_cast<std::int32_t>(field.value);
        switch (field.number) {
            case 1: aipp.input = field.value; return true;
            case 2: aipp.is_dynamic = field.value != 0; return field.value <= 1;
            case 3: aipp.format = number; return true;
            case 4: aipp.width = number; return true;
            case 5: aipp.height = number; return true;
            case 6: aipp.batch = field.value; return field.value > 0;
            default: return true;
        }
    });
}

bool read_external(Bytes bytes, ExternalWeight& external) {
    return each_field(bytes, [&](const WireField& field) {
        switch (field.number) {
            case 1: external.file = as_text(field.bytes); return field.is_bytes;
            case 2: external.offset = field.value; return !field.is_bytes && field.value < most_bytes;
            case 3: external.size = field.value; return !field.is_bytes && field.value < most_bytes;
            default: return true;
        }
    });
}

bool read_operator(Bytes bytes, Operator& one) {
    return each_field(bytes, [&](const WireField& field) {
        switch (field.number) {
            case 1: one.name = as_text(field.bytes); return field.is_bytes;
            case 2: one.original_names = as_text(field.bytes); return field.is_bytes;
            default: return true;
        }
    });
}

bool read_attribute(Bytes bytes, SingleOperator& single) {
    std::string name;
    bool is_number = false;
    std::uint64_t number = 0;
    const bool whole = each_field(bytes, [&](const WireField& field) {
        switch (field.number) {
            case 1: name = as_text(field.bytes); return field.is_bytes;
            case 2: is_number = field.value != 0; return !field.is_bytes && field.value <= 1;
            case 3: number = field.value; return !field.is_bytes;
            default: return true;
        }
    });
    if (is_number) single.attributes[name] = from_zigzag(number);
    else single.attributes[name] = number != 0;
    return whole && !name.empty();
}

bool read_constant(Bytes bytes, SingleOperator& single) {
    std::uint64_t input = 0;
    Bytes data;
    const bool whole = each_field(bytes, [&](const WireField& field) {
        switch (field.number) {
            case 1: input = field.value; return !field.is_bytes;
            case 2: data = field.bytes; return field.is_bytes;
            default: return true;
        }
    });
    single.constants[input].assign(data.begin(), data.end());
    return whole;
}

bool read_single(Bytes bytes, SingleOperator& single) {
    return each_field(bytes, [&](const WireField& field) {
        switch (field.number) {
            case 1: single.type = as_text(field.bytes); return field.is_bytes;
            case 2: return field.is_bytes && read_attribute(field.bytes, single);
            case 3: return field.is_bytes && read_constant(field.bytes, single);
            default: return true;
        }
    });
}

bool read_value(Bytes bytes, Value& value) {
    return each_field(bytes, [&](const WireField& field) {
        switch (field.number) {
            case 1: value.in_weights = field.value != 0; return !field.is_bytes && field.value <= 1;
            case 2: value.offset = field.value; return !field.is_bytes && field.value < most_bytes;
            case 3: value.size = field.value; return !field.is_bytes && field.value < most_bytes;
            case 4: value.type = static_cast<aclDataType>(field.value); return !field.is_bytes && field.value < 64;
            case 5: return field.is_bytes && read_dims(field.bytes, value.dims);
            default: return true;
        }
    });
}

bool read_step(Bytes bytes, Step& step) {
    return each_field(bytes, [&](const WireField& field) {
        switch (field.number) {
            case 1:
                step.op = static_cast<Op>(field.value);
                return !field.is_bytes && field.value >= 1 && field.value <= static_cast<std::uint64_t>(Op::gemm);
            case 2: {
                auto numbers = packed_numbers(field.bytes, most_operands);
                if (!field.is_bytes || !numbers) return false;
                step.operands = *numbers;
                return true;
            }
            case 3: step.result = field.value; return !field.is_bytes;
            case 4: step.parameter = field.value; return !field.is_bytes && field.value <= longest_delay_ms;
            default: return true;
        }
    });
}

/// Reads one entry of a list in a message.
template <class Entry, class Read>
bool append(const WireField& field, std::vector<Entry>& list, Read read) {
    if (!field.is_bytes || list.size() == most_entries) return false;
    return read(field.bytes, list.emplace_back());
}

std::size_t operands_of(Op op) {
    switch (op) {
        case Op::add:
        case Op::mul:
        case Op::matmul: return 2;
        case Op::gemm: return 5;
        case Op::delay: return 0;
        default: return 1;
    }
}

bool has_result(Op op) { return op != Op::delay && op != Op::reject_negative; }

const char* wrong_tensor(const Tensor& tensor) {
    if (!can_compute(tensor.type)) return "a tensor has a type that it cannot compute with";
    std::uint64_t bytes = element_bytes(tensor.type);
    for (std::int64_t dim : tensor.dims) {
        if (dim < -1) return "a tensor has a negative size";
        if (dim > 0 && (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(dim), &bytes) || bytes > most_bytes))
            return "a tensor is too large";
    }
    if (!tensor.bounds.empty() && tensor.bounds.size() != tensor.dims.size()) return "a tensor has bounds of other dims";
    for (const Bound& bound : tensor.bounds)
        if (bound.least < 0 || bound.most < -1 || (bound.most >= 0 && bound.most < bound.least))
            return "a tensor has bounds that contradict each other";
    return nullptr;
}

const char* wrong_value(const Plan& plan, const Value& value) {
    if (!can_compute(value.type)) return "a value has a type that it cannot compute with";
    if (value.offset + value.size > (value.in_weights ? plan.weight_bytes : plan.work_bytes))
        return "a value lies outside of its memory";
    if (value.in_weights && (tensor_bytes(value.type, value.dims) != value.size || value.size == 0))
        return "a constant has another size than its dims";
    return nullptr;
}

const char* wrong_step(const Plan& plan, const Step& step) {
    const std::uint64_t inputs = plan.inputs.size();
    const std::uint64_t all = inputs + plan.outputs.size() + plan.values.size();
    if (step.operands.size() != operands_of(step.op)) return "a step has another number of operands";
    for (std::uint64_t operand : step.operands)
        if (operand >= all) return "a step computes with something that does not exist";
    if (step.op == Op::gemm && step.parameter > (transposed_a | transposed_b)) return "a product has marks that there are not";
    if (!has_result(step.op)) return nullptr;
    if (step.result < inputs || step.result >= all) return "a step has no place for its result";
    const std::uint64_t first_value = inputs + plan.outputs.size();
    if (step.result >= first_value && plan.values[step.result - first_value].in_weights) return "a step writes to a constant";
    return nullptr;
}

/// Dims of the data inputs that a gear has to give.
std::size_t open_dims(const Plan& plan, GearKind kind) {
    std::size_t open = 0;
    for (const Tensor& input : plan.inputs)
        if (input.role == Role::data)
            open += kind == GearKind::dims ? input.dims.size()
                                           : static_cast<std::size_t>(std::count(input.dims.begin(), input.dims.end(), -1));
    return open;
}

const char* wrong_gears(const Plan& plan) {
    if ((plan.gear_kind == GearKind::none) != plan.gears.empty()) return "its gears are of no kind";
    if (plan.gears.empty()) return nullptr;
    if (plan.is_dynamic) return "it has gears and unknown shapes";
    if (plan.gear_input() == plan.inputs.size()) return "nothing chooses among its gears";
    const std::size_t open = open_dims(plan, plan.gear_kind);
    const std::size_t wanted = plan.gear_kind == GearKind::batch ? 1 : plan.gear_kind == GearKind::image_size ? 2 : open;
    if (open == 0 || wanted == 0) return "its gears change nothing";
    for (const auto& gear : plan.gears) {
        if (gear.size() != wanted) return "a gear has another number of sizes";
        for (std::uint64_t size : gear)
            if (size == 0 || size > most_bytes) return "a gear has a size that cannot be";
    }
    return nullptr;
}

/// Why the steps do not give the outputs that the file tells of, for one set of input shapes.
const char* wrong_outputs(const Plan& plan, std::vector<Dims> dims) {
    if (const char* why = infer_shapes(plan, dims)) return why;
    for (std::size_t index = 0; index < plan.outputs.size(); ++index) {
        const Dims& made = dims[plan.inputs.size() + index];
        const Dims& told = plan.outputs[index].dims;
        if (made.size() != told.size()) return "an output has another rank than the file tells";
        for (std::size_t axis = 0; axis < told.size(); ++axis)
            if (told[axis] >= 0 && told[axis] != made[axis]) return "an output has another shape than the file tells";
    }
    return nullptr;
}

/// Shapes that are known before an execution are checked before it; those of dynamic-shape models when it comes.
const char* wrong_shapes(const Plan& plan) {
    if (plan.is_dynamic) return nullptr;
    if (plan.gears.empty()) return wrong_outputs(plan, planned_input_dims(plan));
    for (const auto& gear : plan.gears)
        if (const char* why = wrong_outputs(plan, dims_for_gear(plan, gear))) return why;
    return nullptr;
}

/// A single operator is nothing but its inputs, its outputs, and what computes one from the other.
const char* wrong_single(const Plan& plan) {
    const SingleOperator& single = plan.single;
    if (single.type.empty()) return nullptr;
    const bool slow = std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& each) { return each.op == Op::delay; });
    if (slow || plan.work_bytes > 0 || plan.weight_bytes > 0 || !plan.gears.empty() || !plan.aipps.empty())
        return "an operator has more than inputs and outputs";
    for (const auto& [input, data] : single.constants)
        if (input >= plan.inputs.size() || tensor_bytes(plan.inputs[input].type, plan.inputs[input].dims) != data.size())
            return "a constant of an operator belongs to no input";
    return nullptr;
}

bool open_where_it_may_not(const Plan& plan) {
    const bool may = plan.is_dynamic || plan.gear_kind != GearKind::none;
    auto open = [](const Tensor& each) { return !each.has_fixed_dims(); };
    return !may && (std::any_of(plan.inputs.begin(), plan.inputs.end(), open) ||
                    std::any_of(plan.outputs.begin(), plan.outputs.end(), open));
}

}  // namespace

bool read_graph(Bytes bytes, Plan& plan, GraphFacts& facts) {
    const bool whole = each_field(bytes, [&](const WireField& field) {
        switch (field.number) {
            case 1: plan.name = as_text(field.bytes); return field.is_bytes;
            case 2: facts.product = as_text(field.bytes); return field.is_bytes;
            case 3: return append(field, plan.inputs, read_tensor);
            case 4: return append(field, plan.outputs, read_tensor);
            case 5: plan.gear_kind = static_cast<GearKind>(field.value); return !field.is_bytes && field.value <= 3;
            case 6: {
                auto numbers = packed_numbers(field.bytes, most_dims);
                if (!field.is_bytes || !numbers || plan.gears.size() == most_entries) return false;
                plan.gears.push_back(std::move(*numbers));
                return true;
            }
            case 7: plan.work_bytes = field.value; return !field.is_bytes && field.value < most_bytes;
            case 8: facts.operators_version = as_text(field.bytes); return field.is_bytes;
            case 9: return append(field, plan.externals, read_external);
            case 10: return append(field, plan.aipps, read_aipp);
            case 11: return append(field, plan.operators, read_operator);
            case 12: return field.is_bytes && read_single(field.bytes, plan.single);
            default: return true;
        }
    });
    // An empty message is well formed and no model.
    return whole && !plan.outputs.empty();
}

bool read_tasks(Bytes bytes, Plan& plan) {
    return each_field(bytes, [&](const WireField& field) {
        switch (field.number) {
            case 1: return append(field, plan.steps, read_step);
            case 2: return append(field, plan.values, read_value);
            default: return true;
        }
    });
}

const char* contradiction(Plan& plan) {
    plan.weight_bytes = plan.weights.size();
    for (const ExternalWeight& external : plan.externals) {
        if (external.file.empty() || external.file.find('/') != std::string::npos) return "a weight file has no plain name";
        if (external.size == 0) return "a weight file is empty";
        plan.weight_bytes = std::max(plan.weight_bytes, external.offset + external.size);
    }
    for (const auto* list : {&plan.inputs, &plan.outputs})
        for (const Tensor& tensor : *list)
            if (const char* why = wrong_tensor(tensor)) return why;
    if (open_where_it_may_not(plan)) return "a size is not known, and nothing tells it";
    for (const Value& value : plan.values)
        if (const char* why = wrong_value(plan, value)) return why;
    for (const Step& step : plan.steps)
        if (const char* why = wrong_step(plan, step)) return why;
    for (const Aipp& aipp : plan.aipps)
        if (aipp.input >= plan.inputs.size()) return "preprocessing belongs to no input";
    if (const char* why = wrong_single(plan)) return why;
    if (const char* why = wrong_gears(plan)) return why;
    return wrong_shapes(plan);
}

}  // namespace aclref::models
