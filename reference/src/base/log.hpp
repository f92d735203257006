// The library's log: lines on standard output, only when the environment asks for them.
#pragma once

#include <cstdint>

namespace aclref {

/// Writes one line when ASCEND_SLOG_PRINT_TO_STDOUT is 1 and the level is not below ASCEND_GLOBAL_LOG_LEVEL (0 debug,
/// 1 info, 2 warning, 3 error, which is the default).
void write_log(int level, const char* function, const char* file, std::uint32_t line, const char* text);

}  // namespace aclref
