// Return codes with a text: every refusal records why, for aclGetRecentErrMsg and the library log.
#pragma once

#include <string>

#include "acl/acl.h"

namespace aclref {

/// Records the text as this thread's recent error and returns `code`. printf-style.
[[gnu::format(printf, 2, 3)]] aclError fail(aclError code, const char* format, ...);

/// The calling thread's recent error text; reading takes it (the next read gives an empty text).
std::string take_recent_error();

/// Code of the calling thread's last refusal, 0 after none (aclrtPeekAtLastError, aclrtGetLastError).
aclError recent_error_code() noexcept;
void clear_recent_error_code() noexcept;

/// The contract's name of a code.
const char* code_name(aclError code) noexcept;

}  // namespace aclref
