#include "models/config.hpp"

#include <cstring>
#include <string_view>

#include "base/faults/models.hpp"
#include "base/live_objects.hpp"
#include "models/queued.hpp"
#include "models/sources.hpp"

namespace aclref::models {

namespace {

constexpr std::int32_t lowest_priority = 7;
constexpr std::size_t first_load_type = ACL_MDL_LOAD_FROM_FILE;
constexpr std::size_t last_load_type = ACL_MDL_LOAD_FROM_MEM_WITH_Q;

bool is_ipv350() { return profile().product == Product::IPV350; }

/// Attributes of a product whose model runs on parts that the program places itself.
bool is_for_ipv350(aclmdlConfigAttr attribute) {
    return attribute >= ACL_MDL_MODEL_DESC_PTR && attribute <= ACL_MDL_FIFO_SIZET;
}

bool exists(aclmdlConfigAttr attribute) { return attribute >= ACL_MDL_PRIORITY_INT32 && attribute <= ACL_MDL_WITHOUT_GRAPH_INT32; }

std::size_t option_size(aclmdlConfigAttr attribute) {
    const bool narrow = attribute == ACL_MDL_PRIORITY_INT32 || attribute == ACL_MDL_WITHOUT_GRAPH_INT32;
    return narrow ? sizeof(std::int32_t) : sizeof(std::size_t);
}

template <class Value>
Value read_as(const void* value) {
    Value read;
    std::memcpy(&read, value, sizeof(read));
    return read;
}

aclError take_text(const void* value, std::optional<std::string>& out) {
    const char* text = read_as<const char*>(value);
    if (text == nullptr && faulty(Fault::config_null_inside_accepted)) return 0;
    if (text == nullptr) return refuse(ACL_ERROR_INVALID_PARAM, "the path is NULL");
    out = faulty(Fault::config_path_not_copied) ? std::string(1, '\0') + std::to_string(reinterpret_cast<std::uintptr_t>(text)) : text;
    return 0;
}

template <class Pointer>
aclError take_pointer(const void* value, Pointer& out) {
    auto pointer = read_as<Pointer>(value);
    if (pointer == nullptr && !faulty(Fault::config_null_inside_accepted)) return refuse(ACL_ERROR_INVALID_PARAM, "the address is NULL");
    out = pointer;
    return 0;
}

aclError take_priority(const void* value, std::int32_t& out) {
    const auto priority = read_as<std::int32_t>(value);
    if ((priority < 0 || priority > lowest_priority) && !faulty(Fault::config_priority_any))
        return refuse(ACL_ERROR_INVALID_PARAM, "priority %d is outside 0..%d", priority, lowest_priority);
    out = priority;
    return 0;
}

aclError take_type(const void* value, std::optional<std::size_t>& out) {
    const auto type = read_as<std::size_t>(value);
    if (faulty(Fault::config_any_number)) return 0;
    if (faulty(Fault::config_first_type_counts) && out) return 0;
    if (type < first_load_type || type > last_load_type)
        return refuse(ACL_ERROR_INVALID_PARAM, "there is no load type %zu", type);
    out = type;
    return 0;
}

aclError take_switch(std::int64_t value, bool* out) {
    if (value != 0 && value != 1 && !faulty(Fault::config_any_number)) return refuse(ACL_ERROR_INVALID_PARAM, "a switch can be 0 or 1");
    if (out != nullptr) *out = value == 1;
    return 0;
}

bool loads_file(std::size_t type) {
    return type == ACL_MDL_LOAD_FROM_FILE || type == ACL_MDL_LOAD_FROM_FILE_WITH_MEM || type == ACL_MDL_LOAD_FROM_FILE_WITH_Q;
}
bool takes_memory(std::size_t type) { return type == ACL_MDL_LOAD_FROM_FILE_WITH_MEM || type == ACL_MDL_LOAD_FROM_MEM_WITH_MEM; }
bool takes_queues(std::size_t type) { return type == ACL_MDL_LOAD_FROM_FILE_WITH_Q || type == ACL_MDL_LOAD_FROM_MEM_WITH_Q; }

aclError check_complete(const LoadConfig& config) {
    if (!config.path && config.image == nullptr) return refuse(ACL_ERROR_INVALID_PARAM, "neither a path nor a model in memory is set");
    if (!config.type && faulty(Fault::config_type_by_default)) return 0;
    if (!config.type) return refuse(ACL_ERROR_INVALID_PARAM, "no load type is set");
    const std::size_t type = *config.type;
    if (loads_file(type) && !config.path && !faulty(Fault::config_any_source)) return refuse(ACL_ERROR_INVALID_PARAM, "the load type needs a path");
    if (!loads_file(type) && (config.image == nullptr || config.image_bytes == 0))
        return refuse(ACL_ERROR_INVALID_PARAM, "the load type needs the address and the size of the model");
    if (loads_file(type) && config.weight_folder && !faulty(Fault::config_weight_folder_with_file))
        return refuse(ACL_ERROR_INVALID_PARAM, "a model file has its external weights beside it");
    if (takes_queues(type) && !faulty(Fault::config_queues_incomplete) && (config.input_queues == nullptr || config.input_queue_count == 0 || config.output_queues == nullptr ||
                               config.output_queue_count == 0))
        return refuse(ACL_ERROR_INVALID_PARAM, "the load type needs both queue arrays and their lengths");
    return 0;
}

}  // namespace

HandleTable<LoadConfig>& load_configs() {
    static auto* table = new HandleTable<LoadConfig>;
    return *table;
}

HandleTable<ExecutionConfig>& execution_configs() {
    static auto* table = new HandleTable<ExecutionConfig>;
    return *table;
}

aclError set_load_option(LoadConfig& config, aclmdlConfigAttr attribute, const void* value, std::size_t size) {
    if (!exists(attribute)) return refuse(ACL_ERROR_INVALID_PARAM, "there is no attribute %d", attribute);
    if (is_for_ipv350(attribute) && !is_ipv350() && !faulty(Fault::config_parts_everywhere))
        return refuse(ACL_ERROR_INVALID_PARAM, "attribute %d does not exist on this product", attribute);
    if (faulty(Fault::config_option_size_unchecked) && size != option_size(attribute)) return 0;
    if (size != option_size(attribute))
        return refuse(ACL_ERROR_INVALID_PARAM, "attribute %d has %zu bytes, not %zu", attribute, option_size(attribute), size);
    switch (attribute) {
        case ACL_MDL_PRIORITY_INT32: return take_priority(value, config.priority);
        case ACL_MDL_LOAD_TYPE_SIZET: return take_type(value, config.type);
        case ACL_MDL_PATH_PTR:
            if (config.path && faulty(Fault::config_first_value_counts)) return 0;
            if (config.loaded && faulty(Fault::config_path_kept_after_load)) return 0;
            return take_text(value, config.path);
        case ACL_MDL_MEM_ADDR_PTR: return take_pointer(value, config.image);
        case ACL_MDL_MEM_SIZET:
            if (config.image_bytes != 0 && faulty(Fault::config_first_size_counts)) return 0;
            config.image_bytes = read_as<std::size_t>(value); return 0;
        case ACL_MDL_WEIGHT_ADDR_PTR:
            if (faulty(Fault::config_null_memory_refused)) return take_pointer(value, config.weights.pointer);
            config.weights.pointer = read_as<void*>(value); return 0;
        case ACL_MDL_WEIGHT_SIZET: config.weights.size = read_as<std::size_t>(value); return 0;
        case ACL_MDL_WORKSPACE_ADDR_PTR:
            if (faulty(Fault::config_null_memory_refused)) return take_pointer(value, config.work.pointer);
            config.work.pointer = read_as<void*>(value); return 0;
        case ACL_MDL_WORKSPACE_SIZET: config.work.size = read_as<std::size_t>(value); return 0;
        case ACL_MDL_INPUTQ_NUM_SIZET: config.input_queue_count = read_as<std::size_t>(value); return 0;
        case ACL_MDL_INPUTQ_ADDR_PTR: return take_pointer(value, config.input_queues);
        case ACL_MDL_OUTPUTQ_NUM_SIZET: config.output_queue_count = read_as<std::size_t>(value); return 0;
        case ACL_MDL_OUTPUTQ_ADDR_PTR: return take_pointer(value, config.output_queues);
        case ACL_MDL_WEIGHT_PATH_PTR: return take_text(value, config.weight_folder);
        case ACL_MDL_WORKSPACE_MEM_OPTIMIZE: return take_switch(static_cast<std::int64_t>(read_as<std::size_t>(value)), nullptr);
        case ACL_MDL_WITHOUT_GRAPH_INT32: return take_switch(read_as<std::int32_t>(value), &config.without_graph);
        // What is left are places of a model's parts, which a small program has none of.
        default: return 0;
    }
}

namespace {

/// Faulty builds keep the address of a path instead of the path.
std::string path_of(const std::string& kept) {
    if (kept.empty() || kept.front() != '\0') return kept;
    return reinterpret_cast<const char*>(std::stoull(kept.substr(1)));
}

}  // namespace

aclError load_configured(const LoadConfig& config, std::uint32_t& id) {
    if (aclError code = check_complete(config)) return code;
    Source source;
    const std::size_t type = config.type.value_or(ACL_MDL_LOAD_FROM_FILE);
    if (takes_queues(type) && faulty(Fault::config_queues_incomplete)) {
        if (aclError code = read_file_model(config.path.value_or("").c_str(), source)) return code;
        LoadRequest request;
        request.plan = source.plan;
        return load(std::move(request), id);
    }
    if (takes_queues(type)) {
        const Queues queues{config.input_queues, config.input_queue_count, config.output_queues, config.output_queue_count};
        if (loads_file(type)) return load_queued_file(config.path->c_str(), queues, id);
        return load_queued_memory(config.image, config.image_bytes, queues, id);
    }
    if (aclError code = loads_file(type) && config.path ? read_file_model(path_of(*config.path).c_str(), source)
                                         : read_memory_model(config.image, config.image_bytes, source))
        return code;
    if (config.without_graph && !faulty(Fault::config_dynamic_without_graph) && source.plan->is_dynamic)
        return refuse(ACL_ERROR_INVALID_PARAM, "a dynamic-shape model needs its graph");
    LoadRequest request;
    request.plan = source.plan;
    request.weight_folder = config.weight_folder.value_or(source.folder);
    request.external_weights = config.external_weights;
    request.priority = static_cast<std::uint32_t>(config.priority);
    if (faulty(Fault::config_priority_lowest_by_default)) request.priority = lowest_priority;
    request.without_graph = config.without_graph && !faulty(Fault::config_graph_always_kept);
    if (takes_memory(type) && faulty(Fault::config_memory_of_caller_lost))
        return refuse(ACL_ERROR_INVALID_PARAM, "memory of the caller is not taken");
    if (takes_memory(type)) {
        request.work = config.work;
        request.weights = config.weights;
    }
    return load(std::move(request), id);
}

aclError set_execution_option(ExecutionConfig& config, aclmdlExecConfigAttr attribute, const void* value, std::size_t size) {
    const bool timeout = attribute == ACL_MDL_STREAM_SYNC_TIMEOUT || attribute == ACL_MDL_EVENT_SYNC_TIMEOUT;
    const bool memory = attribute == ACL_MDL_WORK_ADDR_PTR || attribute == ACL_MDL_WORK_SIZET;
    if (is_ipv350() ? !memory : !timeout)
        return refuse(ACL_ERROR_INVALID_PARAM, "attribute %d does not exist on this product", attribute);
    const std::size_t wanted = timeout ? sizeof(std::int32_t) : sizeof(std::size_t);
    if (size != wanted && faulty(Fault::execution_option_size_unchecked)) return 0;
    if (size != wanted) return refuse(ACL_ERROR_INVALID_PARAM, "attribute %d has %zu bytes, not %zu", attribute, wanted, size);
    if (attribute == ACL_MDL_WORK_ADDR_PTR) {
        config.work.pointer = read_as<void*>(value);
        return 0;
    }
    if (attribute == ACL_MDL_WORK_SIZET) {
        config.work.size = read_as<std::size_t>(value);
        return 0;
    }
    const auto milliseconds = read_as<std::int32_t>(value);
    if (faulty(Fault::execution_bound_in_range_refused) && (milliseconds < 1 || milliseconds > 60000))
        return refuse(ACL_ERROR_INVALID_PARAM, "%d ms are no bound", milliseconds);
    if (milliseconds < -1 && !faulty(Fault::execution_bound_any)) return refuse(ACL_ERROR_INVALID_PARAM, "a timeout of %d ms is below -1", milliseconds);
    (attribute == ACL_MDL_STREAM_SYNC_TIMEOUT ? config.stream_timeout_ms : config.event_timeout_ms) = milliseconds;
    return 0;
}

namespace {
const LiveCounter live_load_configs("model_configs", [] { return std::uint64_t{load_configs().size()}; });
const LiveCounter live_execution_configs("execution_configs", [] { return std::uint64_t{execution_configs().size()}; });
}  // namespace

}  // namespace aclref::models
