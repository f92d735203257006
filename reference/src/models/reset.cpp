#include "models/reset.hpp"

#include "models/data_buffer.hpp"
#include "models/tensor_desc.hpp"

namespace aclref {

void forget_model_objects() {
    data_buffers().clear();
    tensor_descs().clear();
}

}  // namespace aclref
