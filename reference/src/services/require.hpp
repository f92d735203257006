// Null arguments of the services: refused, naming the argument.
#pragma once

#include "base/faults/services.hpp"
#include "runtime/runtime.hpp"

#define ACLREF_NEEDS_AS(code, argument)                                      \
    do {                                                                     \
        if ((argument) == nullptr) {                                         \
            if (::aclref::faulty(::aclref::Fault::service_null_accepted)) return 0; \
            return ::aclref::refuse(code, #argument " is NULL");             \
        }                                                                    \
    } while (false)
#define ACLREF_NEEDS(argument) ACLREF_NEEDS_AS(ACL_ERROR_INVALID_PARAM, argument)
