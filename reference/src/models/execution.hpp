// One run of a model: what it works on, checked when the run is asked for, and its steps.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "models/data_buffer.hpp"
#include "models/dataset.hpp"
#include "models/model.hpp"
#include "runtime/stream.hpp"
#include "services/subscription.hpp"

namespace aclref::models {

/// Memory of one input or output.
struct Place {
    void* address = nullptr;
    std::size_t size = 0;
};

class Execution {
public:
    explicit Execution(std::shared_ptr<Model> model) : model_(std::move(model)), work_(model_->work()) {}

    /// Works in the caller's memory instead of the model's. 0 or a recorded code.
    aclError use_work(const GivenMemory& work);

    /// Takes the datasets' buffers and checks them against the model. With `allocate`, outputs without memory get some,
    /// which is the caller's then. 0 or a recorded code.
    aclError bind(const Dataset& inputs, Dataset& outputs, bool allocate);

    /// Goes on until the end, a failure, or a delay, which is Waiting. Whoever calls it holds nothing.
    Progress advance();

    Model& model() const { return *model_; }

    /// The first operator that computes, with what it works on; nameless where the model has none.
    Launch first_operator() const;

    /// Ends the run where it is; when this returns, nothing of the caller's is touched any more.
    void cancel();

private:
    aclError take_inputs(const Dataset& inputs);
    aclError take_outputs(Dataset& outputs, bool allocate);
    aclError allocate_output(DataBuffer& buffer, std::uint64_t bytes);
    aclError find_shapes(const Dataset& inputs);
    aclError read_shapes(const Dataset& inputs);
    void tell_shapes(Dataset& outputs) const;
    aclError read_gear();
    aclError check_place(const Place& place, std::uint64_t needed, bool write, const char* what, std::size_t index);
    aclError run(const Step& step);
    aclError run_timed(const Step& step);
    void report() const;
    std::vector<std::byte> content(const Place& place, std::uint64_t operand) const;
    void spoil();
    void* place_of(std::uint64_t operand) const;
    OperatorTensor tensor_of(std::uint64_t operand) const;
    std::uint64_t bytes_of(std::uint64_t operand) const;
    aclError bad_dataset() const;
    std::shared_ptr<Model> model_;
    std::vector<Place> inputs_;
    std::vector<Place> outputs_;
    std::vector<Dims> dims_;     ///< of every operand
    void* work_;
    std::atomic<bool> cancelled_{false};
    std::vector<StepTimes> times_;  ///< of the steps that have run
    std::size_t next_ = 0;
    bool delayed_ = false;
    Clock::time_point wake_{};
};

/// Runs to the end in the calling thread. 0 or a code; nothing is recorded.
aclError run_now(Execution& execution);

}  // namespace aclref::models
