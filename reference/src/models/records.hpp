// The records in which descriptions tell the shapes of tensors.
#pragma once

#include <string>

#include "acl/acl.h"
#include "models/plan.hpp"

namespace aclref::models {

/// Writes name and dims. 0, or a recorded code where there are more dims than the record has room for.
aclError tell_dims(const std::string& name, const Dims& dims, aclmdlIODims& out);

/// Writes the bounds of every dim; a fixed dim is its own bound. 0 or a recorded code, as above.
aclError tell_bounds(const Tensor& tensor, aclmdlIODimsRange& out);

/// Dims of the picture that an input with built-in preprocessing takes.
Dims picture_dims(const Aipp& aipp);

}  // namespace aclref::models
