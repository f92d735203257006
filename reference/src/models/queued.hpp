// Models whose inputs come from queues and whose outputs go to queues.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/errors.hpp"

namespace aclref::models {

/// The queues' ids, as the caller passes them.
struct Queues {
    const std::uint32_t* inputs = nullptr;
    std::size_t input_count = 0;
    const std::uint32_t* outputs = nullptr;
    std::size_t output_count = 0;
};

/// Loads a static model tied to queues, one for each input and output. 0 and its id, or a recorded code.
aclError load_queued_file(const char* path, const Queues& queues, std::uint32_t& id);
aclError load_queued_memory(const void* image, std::size_t size, const Queues& queues, std::uint32_t& id);

}  // namespace aclref::models
