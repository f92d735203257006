// Configuration handles: how a model is to be loaded, and how it is to be executed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/errors.hpp"
#include "base/handle_table.hpp"
#include "models/model.hpp"

namespace aclref::models {

struct LoadConfig {
    std::int32_t priority = 0;
    std::optional<std::size_t> type;           ///< ACL_MDL_LOAD_FROM_…
    std::optional<std::string> path;
    std::optional<std::string> weight_folder;
    const void* image = nullptr;
    std::size_t image_bytes = 0;
    GivenMemory work;
    GivenMemory weights;
    const std::uint32_t* input_queues = nullptr;
    std::size_t input_queue_count = 0;
    const std::uint32_t* output_queues = nullptr;
    std::size_t output_queue_count = 0;
    bool without_graph = false;
    std::map<std::string, GivenMemory> external_weights;  ///< by file name
    std::atomic<bool> loaded{false};           ///< what only faults look at
};

HandleTable<LoadConfig>& load_configs();

/// Sets one option from `size` bytes at `value`. 0 or a recorded code.
aclError set_load_option(LoadConfig& config, aclmdlConfigAttr attribute, const void* value, std::size_t size);

/// Loads as the configuration says. 0 or a recorded code.
aclError load_configured(const LoadConfig& config, std::uint32_t& id);

struct ExecutionConfig {
    std::int32_t stream_timeout_ms = -1;  ///< -1: no bound
    std::int32_t event_timeout_ms = -1;
    GivenMemory work;
};

HandleTable<ExecutionConfig>& execution_configs();

/// Sets one option from `size` bytes at `value`. 0 or a recorded code.
aclError set_execution_option(ExecutionConfig& config, aclmdlExecConfigAttr attribute, const void* value, std::size_t size);

}  // namespace aclref::models
