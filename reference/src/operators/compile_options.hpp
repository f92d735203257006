// Options of the online compiler, for the whole process.
#pragma once

#include <optional>
#include <string>

#include "acl/acl_op_compiler.h"
#include "base/errors.hpp"

namespace aclref {

/// Sets an option. 0 or a recorded code.
aclError set_compile_option(aclCompileOpt option, const char* value);

/// The value of an option, its default where it was not set; nothing where it has none.
std::optional<std::string> compile_option(aclCompileOpt option);

/// Every option has its default again.
void forget_compile_options();

}  // namespace aclref
