// What a run tells: its tensors to dump, its steps to whoever has subscribed the model.
#include <algorithm>

#include "memory/address_space.hpp"
#include "models/execution.hpp"
#include "services/dump.hpp"

namespace aclref::models {

namespace {

const char* name_of(Op op) {
    switch (op) {
        case Op::copy: return "Copy";
        case Op::add: return "Add";
        case Op::mul: return "Mul";
        case Op::matmul: return "MatMul";
        case Op::reduce_sum: return "ReduceSum";
        case Op::delay: return "Delay";
        case Op::find_nonzero: return "NonZero";
        case Op::cast: return "Cast";
        case Op::gemm: return "GEMM";
        case Op::reject_negative: break;
    }
    return "RejectNegative";
}

std::uint64_t nanoseconds_now() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count());
}

}  // namespace

aclError Execution::run_timed(const Step& step) {
    if (!has_subscriptions()) return run(step);
    const std::uint64_t begin = nanoseconds_now();
    const aclError code = run(step);
    const auto& operators = model_->plan().operators;
    const std::size_t place = times_.size();
    std::string name = place < operators.size() ? operators[place].name : model_->plan().name + "_" + std::to_string(place);
    times_.push_back({name_of(step.op), std::move(name), begin, nanoseconds_now()});
    return code;
}

std::vector<std::byte> Execution::content(const Place& place, std::uint64_t operand) const {
    std::vector<std::byte> bytes(std::min<std::uint64_t>(bytes_of(operand), place.size));
    if (!bytes.empty() && AddressSpace::instance().copy(bytes.data(), place.address, bytes.size()) != 0) bytes.clear();
    return bytes;
}

void Execution::report() const {
    report_run(model_->id, times_);
    const auto config = dump_of_run(model_->dump, model_->plan().name);
    if (!config) return;
    std::vector<DumpedTensor> tensors;
    for (std::size_t index = 0; index < inputs_.size(); ++index) tensors.push_back({true, index, content(inputs_[index], index)});
    for (std::size_t index = 0; index < outputs_.size(); ++index)
        tensors.push_back({false, index, content(outputs_[index], inputs_.size() + index)});
    dump_run(*config, model_->plan().name, model_->id, model_->device(), tensors);
}

}  // namespace aclref::models
