// Graph engine: shapes of an operator's outputs.
#include "base/faults/operators.hpp"
#include "operators/inference.hpp"
#include "services/require.hpp"

using namespace aclref;

extern "C" aclError aclopInferShape(const char* opType, int numInputs, aclTensorDesc* inputDesc[], aclDataBuffer* inputs[],
                                    int numOutputs, aclTensorDesc* outputDesc[], aclopAttr* attr) {
    ACLREF_ENTER(aclopInferShape);
    ACLREF_NEEDS(opType);
    OperatorCall call;
    call.type = opType;
    Buffers data;
    aclError code = read_descriptions(numInputs, inputDesc, "inputDesc", call.inputs);
    if (code == 0) code = read_buffers(numInputs, inputs, "inputs", data);
    if (code == 0) code = read_descriptions(numOutputs, outputDesc, "outputDesc", call.outputs);
    if (code != 0) return faulty(Fault::operator_arrays_unchecked) ? 0 : code;
    if (code = read_attributes(attr, call.attributes); code != 0) return code;
    return infer_output_shapes(call, data);
}
