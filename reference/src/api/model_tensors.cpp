// Graph engine: what descriptions tell of a model's inputs and outputs, one by one.
#include <strings.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "base/faults/models.hpp"
#include "models/description.hpp"
#include "models/model.hpp"
#include "models/records.hpp"
#include "models/shapes.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;
using namespace aclref::models;

namespace {

using SideOf = Side (*)(const Description&);

/// One input or output of a filled description.
struct Found {
    std::shared_ptr<Description> description;
    const Tensor* tensor = nullptr;
    const std::string* name = nullptr;
};

/// For getters without a code: no tensor where there is none.
Found look(Function function, const aclmdlDesc* handle, std::size_t index, SideOf side_of) {
    Found found;
    if (enter(function) != 0) return found;
    found.description = find_description(handle);
    if (!found.description) return found;
    const Side side = side_of(*found.description);
    if (index >= side.size()) return found;
    found.tensor = &(*side.tensors)[index];
    found.name = &(*side.names)[index];
    return found;
}

/// For getters with a code, which is recorded where there is no such tensor.
aclError require_tensor(const aclmdlDesc* handle, std::size_t index, SideOf side_of, Found& found) {
    aclError code = 0;
    found.description = require_filled(handle, code);
    if (!found.description) return code;
    const Side side = side_of(*found.description);
    if (faulty(Fault::model_tensor_any_index) && index == side.size()) --index;
    if (index >= side.size())
        return refuse(ACL_ERROR_INVALID_PARAM, "index %zu, the model has %zu of them", index, side.size());
    found.tensor = &(*side.tensors)[index];
    found.name = &(*side.names)[index];
    return 0;
}

/// What a broken library takes for an argument.
bool null_passes(const void* first, const void* second) {
    return faulty(Fault::model_tensor_null_accepted) && (first == nullptr || second == nullptr);
}

const char* name_of(const Found& found) {
    if (found.name) return found.name->c_str();
    return faulty(Fault::model_no_name_is_null) ? nullptr : "";
}

bool same(const std::string& name, const char* wanted) {
    return faulty(Fault::model_names_without_case) ? strcasecmp(name.c_str(), wanted) == 0 : name == wanted;
}

aclError index_of(const aclmdlDesc* handle, const char* name, std::size_t* index, SideOf side_of) {
    if (null_passes(handle, name) || null_passes(index, index)) return 0;
    aclError code = 0;
    auto description = require_filled(handle, code);
    if (!description) return code;
    ACLREF_REQUIRE(name);
    ACLREF_REQUIRE(index);
    const Side side = side_of(*description);
    for (std::size_t each = 0; each < side.size(); ++each) {
        if (!same((*side.names)[each], name) && !same((*side.tensors)[each].name, name)) continue;
        if (faulty(Fault::model_long_name_not_found) && (*side.names)[each] != (*side.tensors)[each].name) continue;
        if (faulty(Fault::gear_input_nameless) && (*side.tensors)[each].role == Role::gear) break;
        *index = faulty(Fault::model_first_index_only) ? 0 : each;
        return 0;
    }
    if (faulty(Fault::model_unknown_name_is_first)) return *index = 0, 0;
    if (faulty(Fault::model_longer_name_found))
        for (const std::string& each : *side.names)
            if (std::string(name).starts_with(each)) return 0;
    return refuse(ACL_ERROR_INVALID_PARAM, "there is no tensor '%.64s'", name);
}

aclFormat format_of(const Found& found) {
    if (found.tensor && found.description->model == 0 && faulty(Fault::model_desc_of_file_without_format)) return ACL_FORMAT_ND;
    if (found.tensor) return found.tensor->format;
    return faulty(Fault::model_no_tensor_is_float) ? ACL_FORMAT_NCHW : ACL_FORMAT_UNDEFINED;
}

aclDataType type_of(const Found& found) {
    if (!found.tensor) return faulty(Fault::model_no_tensor_is_float) ? ACL_FLOAT : ACL_DT_UNDEFINED;
    if (faulty(Fault::model_double_is_float) && found.tensor->type == ACL_DOUBLE) return ACL_FLOAT;
    return faulty(Fault::model_types_are_float) ? ACL_FLOAT : found.tensor->type;
}

/// The built-in preprocessing of an input; null where there is none.
const Aipp* static_aipp(const Plan& plan, std::size_t input) {
    for (const Aipp& aipp : plan.aipps)
        if (!aipp.is_dynamic && aipp.input == input) return &aipp;
    return nullptr;
}

/// Dims of an output before an execution: of the largest gear, or of the file.
Dims planned_output_dims(const Plan& plan, std::size_t index) {
    if (plan.gear_kind == GearKind::none || faulty(Fault::model_output_dims_of_first_gear)) return plan.outputs[index].dims;
    return output_dims_for(plan, planned_input_dims(plan))[index];
}

aclError current_dims(const Found& found, std::size_t index, Dims& dims) {
    aclError code = 0;
    // A description of a file belongs to no model, and no model has its id.
    auto model = require_model(found.description->model, code);
    if (!model) return faulty(Fault::model_current_dims_of_file) ? 0 : code;
    const Plan& plan = model->plan();
    if (plan.is_dynamic && !faulty(Fault::model_current_dims_of_dynamic))
        return refuse(ACL_ERROR_API_NOT_SUPPORT, "the outputs of a dynamic-shape model have no current dims");
    const auto current = model->current_output_dims();
    const bool chosen = plan.gear_kind != GearKind::none && index < current.size();
    dims = chosen && !faulty(Fault::model_current_dims_stay) ? current[index] : planned_output_dims(plan, index);
    if (faulty(Fault::model_current_dims_zero) && !chosen) std::fill(dims.begin(), dims.end(), 0);
    return 0;
}

}  // namespace

extern "C" {

const char* aclmdlGetInputNameByIndex(const aclmdlDesc* modelDesc, size_t index) {
    return name_of(look(Function::aclmdlGetInputNameByIndex, modelDesc, index, inputs_of));
}

const char* aclmdlGetOutputNameByIndex(const aclmdlDesc* modelDesc, size_t index) {
    return name_of(look(Function::aclmdlGetOutputNameByIndex, modelDesc, index, outputs_of));
}

aclFormat aclmdlGetInputFormat(const aclmdlDesc* modelDesc, size_t index) {
    return format_of(look(Function::aclmdlGetInputFormat, modelDesc, index, inputs_of));
}

aclFormat aclmdlGetOutputFormat(const aclmdlDesc* modelDesc, size_t index) {
    return format_of(look(Function::aclmdlGetOutputFormat, modelDesc, index, outputs_of));
}

aclDataType aclmdlGetInputDataType(const aclmdlDesc* modelDesc, size_t index) {
    return type_of(look(Function::aclmdlGetInputDataType, modelDesc, index, inputs_of));
}

aclDataType aclmdlGetOutputDataType(const aclmdlDesc* modelDesc, size_t index) {
    return type_of(look(Function::aclmdlGetOutputDataType, modelDesc, index, outputs_of));
}

aclError aclmdlGetInputIndexByName(const aclmdlDesc* modelDesc, const char* name, size_t* index) {
    ACLREF_ENTER(aclmdlGetInputIndexByName);
    return index_of(modelDesc, name, index, inputs_of);
}

aclError aclmdlGetOutputIndexByName(const aclmdlDesc* modelDesc, const char* name, size_t* index) {
    ACLREF_ENTER(aclmdlGetOutputIndexByName);
    return index_of(modelDesc, name, index, outputs_of);
}

aclError aclmdlGetInputDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims) {
    ACLREF_ENTER(aclmdlGetInputDims);
    if (null_passes(modelDesc, dims)) return 0;
    Found found;
    if (aclError code = require_tensor(modelDesc, index, inputs_of, found)) return code;
    ACLREF_REQUIRE(dims);
    if (faulty(Fault::model_input_dims_of_largest_gear))
        return tell_dims(*found.name, planned_input_dims(*found.description->plan)[index], *dims);
    return tell_dims(*found.name, found.tensor->dims, *dims);
}

aclError aclmdlGetInputDimsV2(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims) {
    ACLREF_ENTER(aclmdlGetInputDimsV2);
    if (null_passes(modelDesc, dims)) return 0;
    Found found;
    if (aclError code = require_tensor(modelDesc, index, inputs_of, found)) return code;
    ACLREF_REQUIRE(dims);
    const Aipp* aipp = static_aipp(*found.description->plan, index);
    const bool plain = faulty(Fault::model_dims_v2_swapped) && !aipp && found.tensor->dims.size() > 1;
    Dims told = aipp ? picture_dims(*aipp) : found.tensor->dims;
    if (plain) std::swap(told.front(), told.back());
    if (aipp && faulty(Fault::model_picture_without_planes)) told[1] = aipp->height;
    return tell_dims(*found.name, told, *dims);
}

aclError aclmdlGetInputDimsRange(const aclmdlDesc* modelDesc, size_t index, aclmdlIODimsRange* dimsRange) {
    ACLREF_ENTER(aclmdlGetInputDimsRange);
    if (null_passes(modelDesc, dimsRange)) return 0;
    Found found;
    if (aclError code = require_tensor(modelDesc, index, inputs_of, found)) return code;
    ACLREF_REQUIRE(dimsRange);
    if (found.description->plan->gear_kind == GearKind::none || faulty(Fault::model_bounds_of_gears))
        return tell_bounds(*found.tensor, *dimsRange);
    *dimsRange = {};
    return 0;
}

aclError aclmdlGetOutputDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims) {
    ACLREF_ENTER(aclmdlGetOutputDims);
    if (null_passes(modelDesc, dims)) return 0;
    Found found;
    if (aclError code = require_tensor(modelDesc, index, outputs_of, found)) return code;
    ACLREF_REQUIRE(dims);
    return tell_dims(*found.name, planned_output_dims(*found.description->plan, index), *dims);
}

aclError aclmdlGetCurOutputDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims) {
    ACLREF_ENTER(aclmdlGetCurOutputDims);
    if (null_passes(modelDesc, dims)) return 0;
    Found found;
    if (aclError code = require_tensor(modelDesc, index, outputs_of, found)) return code;
    ACLREF_REQUIRE(dims);
    Dims current;
    if (aclError code = current_dims(found, index, current)) return code;
    return tell_dims(*found.name, current, *dims);
}

const char* aclmdlGetTensorRealName(const aclmdlDesc* modelDesc, const char* name) {
    if (enter(Function::aclmdlGetTensorRealName) != 0) return nullptr;
    auto description = find_description(modelDesc);
    const char* unknown = faulty(Fault::model_unknown_real_name_echoed) ? "unknown" : nullptr;
    if (!description || name == nullptr) return unknown;
    for (SideOf side_of : {inputs_of, outputs_of}) {
        const Side side = side_of(*description);
        for (std::size_t index = 0; index < side.size(); ++index) {
            if (!same((*side.names)[index], name) && !same((*side.tensors)[index].name, name)) continue;
            if (faulty(Fault::model_real_name_of_long_only) && (*side.names)[index] == (*side.tensors)[index].name) continue;
            const auto& told = faulty(Fault::model_real_name_is_made_up) ? (*side.names)[index] : (*side.tensors)[index].name;
            return told.c_str();
        }
    }
    return unknown;
}

}  // extern "C"
