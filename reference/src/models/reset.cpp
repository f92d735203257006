#include "models/reset.hpp"

#include "models/data_buffer.hpp"

namespace aclref {

void forget_model_objects() { data_buffers().clear(); }

}  // namespace aclref
