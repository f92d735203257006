// A run of an operator as a caller asks for it: the operator, its tensors, and where they lie.
#pragma once

#include "operators/call.hpp"

namespace aclref {

struct OperatorRequest {
    OperatorCall call;
    Buffers inputs;
    Buffers outputs;

    /// Takes descriptions and buffers. 0 or a recorded code.
    aclError read(int input_count, const aclTensorDesc* const* input_descs, const aclDataBuffer* const* given_inputs,
                  int output_count, const aclTensorDesc* const* output_descs, const aclDataBuffer* const* given_outputs);
};

/// Runs the operator that is asked for on a stream. With `await_shapes` it is waited for where the dims of its outputs
/// depend on data. 0 or a recorded code.
aclError execute_request(const OperatorRequest& request, aclrtStream stream, bool await_shapes);

}  // namespace aclref
