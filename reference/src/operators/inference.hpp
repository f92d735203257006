// Shapes of an operator's outputs, from its inputs alone: no model of it needs to be loaded.
#pragma once

#include "operators/call.hpp"

namespace aclref {

/// Writes the dims of the outputs into their descriptions; where only bounds are known a dim is -1 and has its range.
/// `data` are the inputs' buffers. 0 or a recorded code.
aclError infer_output_shapes(const OperatorCall& call, const Buffers& data);

}  // namespace aclref
