// Graph engine: compiling operators online.
#include <algorithm>

#include "base/faults/operators.hpp"
#include "operators/compiler.hpp"
#include "operators/registry.hpp"
#include "operators/request.hpp"
#include "services/require.hpp"

using namespace aclref;

namespace {

bool has_open_dims(const OperatorCall& call) {
    auto is_open = [](const auto& desc) { return std::any_of(desc->dims.begin(), desc->dims.end(), [](auto dim) { return dim < 0; }); };
    return std::any_of(call.inputs.descs.begin(), call.inputs.descs.end(), is_open) ||
           std::any_of(call.outputs.descs.begin(), call.outputs.descs.end(), is_open);
}

/// Compiles the operator that is asked for and runs it. 0 or a recorded code.
aclError compile_and_execute(OperatorRequest& request, const char* type, const aclopAttr* attributes, aclopEngineType engine,
                             aclopCompileType kind, aclrtStream stream, bool await_shapes) {
    OperatorCall& call = request.call;
    call.type = type;
    if (aclError code = read_attributes(attributes, call.attributes)) return code;
    if (aclError code = check_compilation(engine, kind)) return code;
    if (has_open_dims(call)) return refuse(ACL_ERROR_INVALID_PARAM, "a dim is not known");
    if (aclError code = faulty(Fault::compile_needs_load) ? 0 : compile_operator(call))
        return faulty(Fault::compile_unknown_accepted) ? 0 : code;
    return execute_request(request, stream, await_shapes);
}

}  // namespace

extern "C" {

aclError aclopCompile(const char* opType, int numInputs, const aclTensorDesc* const inputDesc[], int numOutputs,
                      const aclTensorDesc* const outputDesc[], const aclopAttr* attr, aclopEngineType engineType,
                      aclopCompileType compileFlag, const char* opPath) {
    ACLREF_ENTER(aclopCompile);
    (void)opPath;  // reserved
    ACLREF_NEEDS(opType);
    OperatorCall call;
    call.type = opType;
    aclError code = read_descriptions(numInputs, inputDesc, "inputDesc", call.inputs);
    if (code == 0) code = read_descriptions(numOutputs, outputDesc, "outputDesc", call.outputs);
    if (code != 0) return faulty(Fault::operator_arrays_unchecked) ? 0 : code;
    if (code = read_attributes(attr, call.attributes); code != 0) return code;
    if (code = check_compilation(engineType, compileFlag); code != 0) return code;
    if (has_host_input(call) && !faulty(Fault::compile_takes_host_inputs))
        return refuse(ACL_ERROR_API_NOT_SUPPORT, "an input on the host has no data to compile with");
    if (faulty(Fault::compile_one_at_a_time)) unload_operators();
    code = faulty(Fault::compile_lost) ? check_operator(call) : compile_operator(call);
    return code != 0 && faulty(Fault::compile_unknown_accepted) ? 0 : code;
}

aclError aclopCompileAndExecute(const char* opType, int numInputs, const aclTensorDesc* const inputDesc[],
                                const aclDataBuffer* const inputs[], int numOutputs, const aclTensorDesc* const outputDesc[],
                                aclDataBuffer* const outputs[], const aclopAttr* attr, aclopEngineType engineType,
                                aclopCompileType compileFlag, const char* opPath, aclrtStream stream) {
    ACLREF_ENTER(aclopCompileAndExecute);
    (void)opPath;  // reserved
    ACLREF_NEEDS(opType);
    OperatorRequest request;
    if (aclError code = request.read(numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs))
        return faulty(Fault::operator_arrays_unchecked) ? 0 : code;
    return compile_and_execute(request, opType, attr, engineType, compileFlag, stream, false);
}

aclError aclopCompileAndExecuteV2(const char* opType, int numInputs, aclTensorDesc* inputDesc[], aclDataBuffer* inputs[],
                                  int numOutputs, aclTensorDesc* outputDesc[], aclDataBuffer* outputs[], aclopAttr* attr,
                                  aclopEngineType engineType, aclopCompileType compileFlag, const char* opPath,
                                  aclrtStream stream) {
    ACLREF_ENTER(aclopCompileAndExecuteV2);
    (void)opPath;  // reserved
    ACLREF_NEEDS(opType);
    OperatorRequest request;
    if (aclError code = request.read(numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs))
        return faulty(Fault::operator_arrays_unchecked) ? 0 : code;
    return compile_and_execute(request, opType, attr, engineType, compileFlag, stream, true);
}

}  // extern "C"
