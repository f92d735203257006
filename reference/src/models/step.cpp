#include "models/step.hpp"

#include <algorithm>

#include "base/faults/operators.hpp"
#include "memory/address_space.hpp"
#include "models/compute.hpp"

namespace aclref::models {

aclError run_step(const Step& step, const std::vector<StepOperand>& operands, StepOperand& result) {
    const Op op = step.op;
    AddressSpace& space = AddressSpace::instance();
    const std::uint64_t room = tensor_bytes(result.type, result.dims);
    if (op == Op::copy) return space.copy(result.address, operands[0].address, room);
    std::vector<std::vector<std::byte>> held;
    std::vector<Operand> given;
    for (const StepOperand& operand : operands) {
        auto& bytes = held.emplace_back(tensor_bytes(operand.type, operand.dims));
        if (aclError code = space.copy(bytes.data(), operand.address, bytes.size())) return code;
        given.push_back({bytes, &operand.dims});
    }
    if (op == Op::reject_negative) return any_negative(operands[0].type, given[0].bytes) ? ACL_ERROR_RT_MODEL_EXECUTE : 0;
    std::vector<std::byte> made(room);
    if (op == Op::find_nonzero) {
        result.dims[0] = static_cast<std::int64_t>(find_nonzero(operands[0].type, given[0], made));
        made.resize(tensor_bytes(result.type, result.dims));
    } else if (op == Op::cast) {
        if (faulty(Fault::cast_keeps_bits)) std::copy_n(given[0].bytes.begin(), std::min(made.size(), given[0].bytes.size()), made.begin());
        else cast(operands[0].type, given[0].bytes, result.type, made);
    } else if (op == Op::gemm) {
        multiply_and_add(operands[0].type, result.type, given, step.parameter, made);
        if (faulty(Fault::gemm_writes_into_b)) (void)space.fill(operands[1].address, 0, given[1].bytes.size());
    } else {
        compute(op, result.type, given, made);
    }
    return space.copy(result.address, made.data(), made.size());
}

}  // namespace aclref::models
