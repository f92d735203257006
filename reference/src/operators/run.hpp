// One execution of a loaded operator: the memory it works in, checked when it is asked for, and its steps.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "models/plan.hpp"
#include "operators/call.hpp"
#include "runtime/stream.hpp"

namespace aclref {

class OperatorRun {
public:
    /// `dims` are those of all operands.
    OperatorRun(std::shared_ptr<const models::Plan> plan, std::vector<models::Dims> dims)
        : plan_(std::move(plan)), dims_(std::move(dims)), made_(dims_) {}

    /// Takes the buffers of a call's inputs and outputs for work on a stream. Inputs on the host are copied here.
    /// `descs` are the inputs' descriptions. 0 or a recorded code.
    aclError bind(const Descs& descs, const Buffers& inputs, const Buffers& outputs, Stream& stream);

    /// All of it, on the executor's thread.
    Progress advance();

    /// It will do nothing; only faults drop runs.
    void drop() { dropped_ = true; }

    /// Dims of an output; after the run those that it has.
    const models::Dims& output_dims(std::size_t index) const { return made_[plan_->inputs.size() + index]; }

    /// Whether the outputs' dims are known only after the run.
    bool makes_shapes() const;

private:
    aclError take_input(const TensorDesc& desc, const DataBuffer& buffer, int device);
    aclError take_output(const DataBuffer& buffer, int device);
    aclError check(const DataBuffer& buffer, std::size_t operand, bool write, int device);
    std::uint64_t bytes_of(std::size_t operand) const;
    std::shared_ptr<const models::Plan> plan_;
    std::vector<models::Dims> dims_;
    std::vector<models::Dims> made_;             ///< the same, as the last run left them
    std::atomic<bool> dropped_{false};
    bool watches_ = false;   ///< accesses outside of the buffers are noticed when it runs
    aclError outside_ = 0;   ///< there is such an access: what it ends with
    std::vector<void*> places_;                  ///< of inputs and outputs
    std::vector<std::vector<std::byte>> copies_;  ///< of inputs that lie on the host
};

/// Runs the operator of a call on a stream. With `await_shapes` an operator whose outputs' dims depend on data is waited
/// for, and its output descriptions get them. 0 or a recorded code.
aclError run_operator(const OperatorCall& call, const Buffers& inputs, const Buffers& outputs, aclrtStream stream,
                      bool await_shapes);

/// Puts a run that is bound on a stream. 0 or a recorded code.
aclError submit_run(const std::shared_ptr<OperatorRun>& run, Stream& stream);

}  // namespace aclref
