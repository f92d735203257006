// What the calls of chapter 14 ask of their arguments.
#pragma once

#include <memory>

#include "base/faults/kernels.hpp"
#include "kernels/binary.hpp"

namespace aclref::kernels {

/// The binary behind a handle; null with a recorded code.
inline std::shared_ptr<Binary> require_binary(const void* handle, aclError& code) {
    auto found = binaries().find(handle);
    if (!found) code = refuse(ACL_ERROR_RT_INVALID_HANDLE, "binHandle is no loaded binary");
    return found;
}

/// The kernel behind a handle; null with a recorded code.
inline std::shared_ptr<Function> require_function(const void* handle, aclError& code) {
    auto found = functions().find(handle);
    if (!found) code = refuse(ACL_ERROR_RT_INVALID_HANDLE, "funcHandle is no kernel");
    return found;
}

/// Refuses a size of 0, naming the argument.
inline aclError refuse_zero(const char* argument) {
    return faulty(Fault::args_size_unchecked) ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "%s is 0", argument);
}

}  // namespace aclref::kernels

/// Refuses a null argument, naming it.
#define ACLREF_REQUIRE_KERNEL_AS(code, argument)                                                  \
    do {                                                                                          \
        if ((argument) == nullptr) {                                                              \
            if (::aclref::faulty(::aclref::Fault::kernel_null_accepted)) return 0;                \
            return ::aclref::refuse(code, #argument " is NULL");                                  \
        }                                                                                         \
    } while (false)
#define ACLREF_REQUIRE_KERNEL(argument) ACLREF_REQUIRE_KERNEL_AS(ACL_ERROR_INVALID_PARAM, argument)
