// Element types and their sizes.
#pragma once

#include <cstddef>

#include "acl/acl.h"

namespace aclref {

/// Bytes of one element; types below a byte take one, and 0 stands for types without a size of their own.
std::size_t element_bytes(aclDataType type);

}  // namespace aclref
