// The model files of a directory.
#pragma once

#include <cstddef>
#include <vector>

#include "base/errors.hpp"

namespace aclref {

/// The content of every .om file in a directory and the two levels below it, in the order of their paths. 0, or a recorded
/// ACL_ERROR_READ_MODEL_FAILURE.
aclError read_operator_files(const char* directory, std::vector<std::vector<std::byte>>& out);

}  // namespace aclref
