// Graph engine: executing loaded operators.
#include "base/faults/operators.hpp"
#include "operators/request.hpp"
#include "services/require.hpp"

using namespace aclref;

namespace {

/// Runs the operator that is asked for. 0 or a recorded code.
aclError execute(OperatorRequest& request, const char* type, const aclopAttr* attributes, aclrtStream stream, bool await_shapes) {
    request.call.type = type;
    if (aclError code = read_attributes(attributes, request.call.attributes)) return code;
    return execute_request(request, stream, await_shapes);
}

}  // namespace

extern "C" {

aclError aclopExecuteV2(const char* opType, int numInputs, aclTensorDesc* inputDesc[], aclDataBuffer* inputs[], int numOutputs,
                        aclTensorDesc* outputDesc[], aclDataBuffer* outputs[], aclopAttr* attr, aclrtStream stream) {
    ACLREF_ENTER(aclopExecuteV2);
    ACLREF_NEEDS(opType);
    OperatorRequest request;
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
    OperatorRequest request;
    if (aclError code = request.read(numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs))
        return faulty(Fault::operator_arrays_unchecked) ? 0 : code;
    const aclError code = execute(request, opType, attr, stream, false);
    if (faulty(Fault::operator_execute_changes_descs))
        for (const auto& desc : request.call.outputs.descs) desc->dims.assign(1, 0);
    return code;
}

}  // extern "C"
