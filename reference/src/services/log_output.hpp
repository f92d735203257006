// Where a program's own log lines go: the file of the process, and the functions that want to have them.
#pragma once

#include <cstdarg>
#include <cstdint>

#include "acl/base/acl_log.h"

namespace aclref {

inline constexpr std::size_t most_log_callbacks = 16;
inline constexpr std::uint32_t log_types = 3;
inline constexpr std::size_t longest_log_text = 1024;

/// The handle, or 0 when there are as many functions as there may be.
acllogCallbackHandle add_log_callback(acllogRecordCallback function, void* argument, std::uint32_t type);
bool remove_log_callback(acllogCallbackHandle handle);

/// Whether lines of this level are written.
bool log_level_enabled(int level);
/// Writes a text when its level is enabled, and on standard output where ASCEND_SLOG_PRINT_TO_STDOUT is 1.
void record_text(int module, int level, const char* text);
/// Formats the line, cut to `longest_log_text` bytes, and writes it when its level is enabled.
void record_log(int module, int level, const char* format, std::va_list arguments);

void forget_log_callbacks();

}  // namespace aclref
