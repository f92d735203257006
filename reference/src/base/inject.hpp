// Errors that the harness orders: the next calls of a function fail before they do anything.
#pragma once

#include <string_view>

#include "base/errors.hpp"
#include "generated/functions.hpp"

namespace aclref {

/// The next `count` calls of the function fail with `code`. False when there is no such function.
bool inject_call_error(std::string_view function, unsigned count, aclError code);

/// What the call that is starting has to fail with, 0 to go on.
aclError take_injected_error(Function function) noexcept;

void forget_injected_errors() noexcept;

}  // namespace aclref
