// What a failing task tells the functions that asked to hear of it.
#pragma once

#include <cstdint>

#include "base/errors.hpp"

/// The interface declares the type and hides its content.
struct rtExceptionInfo {
    std::uint32_t task;
    std::uint32_t stream;
    std::uint32_t thread;
    std::uint32_t device;
    std::uint32_t code;
    // Of a kernel only:
    aclrtFuncHandle function = nullptr;
    void* arguments = nullptr;  ///< device address
    std::uint32_t argument_bytes = 0;
};

namespace aclref {

/// The one function of aclrtSetExceptionInfoCallback; null removes it.
void set_exception_callback(aclrtExceptionInfoCallback callback);

/// Functions of aclrtExceptionInfoCallbackRegister: each once, whoever registers it.
void register_exception_callback(aclrtExceptionInfoCallback callback);
void unregister_exception_callback(aclrtExceptionInfoCallback callback);

/// Calls all of them, on the calling thread.
void report_exception(aclrtExceptionInfo info);

void forget_exception_callbacks();

}  // namespace aclref
