// Tensor descriptions: made, read and destroyed.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "base/faults/models.hpp"
#include "models/caller_array.hpp"
#include "models/tensor_desc.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;

namespace {

aclError not_alive() { return refuse(ACL_ERROR_INVALID_PARAM, "desc is not a live tensor description"); }

/// The description for a getter without a code: null where there is none, and where the product has no such getter.
std::shared_ptr<TensorDesc> readable(Function function, const aclTensorDesc* desc) {
    return enter(function) == 0 ? find_tensor_desc(desc) : nullptr;
}

/// A pointer that describes nothing.
aclTensorDesc* some_desc() { return reinterpret_cast<aclTensorDesc*>(&tensor_descs()); }

/// Dims a broken library keeps.
std::vector<std::int64_t> kept(std::vector<std::int64_t> dims) {
    if (faulty(Fault::tensor_desc_last_dim_lost) && !dims.empty()) dims.back() = 1;
    for (std::int64_t& dim : dims) {
        if (faulty(Fault::tensor_desc_dims_in_32_bits)) dim = static_cast<std::int32_t>(dim);
        if (faulty(Fault::tensor_desc_unknown_dim_is_zero) && dim == -1) dim = 0;
    }
    return dims;
}

/// Everything that a broken library refuses to describe.
bool refused_by_fault(aclDataType type, int count, const std::int64_t* dims) {
    if (faulty(Fault::tensor_desc_needs_device) && !Runtime::instance().current_context()) return true;
    if (faulty(Fault::tensor_desc_scalar_needs_dims) && count == 0 && dims == nullptr) return true;
    if (faulty(Fault::tensor_desc_placeholder_refused) && type == ACL_DT_UNDEFINED) return true;
    if (!faulty(Fault::tensor_desc_empty_refused)) return false;
    for (int index = 0; index < count; ++index)
        if (dims[index] == 0) return true;
    return false;
}

bool valid_dims(int count, const std::int64_t* dims) {
    if (count < 0) return faulty(Fault::tensor_desc_negative_count_accepted);
    return count == 0 || dims != nullptr || faulty(Fault::tensor_desc_null_dims_accepted);
}

}  // namespace

extern "C" {

aclTensorDesc* aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t* dims, aclFormat format) {
    if (enter(Function::aclCreateTensorDesc) != 0) return nullptr;
    if (!valid_dims(numDims, dims)) {
        (void)refuse(ACL_ERROR_INVALID_PARAM, numDims < 0 ? "numDims is below 0" : "dims is NULL");
        return nullptr;
    }
    if (numDims < 0 || dims == nullptr) numDims = 0;
    if (refused_by_fault(dataType, numDims, dims)) return nullptr;
    auto desc = std::make_shared<TensorDesc>();
    desc->type = faulty(Fault::tensor_desc_bf16_as_float16) && dataType == ACL_BF16 ? ACL_FLOAT16 : dataType;
    desc->format = faulty(Fault::tensor_desc_format_is_nd) ? ACL_FORMAT_ND : format;
    if (read_array(dims, static_cast<std::size_t>(numDims), desc->dims) != 0) return nullptr;
    desc->dims = kept(std::move(desc->dims));
    if (faulty(Fault::tensor_desc_keeps_dims_pointer)) desc->borrowed_dims = dims;
    return publish_tensor_desc(std::move(desc));
}

void aclDestroyTensorDesc(const aclTensorDesc* desc) {
    if (enter(Function::aclDestroyTensorDesc) != 0) return;
    if (faulty(Fault::tensor_desc_destroy_leaks)) return;
    if (faulty(Fault::tensor_desc_destroy_null_crashes) && desc == nullptr) std::abort();
    destroy_tensor_desc(desc);
}

aclDataType aclGetTensorDescType(const aclTensorDesc* desc) {
    auto found = readable(Function::aclGetTensorDescType, desc);
    if (found) return found->type;
    return faulty(Fault::tensor_desc_null_is_float) ? ACL_FLOAT : ACL_DT_UNDEFINED;
}

aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc) {
    auto found = readable(Function::aclGetTensorDescFormat, desc);
    if (found) return found->format;
    return faulty(Fault::tensor_desc_null_is_float) ? ACL_FORMAT_ND : ACL_FORMAT_UNDEFINED;
}

size_t aclGetTensorDescNumDims(const aclTensorDesc* desc) {
    auto found = readable(Function::aclGetTensorDescNumDims, desc);
    if (!found) return faulty(Fault::tensor_desc_null_has_figures) ? 1 : 0;
    if (has_unknown_rank(*found) && !faulty(Fault::tensor_desc_unknown_rank_counted)) return ACL_UNKNOWN_RANK;
    if (faulty(Fault::tensor_desc_scalar_has_dim) && found->dims.empty()) return 1;
    return found->dims.size();
}

size_t aclGetTensorDescElementCount(const aclTensorDesc* desc) {
    auto found = readable(Function::aclGetTensorDescElementCount, desc);
    if (!found) return faulty(Fault::tensor_desc_null_has_figures) ? 1 : 0;
    return element_count(*found);
}

size_t aclGetTensorDescSize(const aclTensorDesc* desc) {
    auto found = readable(Function::aclGetTensorDescSize, desc);
    if (!found) return faulty(Fault::tensor_desc_null_has_figures) ? 1 : 0;
    return tensor_bytes(*found);
}

aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dimSize) {
    ACLREF_ENTER(aclGetTensorDescDimV2);
    if (faulty(Fault::tensor_desc_dim_null_accepted) && (desc == nullptr || dimSize == nullptr)) return 0;
    ACLREF_REQUIRE(desc);
    ACLREF_REQUIRE(dimSize);
    auto found = find_tensor_desc(desc);
    if (!found) return not_alive();
    if (faulty(Fault::tensor_desc_dim_index_accepted) && index == found->dims.size()) index = 0;
    if (index >= found->dims.size())
        return refuse(ACL_ERROR_INVALID_PARAM, "index %zu, there are %zu dims", index, found->dims.size());
    if (faulty(Fault::tensor_desc_dims_from_the_back)) index = found->dims.size() - 1 - index;
    *dimSize = found->borrowed_dims ? found->borrowed_dims[index] : found->dims[index];
    return 0;
}

int64_t aclGetTensorDescDim(const aclTensorDesc* desc, size_t index) {
    if (enter(Function::aclGetTensorDescDim) != 0) return -1;
    auto found = find_tensor_desc(desc);
    if (!found || index >= found->dims.size()) {
        (void)refuse(ACL_ERROR_INVALID_PARAM, "desc is not alive or has no dim %zu", index);
        return faulty(Fault::tensor_desc_old_dim_is_zero) ? 0 : -1;
    }
    if (faulty(Fault::tensor_desc_old_dim_positive)) return found->dims[index] < 0 ? 1 : found->dims[index];
    return found->dims[index];
}

aclError aclGetTensorDescDimRange(const aclTensorDesc* desc, size_t index, size_t dimRangeNum, int64_t* dimRange) {
    ACLREF_ENTER(aclGetTensorDescDimRange);
    if (faulty(Fault::dim_range_null_accepted) && (desc == nullptr || dimRange == nullptr)) return 0;
    ACLREF_REQUIRE(desc);
    ACLREF_REQUIRE(dimRange);
    if (dimRangeNum < 2 && !faulty(Fault::dim_range_short_accepted))
        return refuse(ACL_ERROR_INVALID_PARAM, "dimRangeNum %zu, two values are needed", dimRangeNum);
    auto found = find_tensor_desc(desc);
    if (!found) return not_alive();
    if (index >= found->dim_bounds.size()) {
        if (faulty(Fault::dim_range_missing_is_success)) return 0;
        return refuse(ACL_ERROR_INVALID_PARAM, "index %zu, %zu ranges are set", index, found->dim_bounds.size());
    }
    const Bounds& bounds = found->dim_bounds[index];
    bool swapped = faulty(Fault::dim_range_swapped);
    if (dimRangeNum > 0) dimRange[0] = bounds[swapped ? 1 : 0];
    if (dimRangeNum > 1) dimRange[1] = bounds[swapped ? 0 : 1];
    if (faulty(Fault::dim_range_fills_array))
        for (std::size_t rest = 2; rest < dimRangeNum; ++rest) dimRange[rest] = 0;
    return 0;
}

const char* aclGetTensorDescName(aclTensorDesc* desc) {
    auto found = readable(Function::aclGetTensorDescName, desc);
    if (!found) return faulty(Fault::tensor_desc_no_name_is_null) ? nullptr : "";
    if (faulty(Fault::tensor_desc_no_name_is_null) && found->name.empty()) return nullptr;
    return found->borrowed_name ? found->borrowed_name : found->name.c_str();
}

aclTensorDesc* aclGetTensorDescByIndex(aclTensorDesc* desc, size_t index) {
    auto found = readable(Function::aclGetTensorDescByIndex, desc);
    if (!found) return faulty(Fault::tensor_desc_element_of_null) ? some_desc() : nullptr;
    if (faulty(Fault::tensor_desc_elements_alike)) return desc;
    if (found->elements.empty()) return index == 0 ? desc : nullptr;
    return index < found->elements.size() ? found->elements[index] : nullptr;
}

void* aclGetTensorDescAddress(const aclTensorDesc* desc) {
    auto found = readable(Function::aclGetTensorDescAddress, desc);
    if (faulty(Fault::tensor_desc_always_has_address) && !(found && found->address)) return &tensor_descs();
    return found && !faulty(Fault::tensor_desc_address_lost) ? found->address : nullptr;
}

}  // extern "C"
