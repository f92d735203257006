// Graph engine: executing loaded operators.
#include <algorithm>

#include "base/faults/operators.hpp"
#include "operators/run.hpp"
#include "services/require.hpp"

using namespace aclref;

namespace {

/// What both calls take.
struct Request {
    OperatorCall call;
    Buffers inputs;
    Buffers outputs;

    /// Takes descriptions and buffers. 0 or a recorded code.
    aclError read(int input_count, const aclTensorDesc* const* input_descs, const aclDataBuffer* const* given_inputs,
                  int output_count, const aclTensorDesc* const* output_descs, const aclDataBuffer* const* given_outputs) {
        if (aclError code = read_descriptions(input_count, input_descs, "inputDesc", call.inputs)) return code;
        if (aclError code = read_buffers(input_count, given_inputs, "inputs", inputs)) return code;
        if (aclError code = read_descriptions(output_count, output_descs, "outputDesc", call.outputs)) return code;
        return read_buffers(output_count, given_outputs, "outputs", outputs);
    }

    bool makes_nothing() const {
        auto is_empty = [](const auto& desc) { return std::count(desc->dims.begin(), desc->dims.end(), 0) > 0; };
        const Descs& descs = call.outputs.descs;
        return !descs.empty() && std::all_of(descs.begin(), descs.end(), is_empty);
    }
};

/// Runs the operator that is asked for. 0 or a recorded code.
aclError execute(Request& request, const char* type, const aclopAttr* attributes, aclrtStream stream, bool await_shapes) {
    request.call.type = type;
    if (aclError code = read_attributes(attributes, request.call.attributes)) return code;
    if (request.makes_nothing() && !faulty(Fault::operator_empty_output_refused)) return 0;
    return run_operator(request.call, request.inputs, request.outputs, stream, await_shapes);
}

}  // namespace

extern "C" {

aclError aclopExecuteV2(const char* opType, int numInputs, aclTensorDesc* inputDesc[], aclDataBuffer* inputs[], int numOutputs,
                        aclTensorDesc* outputDesc[], aclDataBuffer* outputs[], aclopAttr* attr, aclrtStream stream) {
    ACLREF_ENTER(aclopExecuteV2);
    ACLREF_NEEDS(opType);
    Request request;
    if (aclError code = request.read(numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs))
        return faulty(Fault::operator_arrays_unchecked) ? 0 : code;
    return execute(request, opType, attr, stream, true);
}

aclError aclopExecute(const char* opType, int numInputs, const aclTensorDesc* const inputDesc[], const aclDataBuffer* const inputs[],
                      int numOutputs, const aclTensorDesc* const outputDesc[], aclDataBuffer* const outputs[],
                      const aclopAttr* attr, aclrtStream stream) {
    ACLREF_ENTER(aclopExecute);
    ACLREF_NEEDS(opType);
    if (faulty(Fault::operator_execute_gone)) return refuse(ACL_ERROR_API_NOT_SUPPORT, "the call is gone");
    Request request;
    if (aclError code = request.read(numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs))
        return faulty(Fault::operator_arrays_unchecked) ? 0 : code;
    const aclError code = execute(request, opType, attr, stream, false);
    if (faulty(Fault::operator_execute_changes_descs))
        for (const auto& desc : request.call.outputs.descs) desc->dims.assign(1, 0);
    return code;
}

}  // extern "C"
