// Graph engine: preprocessing parameters handed to a model, and what a model tells of its preprocessing.
#include <algorithm>
#include <cstdint>
#include <memory>

#include "base/faults/models.hpp"
#include "models/aipp.hpp"
#include "models/data_buffer.hpp"
#include "models/dataset.hpp"
#include "models/description.hpp"
#include "models/model.hpp"
#include "models/records.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;
using namespace aclref::models;

namespace {

constexpr std::size_t nothing_attached = 0xFFFFFFFF;

const Aipp* aipp_of(const Plan& plan, std::size_t input) {
    auto found = std::find_if(plan.aipps.begin(), plan.aipps.end(), [input](const Aipp& each) { return each.input == input; });
    return found == plan.aipps.end() ? nullptr : &*found;
}

/// The dynamic preprocessing whose parameters an input takes: the inputs of that kind stand in its order.
const Aipp* aipp_set_by(const Plan& plan, std::size_t control) {
    if (control >= plan.inputs.size() || plan.inputs[control].role != Role::aipp) return nullptr;
    const auto before = std::count_if(plan.inputs.begin(), plan.inputs.begin() + static_cast<std::ptrdiff_t>(control),
                                      [](const Tensor& each) { return each.role == Role::aipp; });
    std::ptrdiff_t number = 0;
    for (const Aipp& each : plan.aipps)
        if (each.is_dynamic && number++ == before) return &each;
    return nullptr;
}

/// The input that takes the parameters of a data input's dynamic preprocessing; inputs.size() where there is none.
std::size_t control_of(const Plan& plan, std::size_t input) {
    for (std::size_t control = 0; control < plan.inputs.size(); ++control) {
        const Aipp* aipp = aipp_set_by(plan, control);
        if (aipp != nullptr && aipp->input == input) return control;
    }
    return plan.inputs.size();
}

/// Dataset, model and parameters of one call, checked one by one.
struct Attachment {
    std::shared_ptr<Dataset> dataset;
    std::shared_ptr<Model> model;
    std::shared_ptr<AippParams> params;
};

aclError find_parts(std::uint32_t id, const aclmdlDataset* dataset, std::size_t index, const aclmdlAIPP* params,
                    Attachment& parts) {
    ACLREF_REQUIRE(dataset);
    ACLREF_REQUIRE(params);
    parts.dataset = find_dataset(dataset);
    parts.params = find_aipp(params);
    if (!parts.dataset || !parts.params) return refuse(ACL_ERROR_INVALID_PARAM, "the dataset or the parameters do not exist");
    const std::size_t count = parts.dataset->entries.size();
    if (index >= count && !faulty(Fault::aipp_any_input))
        return refuse(ACL_ERROR_INVALID_PARAM, "index %zu, the dataset has %zu buffers", index, count);
    aclError code = 0;
    parts.model = require_model(id, code);
    return code;
}

/// Puts the parameters into the control input.
aclError attach(const Attachment& parts, std::size_t control) {
    const Plan& plan = parts.model->plan();
    const Aipp* aipp = aipp_set_by(plan, control);
    if (aipp == nullptr) {
        if (faulty(Fault::aipp_any_input)) return 0;
        return refuse(ACL_ERROR_INVALID_PARAM, "input %zu takes no preprocessing parameters", control);
    }
    if (aclError code = check_aipp(*parts.params, plan.inputs[aipp->input])) return code;
    if (control >= parts.dataset->entries.size())
        return refuse(ACL_ERROR_INVALID_PARAM, "the dataset has no input %zu", control);
    auto buffer = find_data_buffer(parts.dataset->entries[control].buffer);
    std::size_t needed = 0;
    if (!buffer || !aipp_bytes(parts.params->batch, needed))
        return refuse(ACL_ERROR_INVALID_PARAM, "input %zu has no buffer", control);
    if (buffer->size < needed) {
        if (faulty(Fault::aipp_short_buffer_accepted)) return 0;
        return refuse(ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID, "input %zu has %zu bytes, %zu are needed", control,
                      buffer->size, needed);
    }
    return write_aipp(*parts.params, buffer->address, parts.model->device());
}

/// What a broken library takes for an argument.
bool null_passes(const void* one, const void* other) {
    return faulty(Fault::aipp_null_accepted) && (one == nullptr || other == nullptr);
}

aclError find_input(std::uint32_t id, std::size_t index, std::shared_ptr<Model>& model) {
    aclError code = 0;
    model = require_model(id, code);
    if (!model) return code;
    const std::size_t count = model->plan().inputs.size();
    if (index < count) return 0;
    return refuse(ACL_ERROR_INVALID_PARAM, "index %zu, the model has %zu inputs", index, count);
}

}  // namespace

extern "C" {

aclError aclmdlSetInputAIPP(uint32_t modelId, aclmdlDataset* dataset, size_t index, const aclmdlAIPP* aippParmsSet) {
    ACLREF_ENTER(aclmdlSetInputAIPP);
    if (null_passes(dataset, aippParmsSet)) return 0;
    Attachment parts;
    aclError code = find_parts(modelId, dataset, index, aippParmsSet, parts);
    if (code != 0) return faulty(Fault::aipp_of_any_model) && parts.dataset && index < parts.dataset->entries.size() ? 0 : code;
    return attach(parts, index);
}

aclError aclmdlSetAIPPByInputIndex(uint32_t modelId, aclmdlDataset* dataset, size_t index, const aclmdlAIPP* aippParmsSet) {
    ACLREF_ENTER(aclmdlSetAIPPByInputIndex);
    if (null_passes(dataset, aippParmsSet)) return 0;
    Attachment parts;
    if (aclError code = find_parts(modelId, dataset, index, aippParmsSet, parts)) return code;
    const std::size_t control = control_of(parts.model->plan(), index);
    if (control == parts.model->plan().inputs.size()) {
        if (faulty(Fault::aipp_any_input)) return 0;
        return refuse(ACL_ERROR_FAILURE, "input %zu has no preprocessing that is set at execution", index);
    }
    return attach(parts, control);
}

aclError aclmdlGetAippType(uint32_t modelId, size_t index, aclmdlInputAippType* type, size_t* dynamicAttachedDataIndex) {
    ACLREF_ENTER(aclmdlGetAippType);
    if (null_passes(type, dynamicAttachedDataIndex)) return 0;
    ACLREF_REQUIRE(type);
    ACLREF_REQUIRE(dynamicAttachedDataIndex);
    std::shared_ptr<Model> model;
    if (aclError code = find_input(modelId, index, model)) return faulty(Fault::aipp_of_any_model) ? 0 : code;
    const Plan& plan = model->plan();
    *dynamicAttachedDataIndex = faulty(Fault::aipp_none_attached_is_zero) ? 0 : nothing_attached;
    if (plan.inputs[index].role == Role::aipp) {
        *type = ACL_DYNAMIC_AIPP_NODE;
        return 0;
    }
    const Aipp* aipp = aipp_of(plan, index);
    *type = aipp == nullptr ? ACL_DATA_WITHOUT_AIPP : aipp->is_dynamic ? ACL_DATA_WITH_DYNAMIC_AIPP : ACL_DATA_WITH_STATIC_AIPP;
    if (*type == ACL_DATA_WITH_DYNAMIC_AIPP) *dynamicAttachedDataIndex = control_of(plan, index);
    return 0;
}

aclError aclmdlGetFirstAippInfo(uint32_t modelId, size_t index, aclAippInfo* aippInfo) {
    ACLREF_ENTER(aclmdlGetFirstAippInfo);
    if (null_passes(aippInfo, aippInfo)) return 0;
    ACLREF_REQUIRE(aippInfo);
    std::shared_ptr<Model> model;
    if (aclError code = find_input(modelId, index, model)) return code;
    const Plan& plan = model->plan();
    const Aipp* aipp = aipp_of(plan, index);
    if (aipp == nullptr || aipp->is_dynamic) {
        aclError code = faulty(Fault::aipp_missing_wrong_code) ? ACL_ERROR_INVALID_PARAM : ACL_ERROR_GE_AIPP_NOT_EXIST;
        return refuse(code, "input %zu has no preprocessing that was built in", index);
    }
    *aippInfo = {};
    aippInfo->inputFormat = static_cast<aclAippInputFormat>(aipp->format);
    aippInfo->srcImageSizeW = faulty(Fault::aipp_info_of_next_size) ? aipp->width + 2 : aipp->width;
    aippInfo->srcImageSizeH = aipp->height;
    aippInfo->varReciChn0 = aippInfo->varReciChn1 = aippInfo->varReciChn2 = aippInfo->varReciChn3 = 1.0F;
    const Tensor& input = plan.inputs[index];
    aippInfo->srcFormat = input.format;
    aippInfo->srcDatatype = input.type;
    aippInfo->srcDimNum = input.dims.size();
    aippInfo->shapeCount = 1;
    aclAippDims& shape = aippInfo->outDims[0];
    if (aclError code = tell_dims(input.name, picture_dims(*aipp), shape.srcDims)) return code;
    if (aclError code = tell_dims(input.name, input.dims, shape.aippOutdims)) return code;
    shape.srcSize = tensor_bytes(ACL_UINT8, picture_dims(*aipp));
    shape.aippOutSize = tensor_bytes(input.type, input.dims);
    return 0;
}

}  // extern "C"
