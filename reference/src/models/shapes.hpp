// Which shapes a model's results have, once the shapes of its inputs are known.
#pragma once

#include <vector>

#include "models/plan.hpp"

namespace aclref::models {

/// Type of an operand: inputs, outputs and values in one count.
aclDataType operand_type(const Plan& plan, std::size_t operand);

/// Number of operands of a plan.
std::size_t operand_count(const Plan& plan);

/// `dims` has the inputs' dims; it gets those of every operand, the greatest where they depend on data. Null, or why the steps do not fit the shapes.
const char* infer_shapes(const Plan& plan, std::vector<Dims>& dims);

/// The data inputs' dims for a gear; the control inputs keep theirs.
std::vector<Dims> dims_for_gear(const Plan& plan, const std::vector<std::uint64_t>& gear);

/// Bytes of one element of a gear in a control input of so many bytes: 8 where they have room, else 4.
std::size_t gear_element_bytes(std::size_t room, std::size_t count);

/// Whether an input of a dynamic-shape model may have these dims.
bool fits(const Tensor& tensor, const Dims& dims);

/// The gear with the largest inputs; null where there are no gears.
const std::vector<std::uint64_t>* largest_gear(const Plan& plan);

/// The inputs' dims as far as they are known before an execution: of the largest gear, or of the file.
std::vector<Dims> planned_input_dims(const Plan& plan);

/// The outputs' dims for these input dims; empty when they cannot be told.
std::vector<Dims> output_dims_for(const Plan& plan, const std::vector<Dims>& inputs);

/// Bytes that an input of a dynamic-shape model needs at most; 0 where there is no bound.
std::uint64_t bounded_bytes(const Tensor& tensor);

}  // namespace aclref::models
