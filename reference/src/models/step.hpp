// One step of a small program, in the memory where its operands lie.
#pragma once

#include <vector>

#include "models/plan.hpp"

namespace aclref::models {

struct StepOperand {
    void* address = nullptr;
    aclDataType type = ACL_FLOAT;
    Dims dims;
};

/// Runs a step; where the dims of its result depend on the data, `result` gets them. 0 or a code; nothing is recorded.
aclError run_step(const Step& step, const std::vector<StepOperand>& operands, StepOperand& result);

}  // namespace aclref::models
