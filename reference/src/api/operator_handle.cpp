// Graph engine: handles of loaded operators.
#include <cstdlib>

#include "base/faults/operators.hpp"
#include "operators/handles.hpp"
#include "operators/registry.hpp"
#include "operators/run.hpp"
#include "services/require.hpp"

using namespace aclref;

namespace {

aclError check_counts(const OperatorHandle& handle, std::size_t inputs, std::size_t outputs) {
    if (inputs != handle.inputs.size())
        return refuse(ACL_ERROR_OP_INPUT_NOT_MATCH, "the operator has %zu inputs, not %zu", handle.inputs.size(), inputs);
    if (outputs != handle.outputs)
        return refuse(ACL_ERROR_OP_OUTPUT_NOT_MATCH, "the operator has %zu outputs, not %zu", handle.outputs, outputs);
    return 0;
}

/// Faulty builds only: what goes wrong when a handle is used again.
aclError spoil(OperatorHandle& handle, Buffers& outputs) {
    const bool once = faulty(Fault::operator_handle_works_once);
    if (!once && !faulty(Fault::operator_handle_keeps_buffers)) return 0;
    if (handle.first_outputs.empty()) handle.first_outputs = outputs;
    else if (once) return refuse(ACL_ERROR_INVALID_PARAM, "the handle is used up");
    outputs = handle.first_outputs;
    return 0;
}

}  // namespace

extern "C" {

aclError aclopCreateHandle(const char* opType, int numInputs, const aclTensorDesc* const inputDesc[], int numOutputs,
                           const aclTensorDesc* const outputDesc[], const aclopAttr* opAttr, aclopHandle** handle) {
    ACLREF_ENTER(aclopCreateHandle);
    ACLREF_NEEDS(opType);
    ACLREF_NEEDS(handle);
    OperatorCall call;
    call.type = opType;
    aclError code = read_descriptions(numInputs, inputDesc, "inputDesc", call.inputs);
    if (code == 0) code = read_descriptions(numOutputs, outputDesc, "outputDesc", call.outputs);
    if (code != 0) return faulty(Fault::operator_arrays_unchecked) ? 0 : code;
    if (code = read_attributes(opAttr, call.attributes); code != 0) return code;
    return make_operator_handle(call, *handle);
}

void aclopDestroyHandle(aclopHandle* handle) {
    if (enter(Function::aclopDestroyHandle) != 0) return;
    if (handle == nullptr && faulty(Fault::operator_handle_null_crashes)) std::abort();
    auto gone = operator_handles().find(handle);
    if (gone && faulty(Fault::operator_handle_takes_operator)) unload_operator(*gone->plan);
    if (!faulty(Fault::operator_handle_never_freed)) (void)operator_handles().remove(handle);
}

aclError aclopExecWithHandle(aclopHandle* handle, int numInputs, const aclDataBuffer* const inputs[], int numOutputs,
                             aclDataBuffer* const outputs[], aclrtStream stream) {
    ACLREF_ENTER(aclopExecWithHandle);
    ACLREF_NEEDS(handle);
    auto found = operator_handles().find(handle);
    if (!found) return refuse(ACL_ERROR_INVALID_PARAM, "handle does not exist");
    Buffers given, wanted;
    aclError code = read_buffers(numInputs, inputs, "inputs", given);
    if (code == 0) code = read_buffers(numOutputs, outputs, "outputs", wanted);
    if (code == 0) code = check_counts(*found, given.size(), wanted.size());
    if (code != 0) return faulty(Fault::operator_arrays_unchecked) ? 0 : code;
    if (code = spoil(*found, wanted); code != 0) return code;
    auto on = require_stream(stream, code, current_function());
    if (!on) return code;
    auto run = std::make_shared<OperatorRun>(found->plan, found->dims);
    if (code = run->bind(found->inputs, given, wanted, *on); code != 0) return code;
    return submit_run(run, *on);
}

}  // extern "C"
