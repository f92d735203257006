#include "operators/inference.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/faults/operators.hpp"
#include "memory/address_space.hpp"
#include "models/caller_array.hpp"

namespace aclref {

namespace {

using Dims = std::vector<std::int64_t>;

struct Shape {
    Dims dims;
    std::vector<Bounds> bounds;  ///< of the dims, where they are not all known
};

struct Question {
    const OperatorCall& call;
    const Buffers& data;
    const Dims& dims(std::size_t input) const { return call.inputs.descs[input]->dims; }
};

/// Nothing where the inputs do not fit the operator.
using Rule = std::optional<Shape> (*)(const Question&);

std::optional<Shape> same_as_first(const Question& asked) { return Shape{asked.dims(0), {}}; }

/// Each dim is that of all inputs, or 1 in some of them; missing ones in front are 1.
std::optional<Shape> broadcast(const Question& asked) {
    if (faulty(Fault::shapes_not_broadcast)) return same_as_first(asked);
    Dims result;
    for (const auto& input : asked.call.inputs.descs) {
        Dims dims = input->dims;
        const std::size_t rank = std::max(dims.size(), result.size());
        dims.insert(dims.begin(), rank - dims.size(), 1);
        result.insert(result.begin(), rank - result.size(), 1);
        for (std::size_t index = 0; index < rank; ++index) {
            if (dims[index] != result[index] && dims[index] != 1 && result[index] != 1) return std::nullopt;
            if (result[index] == 1) result[index] = dims[index];
        }
    }
    return Shape{result, {}};
}

std::optional<Shape> matrix_product(const Question& asked) {
    const Dims &left = asked.dims(0), &right = asked.dims(1);
    if (left.size() != 2 || right.size() != 2 || left[1] != right[0]) return std::nullopt;
    return Shape{{left[0], right[1]}, {}};
}

/// The second input has the dims.
std::optional<Shape> reshaped(const Question& asked) {
    const TensorDesc& desc = *asked.call.inputs.descs[1];
    const DataBuffer& buffer = *asked.data[1];
    Shape shape;
    if (desc.type != ACL_INT64 || desc.dims.size() != 1 || buffer.size < tensor_bytes(desc)) return std::nullopt;
    if (read_array(buffer.address, element_count(desc), shape.dims) != 0) return std::nullopt;
    TensorDesc result;
    result.dims = shape.dims;
    return element_count(result) == element_count(*asked.call.inputs.descs[0]) ? std::optional(shape) : std::nullopt;
}

/// Rows of indices: how many there are depends on the data.
std::optional<Shape> found_indices(const Question& asked) {
    const auto most = static_cast<std::int64_t>(element_count(*asked.call.inputs.descs[0]));
    const auto rank = static_cast<std::int64_t>(asked.dims(0).size());
    if (faulty(Fault::shapes_greatest_for_unknown)) return Shape{{most, rank}, {}};
    if (faulty(Fault::shapes_without_range)) return Shape{{-1, rank}, {}};
    return Shape{{-1, rank}, {{0, most}, {rank, rank}}};
}

struct Known {
    std::size_t least_inputs;
    std::size_t most_inputs;
    Rule rule;
};

const std::map<std::string, Known>& known_operators() {
    static const auto* all = new std::map<std::string, Known>{
        {"Add", {2, 2, broadcast}},          {"AddN", {1, SIZE_MAX, broadcast}}, {"Cast", {1, 1, same_as_first}},
        {"MatMul", {2, 2, matrix_product}},  {"Mul", {2, 2, broadcast}},         {"Reshape", {2, 2, reshaped}},
        {"Where", {1, 1, found_indices}},
    };
    return *all;
}

aclError check_data(const Buffers& data) {
    for (const auto& buffer : data)
        if (buffer->size == 0 && !faulty(Fault::shapes_from_empty_data))
            return refuse(ACL_ERROR_INVALID_PARAM, "the buffer of an input is empty");
    return 0;
}

}  // namespace

aclError infer_output_shapes(const OperatorCall& call, const Buffers& data) {
    if (aclError code = check_data(data)) return code;
    auto known = known_operators().find(call.type);
    if (known == known_operators().end()) {
        if (faulty(Fault::shapes_of_any_operator)) return 0;
        return refuse(ACL_ERROR_GE_FAILURE, "there is no operator %s", call.type.c_str());
    }
    const auto& [least, most, rule] = known->second;
    const bool fits = call.inputs.descs.size() >= least && call.inputs.descs.size() <= most && call.outputs.descs.size() == 1;
    auto shape = fits ? rule({call, data}) : std::nullopt;
    if (!shape) return refuse(ACL_ERROR_GE_FAILURE, "%s cannot have these inputs", call.type.c_str());
    if (faulty(Fault::shapes_not_written)) return 0;
    call.outputs.descs[0]->dims = std::move(shape->dims);
    call.outputs.descs[0]->dim_bounds = std::move(shape->bounds);
    return 0;
}

}  // namespace aclref
