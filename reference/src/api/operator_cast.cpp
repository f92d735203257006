// Graph engine: conversions, which are runs of the loaded operator Cast.
#include "base/faults/operators.hpp"
#include "operators/handles.hpp"
#include "operators/run.hpp"
#include "services/require.hpp"

using namespace aclref;

namespace {

/// The call of the operator that converts one tensor into another. 0 or a recorded code.
aclError read_cast(const aclTensorDesc* source, const aclTensorDesc* target, OperatorCall& call) {
    call.type = "Cast";
    if (aclError code = read_descriptions(1, &source, "srcDesc", call.inputs)) return code;
    if (aclError code = read_descriptions(1, &target, "dstDesc", call.outputs)) return code;
    call.attributes = {{"truncate", false}, {"dst_type", static_cast<std::int64_t>(call.outputs.descs[0]->type)}};
    return 0;
}

}  // namespace

extern "C" {

aclError aclopCast(const aclTensorDesc* srcDesc, const aclDataBuffer* srcBuffer, const aclTensorDesc* dstDesc,
                   aclDataBuffer* dstBuffer, uint8_t truncate, aclrtStream stream) {
    ACLREF_ENTER(aclopCast);
    (void)truncate;  // reserved
    ACLREF_NEEDS(srcDesc);
    ACLREF_NEEDS(srcBuffer);
    ACLREF_NEEDS(dstDesc);
    ACLREF_NEEDS(dstBuffer);
    OperatorCall call;
    Buffers inputs, outputs;
    const aclDataBuffer* target = dstBuffer;
    if (aclError code = read_cast(srcDesc, dstDesc, call)) return code;
    if (aclError code = read_buffers(1, &srcBuffer, "srcBuffer", inputs)) return code;
    if (aclError code = read_buffers(1, &target, "dstBuffer", outputs)) return code;
    const aclError code = run_operator(call, inputs, outputs, stream, false);
    return code == ACL_ERROR_OP_NOT_FOUND && faulty(Fault::cast_not_loaded_accepted) ? 0 : code;
}

aclError aclopCreateHandleForCast(aclTensorDesc* srcDesc, aclTensorDesc* dstDesc, uint8_t truncate, aclopHandle** handle) {
    ACLREF_ENTER(aclopCreateHandleForCast);
    (void)truncate;  // reserved
    ACLREF_NEEDS(srcDesc);
    ACLREF_NEEDS(dstDesc);
    ACLREF_NEEDS(handle);
    OperatorCall call;
    if (aclError code = read_cast(srcDesc, dstDesc, call)) return code;
    if (faulty(Fault::cast_handle_refused)) return refuse(ACL_ERROR_API_NOT_SUPPORT, "a conversion has no handle");
    return make_operator_handle(call, *handle);
}

}  // extern "C"
