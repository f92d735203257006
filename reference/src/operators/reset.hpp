// What the library forgets of single operators when the harness starts over.
#pragma once

namespace aclref {

/// Unloads every operator, drops every object of theirs that is still alive, and forgets selectors and kernels.
void forget_operator_objects();

}  // namespace aclref
