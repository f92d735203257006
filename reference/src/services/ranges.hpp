// Ranges that a program has begun and not ended: by number, for any thread, and nested, for the thread that began them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace aclref {

struct Range {
    std::string message;
    std::chrono::steady_clock::time_point begin;
};

enum class Nesting { push, push_ex };

/// Begins a range; its number.
std::uint32_t begin_range(std::string message);
/// Ends a range that any thread began.
std::optional<Range> end_range(std::uint32_t number);

void push_range(Nesting nesting, std::string message);
/// Ends the calling thread's innermost range.
std::optional<Range> pop_range(Nesting nesting);

/// The collection is over: what is open will not be ended.
void forget_ranges();

}  // namespace aclref
