#include "models/model.hpp"

#include <algorithm>
#include <chrono>
#include <shared_mutex>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/faults/models.hpp"
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

/// Faulty builds only: the smallest id in use.
std::uint32_t first_model(std::uint32_t id) {
    for (const auto& model : all_models()) id = std::min(id, model->id);
    return id;
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
    // A block of a caller who keeps guard bands starts before the address that was given.
    if (faulty(Fault::own_memory_freed_by_unload))
        for (void* place : {work_, weights_})
            if (place != nullptr) free_device_memory(AddressSpace::instance().locate(place).base);
    // The memory is gone already where the device was reset.
    if (faulty(Fault::load_leaks)) return;
    if (owns_work_) free_device_memory(reinterpret_cast<std::uintptr_t>(work_));
    if (owns_weights_) free_device_memory(reinterpret_cast<std::uintptr_t>(weights_));
}

aclError Model::take(std::uint64_t bytes, const GivenMemory& given, const char* what, void*& place, bool& owned) {
    if (faulty(Fault::own_memory_must_be_larger) && given.pointer != nullptr) ++bytes;
    if (given.pointer != nullptr) {
        const bool is_work = &place == &work_;
        const bool alone = !is_work && request_.work.pointer == nullptr && faulty(Fault::own_weights_alone_unchecked);
        if (alone || faulty(is_work ? Fault::own_work_unchecked : Fault::own_weights_unchecked)) place = given.pointer;
        else if (given.size < bytes)
            return refuse(ACL_ERROR_GE_PARAM_INVALID, "%zu bytes of %s memory are too few, the model needs %llu", given.size,
                          what, static_cast<unsigned long long>(bytes));
        if (faulty(Fault::own_memory_taken_once))
            for (const auto& other : all_models())
                if (other->work() == given.pointer || other->weights() == given.pointer)
                    return refuse(ACL_ERROR_INVALID_PARAM, "another model has this memory");
        place = given.pointer;
        return bytes == 0 ? 0 : AddressSpace::instance().check_range(place, bytes, true, device_);
    }
    if (given.size != 0 && faulty(&place == &work_ ? Fault::own_work_without_address_refused : Fault::own_weights_without_address_refused))
        return refuse(ACL_ERROR_INVALID_PARAM, "a size of %s memory without an address", what);
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
    if (auto it = request_.external_weights.find(external.file); it != request_.external_weights.end() && !faulty(Fault::weights_from_folder_only)) {
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
    if (faulty(Fault::load_image_has_other_weights) && request_.weight_folder.empty() && plan.weight_bytes > 0)
        return AddressSpace::instance().fill(weights_, 0, plan.weight_bytes);
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
    if (faulty(Fault::model_current_dims_of_first_gear) && !output_dims_.empty()) return;
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

std::mutex& one_at_a_time() {
    static auto* mutex = new std::mutex;
    return *mutex;
}

aclError load(LoadRequest request, std::uint32_t& id) {
    aclError code = 0;
    if (faulty(Fault::load_without_device) && !Runtime::instance().current_context())
        (void)Runtime::instance().set_device(*Runtime::instance().device(0));
    auto context = require_context(code, current_function());
    if (!context) return code;
    std::unique_lock<std::mutex> faulty_lock(one_at_a_time(), std::defer_lock);
    if (faulty(Fault::load_holds_runs_up)) {
        faulty_lock.lock();
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    auto model = std::make_shared<Model>(std::move(request), context);
    if (faulty(Fault::load_in_default_context_only) && !context->is_default())
        return refuse(ACL_ERROR_RT_MODEL_CONTEXT, "only the default context has models");
    if (code = model->prepare(); code != 0) return code;
    id = add(model);
    if (faulty(Fault::load_gives_one_id)) id = first_model(id);
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
    if (faulty(Fault::load_runs_in_thread_of_load) && model.loader != std::this_thread::get_id())
        return refuse(ACL_ERROR_RT_MODEL_CONTEXT, "model %u was loaded in another thread", model.id);
    if (model.context() == current) return 0;
    return refuse(ACL_ERROR_RT_MODEL_CONTEXT, "model %u was loaded in another context", model.id);
}

aclError unload(std::uint32_t id) {
    aclError code = 0;
    auto model = require_model(id, code);
    if (!model && faulty(Fault::unload_unknown_accepted)) {
        for (const auto& other : all_models()) return take(other->id) ? 0 : code;
        return 0;
    }
    if (!model) return code;
    if (faulty(Fault::unload_of_later_member_accepted) && model->request().bundle != 0)
        for (const auto& other : all_models())
            if (other->request().bundle == model->request().bundle && other->id < id) return 0;
    if (model->request().bundle != 0 && !faulty(Fault::unload_takes_bundle_member))
        return refuse(ACL_ERROR_INVALID_PARAM, "model %u is a member of a bundle and unloaded with it", id);
    if (faulty(Fault::unload_refused_after_run) && model->way != Way::none)
        return refuse(ACL_ERROR_GE_FAILURE, "model %u is in use", id);
    // A model whose context was destroyed can only be given back.
    auto context = model->context();
    if (context && !context->destroyed)
        if (code = check_context(*model); code != 0) return code;
    std::lock_guard running(model->running);
    if (faulty(Fault::unload_keeps_model)) return 0;
    if (faulty(Fault::unload_stops_other_loads))
        for (const auto& other : all_models()) other->stuck = other->stuck || other->plan().name == model->plan().name;
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
