// What the library forgets of models and tensors when the harness starts over.
#pragma once

namespace aclref {

/// Drops every object of the model interface that is still alive.
void forget_model_objects();

}  // namespace aclref
