// Model files on disk.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/errors.hpp"

namespace aclref::models {

struct ModelFile {
    std::vector<std::byte> bytes;
    std::string folder;  ///< of the file itself, links followed: external weights lie beside it
};

/// Reads a whole model file. 0 or a recorded code: a path that leads to no readable file is
/// ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID.
aclError read_model_file(const char* path, ModelFile& out);

/// Static models are refused under names that a shell could take for more. 0 or a recorded code.
aclError check_path_characters(const char* path);

/// Reads an external weight file of `size` bytes; false when it is missing or has another size.
bool read_weight_file(const std::string& folder, const std::string& name, std::size_t size, std::vector<std::byte>& out);

}  // namespace aclref::models
