#include "base/errors.hpp"

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>

namespace aclref {

namespace {

/// Texts, newest on top; what does not fit falls off the bottom. Trivially destructible, so that calls from exit
/// handlers and from threads that are about to end still find it.
struct Texts {
    char text[4096] = "";

    void push(const char* line) noexcept {
        std::size_t length = std::min(std::strlen(line), sizeof(text) - 2);
        std::size_t kept = std::min(std::strlen(text), sizeof(text) - 2 - length);
        std::memmove(text + length + 1, text, kept);
        std::memcpy(text, line, length);
        text[length] = '\n';
        text[length + 1 + kept] = '\0';
    }
    std::string take() {
        std::string out = text;
        text[0] = '\0';
        return out;
    }
};

thread_local constinit Texts thread_texts;
thread_local constinit aclError thread_code = 0;
thread_local constinit Function thread_function{};

constinit std::mutex process_mutex;
constinit Texts process_texts;
constinit std::atomic<bool> process_wide{false};

/// The document lists unsupported features among the states that are no errors of the thread.
bool counts_as_last_error(aclError code) { return code != ACL_ERROR_RT_FEATURE_NOT_SUPPORT; }

void record(aclError code, const char* reason) {
    char line[640];
    std::snprintf(line, sizeof(line), "%d (%s): %s", code, code_name(code), reason);
    if (process_wide.load(std::memory_order_relaxed)) {
        std::lock_guard lock(process_mutex);
        process_texts.push(line);
    } else {
        thread_texts.push(line);
    }
}

void record_named(aclError code, const char* format, va_list arguments) {
    char reason[512];
    int used = std::snprintf(reason, sizeof(reason), "%s: ", current_function());
    std::vsnprintf(reason + used, sizeof(reason) - static_cast<std::size_t>(used), format, arguments);
    record(code, reason);
}

}  // namespace

const char* code_name(aclError code) noexcept {
    auto it = std::lower_bound(code_names.begin(), code_names.end(), code,
                               [](const CodeName& entry, int wanted) { return entry.code < wanted; });
    return it != code_names.end() && it->code == code ? it->name : "unknown code";
}

void set_current_function(Function function) noexcept { thread_function = function; }

const char* current_function() noexcept { return function_names[static_cast<std::size_t>(thread_function)]; }

aclError fail(aclError code, const char* format, ...) {
    char reason[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(reason, sizeof(reason), format, arguments);
    va_end(arguments);
    record(code, reason);
    if (counts_as_last_error(code)) thread_code = code;
    return code;
}

aclError refuse(aclError code, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    record_named(code, format, arguments);
    va_end(arguments);
    if (counts_as_last_error(code)) thread_code = code;
    return code;
}

aclError refuse_quietly(aclError code, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    record_named(code, format, arguments);
    va_end(arguments);
    return code;
}

std::string take_recent_error() {
    if (!process_wide.load(std::memory_order_relaxed)) return thread_texts.take();
    std::lock_guard lock(process_mutex);
    return process_texts.take();
}

void keep_errors_for_process(bool on) noexcept { process_wide.store(on, std::memory_order_relaxed); }

aclError last_error() noexcept { return thread_code; }

void clear_last_error() noexcept { thread_code = 0; }

void forget_errors() noexcept {
    std::lock_guard lock(process_mutex);
    process_texts.text[0] = '\0';
}

}  // namespace aclref
