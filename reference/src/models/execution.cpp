#include "models/execution.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/faults/models.hpp"
#include "memory/address_space.hpp"
#include "memory/device_memory.hpp"
#include "models/shapes.hpp"
#include "models/step.hpp"

namespace aclref::models {

namespace {

/// A buffer's place; false for a handle that is not alive.
bool place_of_buffer(const aclDataBuffer* handle, Place& place) {
    auto buffer = find_data_buffer(handle);
    if (!buffer) return false;
    const bool old = buffer->first_address != nullptr && faulty(Fault::data_buffer_update_unseen);
    place = {old ? buffer->first_address : buffer->address, buffer->size};
    return true;
}

}  // namespace

/// The two routes answer differently to datasets that do not fit the model.
aclError Execution::bad_dataset() const {
    return model_->plan().is_dynamic ? ACL_ERROR_INVALID_PARAM : ACL_ERROR_GE_FAILURE;
}

aclError Execution::use_work(const GivenMemory& work) {
    const std::uint64_t needed = model_->plan().work_bytes;
    if (work.pointer == nullptr) return 0;
    if (aclError code = check_place({work.pointer, work.size}, needed, true, "work memory", 0)) return code;
    work_ = work.pointer;
    return 0;
}

aclError Execution::take_inputs(const Dataset& inputs) {
    const Plan& plan = model_->plan();
    const bool few = !inputs.entries.empty() && faulty(Fault::run_missing_input_is_output);
    if (inputs.entries.size() < plan.inputs.size() && !few)
        return refuse(bad_dataset(), "%zu inputs are too few, the model has %zu", inputs.entries.size(), plan.inputs.size());
    if (faulty(Fault::run_extra_input_refused) && inputs.entries.size() > plan.inputs.size())
        return refuse(ACL_ERROR_INVALID_PARAM, "there are more inputs than the model has");
    for (std::size_t index = 0; index < plan.inputs.size(); ++index)
        if (!place_of_buffer(inputs.entries[few ? 0 : index].buffer, inputs_.emplace_back()))
            return refuse(ACL_ERROR_INVALID_PARAM, "the buffer of input %zu does not exist", index);
    return 0;
}

aclError Execution::read_gear() {
    const Plan& plan = model_->plan();
    const std::size_t control = plan.gear_input();
    const std::size_t count = plan.gears.front().size();
    const Place& place = inputs_[control];
    const std::size_t width = gear_element_bytes(place.size, count);
    if (aclError code = check_place(place, count * width, false, "input", control)) return code;
    std::vector<std::uint64_t> chosen;
    for (std::size_t index = 0; index < count; ++index) {
        std::uint64_t number = 0;
        const void* from = static_cast<std::byte*>(place.address) + index * width;
        if (aclError code = AddressSpace::instance().copy(&number, from, width)) return code;
        chosen.push_back(number);
    }
    if (std::find(plan.gears.begin(), plan.gears.end(), chosen) == plan.gears.end())
        return refuse(ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID, "no gear of the model is chosen");
    dims_ = dims_for_gear(plan, chosen);
    return 0;
}

/// Dynamic-shape models: the dataset tells what the file leaves open, within its bounds.
aclError Execution::read_shapes(const Dataset& inputs) {
    const Plan& plan = model_->plan();
    for (std::size_t index = 0; index < plan.inputs.size(); ++index) {
        auto desc = find_tensor_desc(inputs.entries[index].desc);
        if (!desc) continue;
        const bool empty = !desc->dims.empty() && desc->dims[0] == 0 && faulty(Fault::run_shape_below_range);
        if (!fits(plan.inputs[index], desc->dims) && !empty && !faulty(Fault::run_any_shape))
            return refuse(ACL_ERROR_INVALID_PARAM, "input %zu has a shape that the model was not built for", index);
        dims_[index] = desc->dims;
        if (faulty(Fault::dynamic_shape_of_one_row) && !dims_[index].empty()) dims_[index][0] = 1;
    }
    return 0;
}

aclError Execution::find_shapes(const Dataset& inputs) {
    const Plan& plan = model_->plan();
    dims_ = planned_input_dims(plan);
    if (aclError code = plan.gear_kind != GearKind::none ? read_gear() : plan.is_dynamic ? read_shapes(inputs) : 0) return code;
    if (const char* why = infer_shapes(plan, dims_)) return refuse(bad_dataset(), "the model cannot run: %s", why);
    return 0;
}

aclError Execution::check_place(const Place& place, std::uint64_t needed, bool write, const char* what, std::size_t index) {
    const bool later = index > 0 && needed > 0 && faulty(Fault::run_later_input_without_memory);
    if (place.address == nullptr && !write && (later || faulty(Fault::run_input_without_memory))) {
        cancelled_ = true;
        return 0;
    }
    if (needed > 0 && place.address == nullptr) return refuse(bad_dataset(), "%s %zu has no memory", what, index);
    const bool unchecked = faulty(write ? Fault::run_output_size_unchecked : Fault::run_input_size_unchecked) ||
                           (index > 0 && faulty(Fault::run_later_sizes_unchecked));
    if (place.size < needed && (!unchecked || place.size == 0))
        return refuse(bad_dataset(), "%s %zu has %zu bytes, the model needs %llu", what, index, place.size,
                      static_cast<unsigned long long>(needed));
    if (needed == 0) return 0;
    AddressSpace& space = AddressSpace::instance();
    if (space.locate(place.address).on_host() && !profile().shares_memory_with_host())
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "%s %zu is not device memory", what, index);
    return space.check_range(place.address, needed, write, model_->device());
}

/// The memory is the caller's from now on.
aclError Execution::allocate_output(DataBuffer& buffer, std::uint64_t bytes) {
    auto memory = DeviceMemory::of(model_->device());
    DeviceRequest request;
    request.asked = request.span = bytes;
    if (!memory) return refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for an output");
    if (aclError code = memory->allocate(request, &buffer.address, current_function())) return code;
    buffer.size = bytes;
    return 0;
}

aclError Execution::take_outputs(Dataset& outputs, bool allocate) {
    const Plan& plan = model_->plan();
    const bool few = !outputs.entries.empty() && faulty(Fault::run_missing_output_dropped);
    if (outputs.entries.size() < plan.outputs.size() && !few)
        return refuse(bad_dataset(), "%zu outputs are too few, the model has %zu", outputs.entries.size(), plan.outputs.size());
    for (std::size_t index = 0; index < plan.outputs.size(); ++index) {
        const std::uint64_t needed = bytes_of(plan.inputs.size() + index);
        auto buffer = find_data_buffer(outputs.entries[few ? 0 : index].buffer);
        if (!buffer) return refuse(ACL_ERROR_INVALID_PARAM, "the buffer of output %zu does not exist", index);
        const bool open = (allocate || faulty(Fault::run_open_output_anywhere)) && !faulty(Fault::run_open_output_refused) && plan.is_dynamic && bounded_bytes(plan.outputs[index]) == 0;
        if (open && needed > 0 && buffer->address == nullptr && buffer->size == 0)
            if (aclError code = allocate_output(*buffer, needed)) return code;
        const bool old = buffer->first_address != nullptr && faulty(Fault::data_buffer_update_unseen_by_outputs);
        outputs_.push_back({old ? buffer->first_address : buffer->address, buffer->size});
        if (aclError code = check_place(outputs_.back(), needed, true, "output", index)) return code;
    }
    return 0;
}

void Execution::tell_shapes(Dataset& outputs) const {
    const Plan& plan = model_->plan();
    for (std::size_t index = 0; index < plan.outputs.size(); ++index) {
        if (faulty(Fault::dataset_output_shape_once) && outputs.entries[index].desc != nullptr) continue;
        auto desc = std::make_shared<TensorDesc>();
        desc->type = plan.outputs[index].type;
        desc->format = plan.outputs[index].format;
        desc->name = plan.outputs[index].name;
        desc->dims = dims_[plan.inputs.size() + index];
        outputs.describe(index, std::move(desc));
    }
}

aclError Execution::bind(const Dataset& inputs, Dataset& outputs, bool allocate) {
    if (aclError code = take_inputs(inputs)) return code;
    if (aclError code = find_shapes(inputs)) return code;
    for (std::size_t index = 0; index < inputs_.size(); ++index)
        if (aclError code = check_place(inputs_[index], bytes_of(index), false, "input", index)) return code;
    if (aclError code = take_outputs(outputs, allocate)) return code;
    if (model_->plan().is_dynamic && !faulty(Fault::dataset_output_shape_missing)) tell_shapes(outputs);
    const auto first = dims_.begin() + static_cast<std::ptrdiff_t>(inputs_.size());
    model_->set_current_output_dims({first, first + static_cast<std::ptrdiff_t>(outputs_.size())});
    return 0;
}

void* Execution::place_of(std::uint64_t operand) const {
    if (operand < inputs_.size()) return inputs_[operand].address;
    operand -= inputs_.size();
    if (operand < outputs_.size()) return outputs_[operand].address;
    const Value& value = model_->plan().values[operand - outputs_.size()];
    return static_cast<std::byte*>(value.in_weights ? model_->weights() : work_) + value.offset;
}

std::uint64_t Execution::bytes_of(std::uint64_t operand) const {
    const Plan& plan = model_->plan();
    // The control inputs of preprocessing are as large as the caller likes.
    if (operand < plan.inputs.size() && plan.inputs[operand].role != Role::data) return 0;
    return tensor_bytes(operand_type(plan, operand), dims_[operand]);
}

OperatorTensor Execution::tensor_of(std::uint64_t operand) const {
    const Plan& plan = model_->plan();
    const std::size_t first_value = inputs_.size() + outputs_.size();
    aclFormat format = ACL_FORMAT_ND;
    if (operand < inputs_.size()) format = plan.inputs[operand].format;
    else if (operand < first_value) format = plan.outputs[operand - inputs_.size()].format;
    return {operand_type(plan, operand), format, dims_[operand], place_of(operand)};
}

Launch Execution::first_operator() const {
    const Plan& plan = model_->plan();
    Launch launch;
    auto step = std::find_if(plan.steps.begin(), plan.steps.end(),
                             [](const Step& each) { return each.op != Op::delay && each.op != Op::reject_negative; });
    if (step == plan.steps.end() || plan.operators.empty()) return launch;
    launch.name = plan.operators.front().name;
    for (std::uint64_t operand : step->operands) launch.inputs.push_back(tensor_of(operand));
    launch.outputs.push_back(tensor_of(step->result));
    return launch;
}

aclError Execution::run(const Step& step) {
    auto operand = [&](std::uint64_t index) {
        return StepOperand{place_of(index), operand_type(model_->plan(), index), dims_[index]};
    };
    std::vector<StepOperand> operands;
    for (std::uint64_t index : step.operands) operands.push_back(operand(index));
    StepOperand result = step.op == Op::reject_negative ? StepOperand{} : operand(step.result);
    return run_step(step, operands, result);
}

/// Faulty builds only: what goes wrong when all steps are done.
void Execution::spoil() {
    AddressSpace& space = AddressSpace::instance();
    for (std::size_t index = 0; index < outputs_.size(); ++index) {
        const std::uint64_t used = bytes_of(inputs_.size() + index);
        auto* start = static_cast<std::byte*>(outputs_[index].address);
        const bool beyond = faulty(Fault::run_writes_beyond_output) || (index > 0 && faulty(Fault::run_writes_beyond_later_outputs));
        if (beyond && outputs_[index].size > used)
            (void)space.fill(start + used, 0, outputs_[index].size - used);
        static std::atomic<std::uint8_t> runs{0};
        if (faulty(Fault::run_differs_each_time) && used > 0) (void)space.fill(start, ++runs, 1);
    }
    if (faulty(Fault::run_clears_inputs))
        for (const Place& input : inputs_) (void)space.fill(input.address, 0, input.size);
    if (faulty(Fault::run_takes_memory))
        if (auto memory = DeviceMemory::of(model_->device())) {
            void* lost = nullptr;
            DeviceRequest request;
            request.asked = request.span = 4096;
            (void)memory->allocate(request, &lost, current_function());
        }
}

Progress Execution::advance() {
    std::unique_lock running(model_->running, std::try_to_lock);
    if (!running) return Progress::Waiting(Clock::now() + std::chrono::milliseconds(1));
    const auto& steps = model_->plan().steps;
    for (; next_ < steps.size() && !cancelled_; ++next_) {
        const Step& step = steps[next_];
        if (step.op == Op::delay) {
            if (!delayed_) wake_ = Clock::now() + std::chrono::milliseconds(step.parameter);
            delayed_ = true;
            if (Clock::now() < wake_) return Progress::Waiting(wake_);
            delayed_ = false;
            continue;
        }
        if (aclError code = run_timed(step)) return Progress::Failed(code);
    }
    if (!cancelled_) report();
    spoil();
    model_->queued = 0;
    return Progress::Done();
}

void Execution::cancel() {
    cancelled_ = true;
    std::lock_guard running(model_->running);
}

aclError run_now(Execution& execution) {
    for (;;) {
        const Progress progress = execution.advance();
        if (progress.kind == Progress::done) return 0;
        if (progress.kind == Progress::failed) return progress.code;
        std::this_thread::sleep_until(progress.until);
    }
}

}  // namespace aclref::models
