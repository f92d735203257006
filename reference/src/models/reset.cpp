#include "models/reset.hpp"

#include "models/aipp.hpp"
#include "models/bundle.hpp"
#include "models/config.hpp"
#include "models/data_buffer.hpp"
#include "models/dataset.hpp"
#include "models/description.hpp"
#include "models/model.hpp"
#include "models/tensor_desc.hpp"

namespace aclref {

void forget_model_objects() {
    models::release_models(-1);
    models::datasets().clear();
    models::descriptions().clear();
    models::load_configs().clear();
    models::execution_configs().clear();
    models::bundle_queries().clear();
    models::aipp_params().clear();
    data_buffers().clear();
    tensor_descs().clear();
}

}  // namespace aclref
