#include "operators/request.hpp"

#include <algorithm>

#include "base/faults/operators.hpp"
#include "operators/run.hpp"

namespace aclref {

namespace {

bool makes_nothing(const Descs& outputs) {
    auto is_empty = [](const auto& desc) { return std::count(desc->dims.begin(), desc->dims.end(), 0) > 0; };
    return !outputs.empty() && std::all_of(outputs.begin(), outputs.end(), is_empty);
}

}  // namespace

aclError OperatorRequest::read(int input_count, const aclTensorDesc* const* input_descs, const aclDataBuffer* const* given_inputs,
                               int output_count, const aclTensorDesc* const* output_descs,
                               const aclDataBuffer* const* given_outputs) {
    if (aclError code = read_descriptions(input_count, input_descs, "inputDesc", call.inputs)) return code;
    if (aclError code = read_buffers(input_count, given_inputs, "inputs", inputs)) return code;
    if (aclError code = read_descriptions(output_count, output_descs, "outputDesc", call.outputs)) return code;
    return read_buffers(output_count, given_outputs, "outputs", outputs);
}

aclError execute_request(const OperatorRequest& request, aclrtStream stream, bool await_shapes) {
    if (makes_nothing(request.call.outputs.descs) && !faulty(Fault::operator_empty_output_refused)) return 0;
    return run_operator(request.call, request.inputs, request.outputs, stream, await_shapes);
}

}  // namespace aclref
