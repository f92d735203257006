// What operators are told about a tensor beyond its description: layouts in the processor, bounds, constants.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/faults/models.hpp"
#include "models/caller_array.hpp"
#include "models/tensor_desc.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;

namespace {

/// The description that is changed; a recorded code where there is none.
std::shared_ptr<TensorDesc> changeable(const aclTensorDesc* desc, aclError& code) {
    auto found = find_tensor_desc(desc);
    code = 0;
    if (found || (desc == nullptr && faulty(Fault::tensor_setting_null_accepted))) return found;
    code = refuse(ACL_ERROR_INVALID_PARAM, desc ? "desc is not a live tensor description" : "desc is NULL");
    return nullptr;
}

aclError broken_setter() { return refuse(ACL_ERROR_INTERNAL_ERROR, "the setting is lost"); }

/// Formats set on nothing are ignored; other handles that are not alive are refused.
aclError set_format(aclTensorDesc* desc, aclFormat format, bool origin) {
    if (desc == nullptr) return 0;
    aclError code = 0;
    auto found = changeable(desc, code);
    if (!found) return code;
    if (faulty(Fault::tensor_format_set_once)) {
        if (found->storage_format) return broken_setter();
        found->storage_format = format;
    }
    if (origin && !faulty(Fault::tensor_origin_format_ignored)) found->format = format;
    else found->storage_format = format;
    if (!origin && faulty(Fault::tensor_format_shown)) found->format = format;
    return 0;
}

aclError set_dims(aclTensorDesc* desc, int count, const std::int64_t* dims, bool origin) {
    aclError code = 0;
    auto found = changeable(desc, code);
    if (!found) return code;
    if (faulty(Fault::tensor_shape_null_accepted) && dims == nullptr) return 0;
    ACLREF_REQUIRE(dims);
    if (faulty(Fault::tensor_shape_rank_fixed) && count != static_cast<int>(found->dims.size())) return broken_setter();
    std::vector<std::int64_t> values;
    if (count > 0 && (code = read_array(dims, static_cast<std::size_t>(count), values))) return code;
    if (origin && !faulty(Fault::tensor_origin_shape_ignored)) found->dims = std::move(values);
    else found->storage_dims = std::move(values);
    if (!origin && faulty(Fault::tensor_shape_shown)) found->dims = found->storage_dims;
    return 0;
}

aclError set_bounds(aclTensorDesc* desc, std::size_t count, const std::int64_t (*bounds)[2],
                    std::vector<Bounds> TensorDesc::*member) {
    aclError code = 0;
    auto found = changeable(desc, code);
    if (!found) return code;
    if (count > 0) ACLREF_REQUIRE(bounds);
    if (faulty(Fault::tensor_bounds_one_only) && count > 1) return broken_setter();
    std::vector<Bounds> values;
    if ((code = read_array(bounds, count, values))) return code;
    std::vector<Bounds>& kept = (*found).*member;
    if (faulty(Fault::tensor_bounds_added_up)) values.insert(values.end(), kept.begin(), kept.end());
    kept = std::move(values);
    return 0;
}

}  // namespace

extern "C" {

aclError aclSetTensorFormat(aclTensorDesc* desc, aclFormat format) {
    ACLREF_ENTER(aclSetTensorFormat);
    return set_format(desc, format, false);
}

aclError aclSetTensorStorageFormat(aclTensorDesc* desc, aclFormat format) {
    ACLREF_ENTER(aclSetTensorStorageFormat);
    if (faulty(Fault::tensor_old_setters_gone)) return refuse(ACL_ERROR_API_NOT_SUPPORT, "the call is gone");
    return set_format(desc, format, false);
}

aclError aclSetTensorOriginFormat(aclTensorDesc* desc, aclFormat format) {
    ACLREF_ENTER(aclSetTensorOriginFormat);
    return set_format(desc, format, true);
}

aclError aclSetTensorShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
    ACLREF_ENTER(aclSetTensorShape);
    return set_dims(desc, numDims, dims, false);
}

aclError aclSetTensorStorageShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
    ACLREF_ENTER(aclSetTensorStorageShape);
    if (faulty(Fault::tensor_old_setters_gone)) return refuse(ACL_ERROR_API_NOT_SUPPORT, "the call is gone");
    return set_dims(desc, numDims, dims, false);
}

aclError aclSetTensorOriginShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
    ACLREF_ENTER(aclSetTensorOriginShape);
    return set_dims(desc, numDims, dims, true);
}

aclError aclSetTensorShapeRange(aclTensorDesc* desc, size_t dimsCount, int64_t dimsRange[][2]) {
    ACLREF_ENTER(aclSetTensorShapeRange);
    return set_bounds(desc, dimsCount, dimsRange, &TensorDesc::dim_bounds);
}

aclError aclSetTensorValueRange(aclTensorDesc* desc, size_t valueCount, int64_t valueRange[][2]) {
    ACLREF_ENTER(aclSetTensorValueRange);
    return set_bounds(desc, valueCount, valueRange, &TensorDesc::value_bounds);
}

void aclSetTensorDescName(aclTensorDesc* desc, const char* name) {
    if (enter(Function::aclSetTensorDescName) != 0) return;
    if (faulty(Fault::tensor_name_of_null_crashes) && desc == nullptr) std::abort();
    auto found = find_tensor_desc(desc);
    if (!found) return;
    if (faulty(Fault::tensor_name_null_ignored) && name == nullptr) return;
    found->name = name == nullptr ? "" : name;
    if (faulty(Fault::tensor_name_one_letter)) found->name.resize(std::min<std::size_t>(found->name.size(), 1));
    found->borrowed_name = faulty(Fault::tensor_name_not_copied) ? name : nullptr;
}

aclError aclSetTensorDynamicInput(aclTensorDesc* desc, const char* dynamicInputName) {
    ACLREF_ENTER(aclSetTensorDynamicInput);
    aclError code = 0;
    auto found = changeable(desc, code);
    if (!found) return code;
    if (faulty(Fault::tensor_group_null_accepted) && dynamicInputName == nullptr) return 0;
    ACLREF_REQUIRE(dynamicInputName);
    static thread_local std::string last;
    if (faulty(Fault::tensor_group_of_one) && last == dynamicInputName) return broken_setter();
    last = found->dynamic_input = dynamicInputName;
    return 0;
}

aclError aclSetTensorConst(aclTensorDesc* desc, void* dataBuffer, size_t length) {
    ACLREF_ENTER(aclSetTensorConst);
    aclError code = 0;
    auto found = changeable(desc, code);
    if (!found) return code;
    if (faulty(Fault::tensor_const_null_accepted) && (dataBuffer == nullptr || length == 0)) return 0;
    ACLREF_REQUIRE(dataBuffer);
    if (length == 0) return refuse(ACL_ERROR_INVALID_PARAM, "length is 0");
    if (faulty(Fault::tensor_const_device_refused) && !AddressSpace::instance().locate(dataBuffer).on_host())
        return refuse(ACL_ERROR_INVALID_PARAM, "dataBuffer is not the host's own memory");
    if (faulty(Fault::tensor_const_set_once) && !found->constant.empty()) return broken_setter();
    return read_array(dataBuffer, length, found->constant);
}

aclError aclSetTensorPlaceMent(aclTensorDesc* desc, aclMemType memType) {
    ACLREF_ENTER(aclSetTensorPlaceMent);
    aclError code = 0;
    auto found = changeable(desc, code);
    if (!found) return code;
    if (faulty(Fault::tensor_placement_two_only) && memType == ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT) return broken_setter();
    found->placement = memType;
    return 0;
}

aclError aclTransTensorDescFormat(const aclTensorDesc* srcDesc, aclFormat dstFormat, aclTensorDesc** dstDesc) {
    ACLREF_ENTER(aclTransTensorDescFormat);
    if (faulty(Fault::tensor_conversion_null_accepted) && (srcDesc == nullptr || dstDesc == nullptr)) return 0;
    ACLREF_REQUIRE(srcDesc);
    ACLREF_REQUIRE(dstDesc);
    return refuse(ACL_ERROR_API_NOT_SUPPORT, "the conversion to format %d is reserved", dstFormat);
}

}  // extern "C"
