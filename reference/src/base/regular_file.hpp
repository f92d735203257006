// Whole files as bytes.
#pragma once

#include <cstddef>
#include <vector>

namespace aclref {

/// The whole content of a regular file; false when it is none or cannot be read.
bool read_regular_file(const char* path, std::vector<std::byte>& out);

}  // namespace aclref
