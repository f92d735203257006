// The configuration file of aclInit: reading, checking, applying.
#pragma once

#include <string>

#include "base/errors.hpp"

namespace aclref {

/// Reads the file into `text`; a null or empty path gives an empty text. 0 or a recorded code.
aclError read_init_config(const char* path, std::string& text);

/// Checks the text and, when all of it is right, puts it in force. 0 or a recorded code; then nothing has changed.
aclError apply_init_config(const std::string& text);

}  // namespace aclref
