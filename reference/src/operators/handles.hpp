// Handles of operators: an operator that was looked up once, for runs on other buffers.
#pragma once

#include <memory>
#include <vector>

#include "base/handle_table.hpp"
#include "models/plan.hpp"
#include "operators/call.hpp"

namespace aclref {

struct OperatorHandle {
    std::shared_ptr<const models::Plan> plan;
    std::vector<models::Dims> dims;  ///< of all operands
    Descs inputs;                    ///< as they were when the handle was made
    std::size_t outputs = 0;
    Buffers first_outputs;           ///< of its first run; only faults look at them
};

HandleTable<OperatorHandle>& operator_handles();

/// A handle of the loaded operator that fits a call. 0 or a recorded code.
aclError make_operator_handle(const OperatorCall& call, aclopHandle*& out);

}  // namespace aclref
