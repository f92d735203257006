#include "models/model.hpp"

#include <algorithm>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

#include "base/live_objects.hpp"
#include "memory/address_space.hpp"
#include "memory/device_memory.hpp"
#include "models/bundle.hpp"
#include "models/file.hpp"
#include "services/dump.hpp"
#include "services/subscription.hpp"

namespace aclref::models {

namespace {

constexpr std::uint32_t module_of_models = 45;           // aclrtGetMemUsageInfo's component
constexpr std::uint32_t first_dynamic_id = 0x80000001;  // static ids count from 1
constexpr std::size_t grain = 32;
constexpr std::size_t most_launches = 1024;

struct Registry {
    mutable std::shared_mutex mutex;
    std::unordered_map<std::uint32_t, std::shared_ptr<Model>> models;
    std::uint32_t next_static = 1;
    std::uint32_t next_dynamic = first_dynamic_id;
};

Registry& registry() {
    static auto* instance = new Registry;
    return *instance;
}

std::uint32_t add(const std::shared_ptr<Model>& model) {
    Registry& all = registry();
    std::unique_lock lock(all.mutex);
    model->id = model->plan().is_dynamic ? all.next_dynamic++ : all.next_static++;
    all.models.emplace(model->id, model);
    return model->id;
}

std::shared_ptr<Model> take(std::uint32_t id) {
    Registry& all = registry();
    std::unique_lock lock(all.mutex);
    auto it = all.models.find(id);
    if (it == all.models.end()) return nullptr;
    auto model = std::move(it->second);
    all.models.erase(it);
    end_subscription(id);
    return model;
}

const LiveCounter live_models("models", [] { return std::uint64_t{all_models().size()}; });

}  // namespace

Model::Model(LoadRequest request, const std::shared_ptr<Context>& context)
    : priority(request.priority), request_(std::move(request)), context_(context), device_(context->device().id()) {
    dump = dump_of_model(request_.plan->name);
}

Model::~Model() {
    // The memory is gone already where the device was reset.
    if (owns_work_) free_device_memory(reinterpret_cast<std::uintptr_t>(work_));
    if (owns_weights_) free_device_memory(reinterpret_cast<std::uintptr_t>(weights_));
}

aclError Model::take(std::uint64_t bytes, const GivenMemory& given, const char* what, void*& place, bool& owned) {
    if (given.pointer != nullptr) {
        if (given.size < bytes)
            return refuse(ACL_ERROR_GE_PARAM_INVALID, "%zu bytes of %s memory are too few, the model needs %llu", given.size,
                          what, static_cast<unsigned long long>(bytes));
        place = given.pointer;
        return bytes == 0 ? 0 : AddressSpace::instance().check_range(place, bytes, true, device_);
    }
    if (bytes == 0) return 0;
    auto memory = DeviceMemory::of(device_);
    if (!memory) return refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "no addresses for the memory of device %d", device_);
    DeviceRequest request;
    request.asked = bytes;
    request.span = (bytes + grain - 1) / grain * grain;
    request.module = module_of_models;
    if (aclError code = memory->allocate(request, &place, current_function())) return code;
    owned = true;
    return 0;
}

aclError Model::fill_external(const ExternalWeight& external) {
    auto* place = static_cast<std::byte*>(weights_) + external.offset;
    AddressSpace& space = AddressSpace::instance();
    if (auto it = request_.external_weights.find(external.file); it != request_.external_weights.end()) {
        if (it->second.size < external.size)
            return refuse(ACL_ERROR_GE_FAILURE, "the memory of weight file %s is too small", external.file.c_str());
        if (aclError code = space.check_range(it->second.pointer, external.size, false, device_)) return code;
        return space.copy(place, it->second.pointer, external.size);
    }
    std::vector<std::byte> bytes;
    if (!read_weight_file(request_.weight_folder, external.file, external.size, bytes))
        return refuse(ACL_ERROR_GE_FAILURE, "there is no weight file %s of %llu bytes", external.file.c_str(),
                      static_cast<unsigned long long>(external.size));
    return space.copy(place, bytes.data(), bytes.size());
}

aclError Model::fill_weights() {
    const Plan& plan = *request_.plan;
    if (!plan.weights.empty())
        if (aclError code = AddressSpace::instance().copy(weights_, plan.weights.data(), plan.weights.size())) return code;
    for (const ExternalWeight& external : plan.externals)
        if (aclError code = fill_external(external)) return code;
    return 0;
}

aclError Model::prepare() {
    const Plan& plan = *request_.plan;
    // A dynamic-shape model asks for no work memory, and so cannot be given any.
    const GivenMemory work = plan.is_dynamic ? GivenMemory{} : request_.work;
    if (aclError code = take(plan.work_bytes, work, "work", work_, owns_work_)) return code;
    if (aclError code = take(plan.weight_bytes, request_.weights, "weight", weights_, owns_weights_)) return code;
    return fill_weights();
}

std::vector<Dims> Model::current_output_dims() const {
    std::lock_guard lock(mutex_);
    return output_dims_;
}

void Model::set_current_output_dims(std::vector<Dims> dims) {
    std::lock_guard lock(mutex_);
    output_dims_ = std::move(dims);
}

aclError Model::queue_operator(Launch launch, const std::function<aclError(Launch& launch)>& queue) {
    std::lock_guard lock(launches_mutex_);
    if (aclError code = queue(launch)) return code;
    if (launches_.size() == most_launches) launches_.erase(launches_.begin());
    launches_.push_back(std::move(launch));
    return 0;
}

std::optional<Launch> Model::launched(std::uint32_t stream, std::uint32_t task) const {
    std::lock_guard lock(launches_mutex_);
    // Numbers of tasks come again: the last one is meant.
    auto found = std::find_if(launches_.rbegin(), launches_.rend(),
                              [&](const Launch& each) { return each.stream == stream && each.task == task; });
    if (found == launches_.rend()) return std::nullopt;
    return *found;
}

aclError load(LoadRequest request, std::uint32_t& id) {
    aclError code = 0;
    auto context = require_context(code, current_function());
    if (!context) return code;
    auto model = std::make_shared<Model>(std::move(request), context);
    if (code = model->prepare(); code != 0) return code;
    id = add(model);
    return 0;
}

std::shared_ptr<Model> require_model(std::uint32_t id, aclError& code) {
    const Registry& all = registry();
    {
        std::shared_lock lock(all.mutex);
        auto it = all.models.find(id);
        if (it != all.models.end()) return it->second;
    }
    code = refuse(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID, "no model has the id %u", id);
    return nullptr;
}

aclError check_context(const Model& model) {
    aclError code = 0;
    auto current = require_context(code, current_function());
    if (!current) return code;
    if (model.context() == current) return 0;
    return refuse(ACL_ERROR_RT_MODEL_CONTEXT, "model %u was loaded in another context", model.id);
}

aclError unload(std::uint32_t id) {
    aclError code = 0;
    auto model = require_model(id, code);
    if (!model) return code;
    if (model->request().bundle != 0)
        return refuse(ACL_ERROR_INVALID_PARAM, "model %u is a member of a bundle and unloaded with it", id);
    // A model whose context was destroyed can only be given back.
    auto context = model->context();
    if (context && !context->destroyed)
        if (code = check_context(*model); code != 0) return code;
    std::lock_guard running(model->running);
    if (!take(id)) return refuse(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID, "model %u was unloaded meanwhile", id);
    return 0;
}

std::vector<std::shared_ptr<Model>> all_models() {
    const Registry& all = registry();
    std::shared_lock lock(all.mutex);
    std::vector<std::shared_ptr<Model>> found;
    for (const auto& [id, model] : all.models) found.push_back(model);
    return found;
}

void release_model(std::uint32_t id) {
    auto model = take(id);
    if (!model) return;
    std::lock_guard running(model->running);
}

void release_models(int device) {
    release_bundles(device);
    for (const auto& model : all_models())
        if (device < 0 || model->device() == device) take(model->id);
}

}  // namespace aclref::models
