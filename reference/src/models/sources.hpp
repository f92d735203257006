// Models where they come from: a file or memory, read into a plan.
#pragma once

#include <memory>
#include <string>

#include "models/plan.hpp"

namespace aclref::models {

/// Where external weights lie, seen from the model file's folder.
inline constexpr const char* external_weight_folder = "/weight";

struct Source {
    std::shared_ptr<const Plan> plan;
    std::string folder;  ///< of the file; empty for memory
};

/// Reads a model file. 0 or a recorded code.
aclError read_file_model(const char* path, Source& out);

/// Reads a model image; device memory where the host shares it. 0 or a recorded code.
aclError read_memory_model(const void* image, std::size_t size, Source& out);

/// Faulty builds only: the image loaded last is needed as long as it runs.
void note_image(const void* image, std::size_t size);
aclError check_noted_image();

/// A copy of the bytes of a model image. 0 or a recorded code.
aclError read_image(const void* image, std::size_t size, std::vector<std::byte>& out);

}  // namespace aclref::models
