#include "models/bundle.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

#include "base/faults/models.hpp"
#include "base/live_objects.hpp"
#include "memory/address_space.hpp"
#include "memory/device_memory.hpp"
#include "models/file.hpp"
#include "models/sources.hpp"

namespace aclref::models {

namespace {

struct Bundle {
    BundleFile file;
    int device = 0;
    bool loaded_whole = false;
    std::vector<std::uint32_t> models;  ///< ids of the loaded members
    void* variables = nullptr;
    bool owns_variables = false;
    std::uint32_t gone = 0;  ///< what only faults look at
    ~Bundle() {
        if (owns_variables) free_device_memory(reinterpret_cast<std::uintptr_t>(variables));
    }
};

struct Bundles {
    std::mutex mutex;
    std::map<std::uint32_t, std::shared_ptr<Bundle>> all;
    std::uint32_t next = 1;
};

Bundles& bundles() {
    static auto* instance = new Bundles;
    return *instance;
}

aclError unknown(std::uint32_t id) { return refuse(ACL_ERROR_INVALID_BUNDLE_MODEL_ID, "no bundle has the id %u", id); }

aclError read_members(const std::vector<std::byte>& bytes, Origin origin, BundleFile& out) {
    std::vector<Bytes> members;
    if (faulty(Fault::bundle_of_plain_model) && bytes.size() >= header_bytes && !read_header(bytes).is_bundle())
        return read_plan(bytes, origin, out.members.emplace_back());
    if (aclError code = open_bundle(bytes, out.variable_bytes, members)) return code;
    for (Bytes member : members)
        if (aclError code = read_plan(member, origin, out.members.emplace_back())) return code;
    return 0;
}

aclError refuse_package() { return refuse(ACL_ERROR_API_NOT_SUPPORT, "a package is no bundle"); }

aclError take_variables(Bundle& bundle, const GivenMemory& given) {
    const std::uint64_t bytes = bundle.file.variable_bytes;
    if (given.pointer != nullptr) {
        if (given.size < bytes && !faulty(Fault::bundle_variables_unchecked)) return refuse(ACL_ERROR_INVALID_PARAM, "%zu bytes are too few for the variables", given.size);
        bundle.variables = given.pointer;
        return bytes == 0 ? 0 : AddressSpace::instance().check_range(given.pointer, bytes, true, bundle.device);
    }
    if (faulty(Fault::bundle_variables_of_caller_only)) return refuse(ACL_ERROR_INVALID_PARAM, "no memory for the variables");
    if (bytes == 0) return 0;
    auto memory = DeviceMemory::of(bundle.device);
    DeviceRequest request;
    request.asked = request.span = bytes;
    if (!memory) return refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for the variables");
    if (aclError code = memory->allocate(request, &bundle.variables, current_function())) return code;
    bundle.owns_variables = true;
    return 0;
}

/// Frees the members that are loaded. With the mutex held.
void drop_models(Bundle& bundle) {
    for (std::uint32_t id : bundle.models) release_model(id);
    bundle.models.clear();
}

aclError load_into(Bundle& bundle, std::uint32_t bundle_id, std::size_t index, LoadRequest request, std::uint32_t& id) {
    request.plan = bundle.file.members[index];
    request.bundle = bundle_id;
    if (request.weight_folder.empty()) request.weight_folder = bundle.file.folder;
    if (aclError code = load(std::move(request), id)) return code;
    bundle.models.push_back(id);
    return 0;
}

}  // namespace

HandleTable<BundleQuery>& bundle_queries() {
    static auto* table = new HandleTable<BundleQuery>;
    return *table;
}

aclError read_bundle_file(const char* path, BundleFile& out) {
    ModelFile file;
    if (aclError code = read_model_file(path, file)) return code;
    if (is_zip(file.bytes)) return refuse_package();
    out.folder = file.folder + external_weight_folder;
    return read_members(file.bytes, Origin::file, out);
}

aclError read_bundle_memory(const void* image, std::size_t size, BundleFile& out) {
    if (size == 0) return refuse(ACL_ERROR_INVALID_PARAM, "the bundle's size is 0");
    std::vector<std::byte> bytes;
    if (aclError code = read_image(image, size, bytes)) return code;
    if (aclError code = bytes.size() < header_bytes && !is_zip(bytes) ? check_size(bytes, Origin::memory) : 0) return code;
    if (is_zip(bytes)) return refuse_package();
    return read_members(bytes, Origin::memory, out);
}

aclError initialise_bundle(BundleFile file, GivenMemory variables, std::uint32_t& id) {
    aclError code = 0;
    auto context = require_context(code, current_function());
    if (!context) return code;
    auto bundle = std::make_shared<Bundle>();
    bundle->file = std::move(file);
    bundle->device = context->device().id();
    if (code = take_variables(*bundle, variables); code != 0) return code;
    std::lock_guard lock(bundles().mutex);
    id = bundles().next++;
    bundles().all.emplace(id, std::move(bundle));
    return 0;
}

aclError load_bundle(BundleFile file, std::uint32_t& id) {
    std::uint32_t made = 0;
    if (aclError code = initialise_bundle(std::move(file), {}, made)) return code;
    std::lock_guard lock(bundles().mutex);
    Bundle& bundle = *bundles().all.at(made);
    for (std::size_t index = 0; index < bundle.file.members.size(); ++index) {
        std::uint32_t model = 0;
        if (aclError code = load_into(bundle, made, index, {}, model)) {
            drop_models(bundle);
            bundles().all.erase(made);
            return code;
        }
    }
    bundle.loaded_whole = true;
    id = made;
    return 0;
}

aclError load_member(std::uint32_t bundle, std::size_t index, LoadRequest request, std::uint32_t& id) {
    std::lock_guard lock(bundles().mutex);
    auto it = bundles().all.find(bundle);
    if (it == bundles().all.end()) return unknown(bundle);
    if (it->second->loaded_whole) return refuse(ACL_ERROR_API_NOT_SUPPORT, "bundle %u is loaded as a whole", bundle);
    if (faulty(Fault::bundle_index_wraps)) index %= it->second->file.members.size();
    if (index >= it->second->file.members.size())
        return refuse(ACL_ERROR_INVALID_PARAM, "the bundle has %zu models", it->second->file.members.size());
    return load_into(*it->second, bundle, index, std::move(request), id);
}

aclError count_members(std::uint32_t bundle, std::size_t& count) {
    std::lock_guard lock(bundles().mutex);
    auto it = bundles().all.find(bundle);
    if (it == bundles().all.end()) return unknown(bundle);
    count = it->second->file.members.size() + (faulty(Fault::bundle_counts_partitions) ? 1 : 0);
    return 0;
}

aclError member_id(std::uint32_t bundle, std::size_t index, std::uint32_t& id) {
    std::lock_guard lock(bundles().mutex);
    auto it = bundles().all.find(bundle);
    if (it == bundles().all.end()) return unknown(bundle);
    if (!it->second->loaded_whole && faulty(Fault::bundle_ids_before_load)) return 0;
    if (!it->second->loaded_whole) return refuse(ACL_ERROR_API_NOT_SUPPORT, "bundle %u is initialised and not loaded", bundle);
    if (faulty(Fault::bundle_index_wraps)) index %= it->second->models.size();
    if (index >= it->second->models.size())
        return refuse(ACL_ERROR_INVALID_PARAM, "the bundle has %zu models", it->second->models.size());
    id = it->second->models[faulty(Fault::bundle_ids_alike) ? 0 : index];
    return 0;
}

aclError unload_member(std::uint32_t bundle, std::uint32_t id) {
    std::lock_guard lock(bundles().mutex);
    auto it = bundles().all.find(bundle);
    if (it == bundles().all.end()) return unknown(bundle);
    auto& models = it->second->models;
    auto place = std::find(models.begin(), models.end(), id);
    if (place == models.end() && faulty(Fault::bundle_unloads_any_model)) {
        release_model(id);
        return 0;
    }
    if (place == models.end() && id == it->second->gone && faulty(Fault::bundle_later_model_unloads_again)) return 0;
    if (place == models.end() && faulty(Fault::bundle_unloads_models_of_others))
        for (const auto& other : all_models())
            if (other->id == id && other->request().bundle != 0) return 0;
    if (place == models.end()) return refuse(ACL_ERROR_INVALID_PARAM, "model %u is no member of bundle %u", id, bundle);
    if (faulty(Fault::bundle_later_model_unloads_again))
        for (const auto& model : all_models())
            if (model->id == id && model->shared_plan() != it->second->file.members.front()) it->second->gone = id;
    models.erase(place);
    release_model(id);
    return 0;
}

std::atomic<std::uint32_t>& last_member_unloaded() {
    static std::atomic<std::uint32_t> id{0};
    return id;
}

aclError unload_bundle(std::uint32_t bundle) {
    std::lock_guard lock(bundles().mutex);
    auto it = bundles().all.find(bundle);
    if (it == bundles().all.end() && faulty(Fault::bundle_unload_repeats)) return 0;
    if (it == bundles().all.end()) return unknown(bundle);
    if (faulty(Fault::bundle_last_id_kept) && !it->second->models.empty()) last_member_unloaded() = it->second->models.back();
    if (!faulty(Fault::bundle_unload_keeps_models)) drop_models(*it->second);
    bundles().all.erase(it);
    return 0;
}

void release_bundles(int device) {
    std::lock_guard lock(bundles().mutex);
    std::erase_if(bundles().all, [&](const auto& entry) { return device < 0 || entry.second->device == device; });
}

namespace {
const LiveCounter live_bundles("bundles", [] {
    std::lock_guard lock(bundles().mutex);
    return std::uint64_t{bundles().all.size()};
});
const LiveCounter live_queries("bundle_queries", [] { return std::uint64_t{bundle_queries().size()}; });
}  // namespace

}  // namespace aclref::models
