// Return codes with a text: every refusal records why, for aclGetRecentErrMsg and the library log.
#pragma once

#include <string>

#include "acl/acl.h"
#include "generated/functions.hpp"

namespace aclref {

/// Records the text as this thread's recent error and returns `code`. printf-style; the text names the function.
[[gnu::format(printf, 2, 3)]] aclError fail(aclError code, const char* format, ...);

/// As fail(), with the name of the function this thread entered last before the text.
[[gnu::format(printf, 2, 3)]] aclError refuse(aclError code, const char* format, ...);

/// As refuse(), but the thread's last error (aclrtPeekAtLastError) stays as it was.
[[gnu::format(printf, 2, 3)]] aclError refuse_quietly(aclError code, const char* format, ...);

/// The exported function the calling thread is in.
void set_current_function(Function function) noexcept;
const char* current_function() noexcept;

/// The calling thread's recent error texts, newest first; reading takes them (the next read gives an empty text).
std::string take_recent_error();

/// True: texts are kept for the whole process, whichever thread reads them (err_msg_mode 1).
void keep_errors_for_process(bool on) noexcept;

/// Code of the calling thread's last recorded refusal, 0 after none (aclrtPeekAtLastError, aclrtGetLastError).
aclError last_error() noexcept;
void clear_last_error() noexcept;

/// Forgets the texts kept for the process.
void forget_errors() noexcept;

/// The contract's name of a code.
const char* code_name(aclError code) noexcept;

}  // namespace aclref
