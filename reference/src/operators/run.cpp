#include "operators/run.hpp"

#include <algorithm>
#include <mutex>

#include "base/faults/operators.hpp"
#include "memory/address_space.hpp"
#include "models/shapes.hpp"
#include "models/step.hpp"
#include "operators/registry.hpp"
#include "runtime/settings.hpp"

namespace aclref {

using models::Step;
using models::StepOperand;

namespace {

/// Faulty builds only: a run ends the one before it.
void drop_the_other(const std::shared_ptr<OperatorRun>& run) {
    static std::mutex mutex;
    static std::weak_ptr<OperatorRun> before;
    std::lock_guard lock(mutex);
    if (auto other = before.lock()) other->drop();
    before = run;
}

/// Whether kernels run that can notice wrong accesses: an option of the context and of the process.
bool debugs_kernels(Stream& stream) {
    if (settings().options[ACL_OPT_ENABLE_DEBUG_KERNEL] == 1) return true;
    auto context = stream.context();
    if (!context) return false;
    std::lock_guard lock(context->options_mutex);
    auto found = context->options.find(ACL_OPT_ENABLE_DEBUG_KERNEL);
    return found != context->options.end() && found->second == 1;
}

}  // namespace

bool OperatorRun::makes_shapes() const {
    return std::any_of(plan_->steps.begin(), plan_->steps.end(), [](const Step& step) { return step.op == models::Op::find_nonzero; });
}

std::uint64_t OperatorRun::bytes_of(std::size_t operand) const {
    return models::tensor_bytes(models::operand_type(*plan_, operand), dims_[operand]);
}

aclError OperatorRun::check(const DataBuffer& buffer, std::size_t operand, bool write, int device) {
    const std::uint64_t needed = bytes_of(operand);
    if (buffer.size < needed && !watches_)
        return refuse(ACL_ERROR_INVALID_PARAM, "a tensor of %llu bytes has a buffer of %zu", static_cast<unsigned long long>(needed), buffer.size);
    if (buffer.size < needed) outside_ = write ? ACL_ERROR_RT_AICORE_TRAP_WRITE_OVERFLOW : ACL_ERROR_RT_AICORE_TRAP_READ_OVERFLOW;
    const std::uint64_t there = std::min<std::uint64_t>(needed, buffer.size);
    return there == 0 ? 0 : AddressSpace::instance().check_range(buffer.address, there, write, device);
}

aclError OperatorRun::take_input(const TensorDesc& desc, const DataBuffer& buffer, int device) {
    const std::size_t operand = places_.size();
    AddressSpace& space = AddressSpace::instance();
    if (aclError code = check(buffer, operand, false, device)) return code;
    places_.push_back(buffer.address);
    if (desc.placement == ACL_MEMTYPE_DEVICE) {
        if (buffer.address != nullptr && space.locate(buffer.address).on_host() && !profile().shares_memory_with_host())
            return refuse(ACL_ERROR_INVALID_PARAM, "input %zu is not device memory", operand);
        return 0;
    }
    auto& copy = copies_.emplace_back(bytes_of(operand));
    places_.back() = copy.data();
    return faulty(Fault::operator_host_input_lost) ? 0 : space.copy(copy.data(), buffer.address, std::min(copy.size(), buffer.size));
}

aclError OperatorRun::take_output(const DataBuffer& buffer, int device) {
    const std::size_t operand = places_.size();
    if (buffer.address != nullptr && AddressSpace::instance().locate(buffer.address).on_host() && !profile().shares_memory_with_host())
        return refuse(ACL_ERROR_INVALID_PARAM, "output %zu is not device memory", operand - plan_->inputs.size());
    places_.push_back(buffer.address);
    return check(buffer, operand, true, device);
}

aclError OperatorRun::bind(const Descs& descs, const Buffers& inputs, const Buffers& outputs, Stream& stream) {
    const int device = stream.device().id();
    watches_ = plan_->single.watches_memory && debugs_kernels(stream);
    for (std::size_t index = 0; index < descs.size(); ++index) {
        if (is_left_out(*descs[index])) continue;
        if (aclError code = take_input(*descs[index], *inputs[index], device)) return code;
    }
    for (const auto& buffer : outputs)
        if (aclError code = take_output(*buffer, device)) return code;
    return 0;
}

Progress OperatorRun::advance() {
    if (dropped_ || faulty(Fault::operator_output_unwritten)) return Progress::Done();
    if (outside_ != 0 && !faulty(Fault::compile_oom_unreported)) return Progress::Failed(outside_);
    auto operand = [&](std::uint64_t index) {
        return StepOperand{places_[index], models::operand_type(*plan_, index), dims_[index]};
    };
    for (const Step& step : plan_->steps) {
        std::vector<StepOperand> operands;
        for (std::uint64_t index : step.operands) operands.push_back(operand(index));
        const bool makes = step.op != models::Op::reject_negative;
        StepOperand result = makes ? operand(step.result) : StepOperand{};
        if (aclError code = run_step(step, operands, result)) return Progress::Failed(code);
        if (makes) made_[step.result] = result.dims;
    }
    return Progress::Done();
}

aclError submit_run(const std::shared_ptr<OperatorRun>& run, Stream& stream) {
    if (faulty(Fault::operator_overtakes)) return run->advance().code;
    if (faulty(Fault::operator_one_run_for_all)) drop_the_other(run);
    Task task;
    task.kind = "operator";
    task.run = [run] { return run->advance(); };
    return stream.submit(std::move(task));
}

aclError run_operator(const OperatorCall& call, const Buffers& inputs, const Buffers& outputs, aclrtStream stream,
                      bool await_shapes) {
    aclError code = 0;
    std::vector<models::Dims> dims;
    auto plan = find_operator(call, dims, code);
    if (!plan) return faulty(Fault::operator_unknown_accepted) ? 0 : code;
    auto found = require_stream(stream, code, current_function());
    if (!found) return code;
    auto run = std::make_shared<OperatorRun>(plan, std::move(dims));
    if (code = run->bind(call.inputs.descs, inputs, outputs, *found); code != 0) return code;
    if (code = submit_run(run, *found); code != 0) return code;
    if (plan->graph_bytes == 0 && faulty(Fault::compile_works_once)) unload_operator(*plan);
    if (!await_shapes || !run->makes_shapes() || faulty(Fault::operator_shapes_not_awaited)) return 0;
    if (code = found->synchronize(); code != 0) return refuse(code, "the operator failed");
    if (faulty(Fault::operator_shapes_untold)) return 0;
    const Descs& descs = call.outputs.descs;
    for (std::size_t index = 0; index < descs.size(); ++index) descs[index]->dims = run->output_dims(index);
    return 0;
}

}  // namespace aclref
