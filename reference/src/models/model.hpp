// Loaded models and their ids.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "models/plan.hpp"
#include "runtime/runtime.hpp"

namespace aclref {
struct DumpConfig;
}

namespace aclref::models {

/// Memory of the caller; null: the library takes its own.
struct GivenMemory {
    void* pointer = nullptr;
    std::size_t size = 0;
};

/// How a model is to be loaded.
struct LoadRequest {
    std::shared_ptr<const Plan> plan;
    GivenMemory work;
    GivenMemory weights;
    std::string weight_folder;                          ///< where external weight files lie; empty: nowhere
    std::map<std::string, GivenMemory> external_weights;  ///< by file name, in device memory; wins over the folder
    std::uint32_t priority = 0;
    bool without_graph = false;
    std::uint32_t bundle = 0;                           ///< the bundle it is a member of
};

/// How a static model has been executed; the two ways do not mix.
enum class Way : std::uint8_t { none, synchronous, asynchronous };

/// One tensor of an operator, as it was when the operator was queued.
struct OperatorTensor {
    aclDataType type = ACL_FLOAT;
    aclFormat format = ACL_FORMAT_ND;
    Dims dims;
    void* address = nullptr;
};

/// An operator that an asynchronous execution put on a stream.
struct Launch {
    std::uint32_t stream = 0;
    std::uint32_t task = 0;
    std::string name;
    std::vector<OperatorTensor> inputs;
    std::vector<OperatorTensor> outputs;
};

class Model {
public:
    Model(LoadRequest request, const std::shared_ptr<Context>& context);
    ~Model();
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    /// Takes memory and fills in the weights. 0 or a recorded code.
    aclError prepare();

    std::uint32_t id = 0;
    std::atomic<bool> stale{false};
    std::atomic<bool> stuck{false};  ///< what only faults look at, as
    std::atomic<int> queued{0};      ///< runs that were queued since the last one ended, and
    std::thread::id loader = std::this_thread::get_id();  ///< what only faults look at
    const Plan& plan() const { return *request_.plan; }
    std::shared_ptr<const Plan> shared_plan() const { return request_.plan; }
    const LoadRequest& request() const { return request_; }
    std::shared_ptr<Context> context() const { return context_.lock(); }
    int device() const { return device_; }
    void* work() const { return work_; }
    void* weights() const { return weights_; }

    std::atomic<std::uint32_t> priority;
    std::atomic<Way> way{Way::none};

    /// What is dumped of its runs; null when nothing was asked for when it was loaded.
    std::shared_ptr<const DumpConfig> dump;

    /// One execution at a time.
    std::mutex running;

    /// Shapes of the outputs as the last execution or setting left them; empty before.
    std::vector<Dims> current_output_dims() const;
    void set_current_output_dims(std::vector<Dims> dims);

    /// Queues an operator with `queue`, which fills in stream and task; whoever asks for these meanwhile waits. Its code.
    aclError queue_operator(Launch launch, const std::function<aclError(Launch& launch)>& queue);
    /// The operator of a task that this model has queued, as far back as it remembers.
    std::optional<Launch> launched(std::uint32_t stream, std::uint32_t task) const;

private:
    aclError take(std::uint64_t bytes, const GivenMemory& given, const char* what, void*& place, bool& owned);
    aclError fill_weights();
    aclError fill_external(const ExternalWeight& external);
    LoadRequest request_;
    std::weak_ptr<Context> context_;
    int device_;
    void* work_ = nullptr;
    void* weights_ = nullptr;
    bool owns_work_ = false;
    bool owns_weights_ = false;
    mutable std::mutex mutex_;
    std::vector<Dims> output_dims_;
    mutable std::mutex launches_mutex_;
    std::vector<Launch> launches_;
};

/// Faulty builds only: what loads hold and executions need.
std::mutex& one_at_a_time();

/// Loads a model in the current context. 0 and its id, or a recorded code.
aclError load(LoadRequest request, std::uint32_t& id);

/// The model, or a recorded ACL_ERROR_GE_EXEC_MODEL_ID_INVALID in `code`.
std::shared_ptr<Model> require_model(std::uint32_t id, aclError& code);

/// 0, or a recorded code unless the context that loaded the model is current.
aclError check_context(const Model& model);

/// Takes the model's id back and frees its memory. 0 or a recorded code.
aclError unload(std::uint32_t id);

/// Takes a model back whatever the current context: its bundle goes, or its device. Waits for a run that is under way.
void release_model(std::uint32_t id);

/// The models that are loaded.
std::vector<std::shared_ptr<Model>> all_models();

/// Forgets the models and bundles of a device that is reset; of every device for -1.
void release_models(int device);

}  // namespace aclref::models
