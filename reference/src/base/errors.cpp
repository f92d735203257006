#include "base/errors.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "generated/functions.hpp"

namespace aclref {

namespace {

// A trivially destructible text: callable from atexit handlers and from threads that are about to end.
struct RecentError {
    char text[512] = "";
    aclError code = 0;
};
thread_local constinit RecentError recent;

}  // namespace

const char* code_name(aclError code) noexcept {
    auto it = std::lower_bound(code_names.begin(), code_names.end(), code,
                               [](const CodeName& entry, int wanted) { return entry.code < wanted; });
    return it != code_names.end() && it->code == code ? it->name : "unknown code";
}

aclError fail(aclError code, const char* format, ...) {
    char reason[400];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(reason, sizeof(reason), format, arguments);
    va_end(arguments);
    std::snprintf(recent.text, sizeof(recent.text), "%d (%s): %s", code, code_name(code), reason);
    recent.code = code;
    return code;
}

std::string take_recent_error() {
    std::string text = recent.text;
    recent.text[0] = '\0';
    return text;
}

aclError recent_error_code() noexcept { return recent.code; }

void clear_recent_error_code() noexcept { recent.code = 0; }

}  // namespace aclref
