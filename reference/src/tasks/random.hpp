// Random numbers written into device memory.
#pragma once

#include "base/errors.hpp"

namespace aclref {

/// Whether numbers of this type can be made.
bool can_randomise(aclDataType type);

/// Makes the numbers of a task: the same seed, counter and amount give the same bytes. 0 or a code.
aclError make_random_numbers(const aclrtRandomNumTaskInfo& info);

}  // namespace aclref
