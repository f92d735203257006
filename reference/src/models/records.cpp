#include "models/records.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "base/faults/models.hpp"

namespace aclref::models {

namespace {

aclError check_room(const Dims& dims) {
    if (dims.size() <= ACL_MAX_DIM_CNT) return 0;
    return refuse(ACL_ERROR_STORAGE_OVER_LIMIT, "%zu dims are more than the record holds", dims.size());
}

}  // namespace

aclError tell_dims(const std::string& name, const Dims& dims, aclmdlIODims& out) {
    if (aclError code = check_room(dims)) {
        if (!faulty(Fault::model_dims_cut)) return code;
    }
    const std::size_t count = std::min<std::size_t>(dims.size(), ACL_MAX_DIM_CNT);
    out = {};
    if (!faulty(Fault::model_dims_without_name)) name.copy(out.name, sizeof(out.name) - 1);
    out.dimCount = count == 0 && faulty(Fault::model_scalar_has_dim) ? 1 : count;
    std::copy_n(dims.begin(), count, out.dims);
    return 0;
}

aclError tell_bounds(const Tensor& tensor, aclmdlIODimsRange& out) {
    if (aclError code = check_room(tensor.dims)) return code;
    out = {};
    out.rangeCount = tensor.dims.size();
    for (std::size_t index = 0; index < tensor.dims.size(); ++index) {
        const std::int64_t dim = tensor.dims[index];
        const bool bounded = dim < 0 && index < tensor.bounds.size();
        out.range[index][0] = bounded ? tensor.bounds[index].least : dim;
        out.range[index][1] = bounded ? tensor.bounds[index].most : dim;
        if (faulty(Fault::model_bounds_from_zero)) out.range[index][0] = 0;
    }
    return 0;
}

Dims picture_dims(const Aipp& aipp) {
    const auto batch = static_cast<std::int64_t>(aipp.batch);
    const std::int64_t height = aipp.height;
    const std::int64_t width = aipp.width;
    switch (aipp.format) {
        case ACL_YUV420SP_U8: return {batch, height * 3 / 2, width, 1};
        case ACL_YUV422SP_U8: return {batch, height * 2, width, 1};
        case ACL_YUV400_U8: return {batch, height, width, 1};
        case ACL_YUYV_U8: return {batch, height, width, 2};
        case ACL_RGB888_U8: return {batch, height, width, 3};
        default: return {batch, height, width, 4};
    }
}

}  // namespace aclref::models
