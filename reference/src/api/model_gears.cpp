// Graph engine: the shapes a model was built for, as descriptions tell them.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/faults/models.hpp"
#include "models/description.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;
using namespace aclref::models;

namespace {

using Gears = std::vector<std::vector<std::uint64_t>>;

/// The gears of a kind that a description's model has; none where it has another kind.
Gears gears_of(const Description& description, GearKind kind) {
    if (description.plan->gear_kind != kind) return {};
    Gears gears = description.plan->gears;
    if (faulty(Fault::gear_last_missing) && !gears.empty()) gears.pop_back();
    return gears;
}

aclError check_room(std::size_t count) {
    if (count <= ACL_MAX_BATCH_NUM || faulty(Fault::gear_list_cut)) return 0;
    return refuse(ACL_ERROR_STORAGE_OVER_LIMIT, "%zu gears are more than the record holds", count);
}

/// What a broken library takes for an argument.
bool null_passes(const void* first, const void* second) {
    return faulty(Fault::gear_null_accepted) && (first == nullptr || second == nullptr);
}

/// The index is reserved: all bits are set.
aclError check_index(std::size_t index) {
    if (index == SIZE_MAX || faulty(Fault::gear_index_ignored)) return 0;
    return refuse(ACL_ERROR_INVALID_PARAM, "index %zu, -1 is needed", index);
}

}  // namespace

extern "C" {

aclError aclmdlGetDynamicBatch(const aclmdlDesc* modelDesc, aclmdlBatch* batch) {
    ACLREF_ENTER(aclmdlGetDynamicBatch);
    if (null_passes(modelDesc, batch)) return 0;
    aclError code = 0;
    auto description = require_filled(modelDesc, code);
    if (!description) return code;
    ACLREF_REQUIRE(batch);
    const Gears gears = gears_of(*description, GearKind::batch);
    if (gears.empty() && faulty(Fault::gear_none_is_error)) return refuse(ACL_ERROR_GE_FAILURE, "there are no gears");
    if ((code = check_room(gears.size()))) return code;
    *batch = {};
    batch->batchCount = std::min<std::size_t>(gears.size(), ACL_MAX_BATCH_NUM);
    for (std::size_t index = 0; index < batch->batchCount; ++index) batch->batch[index] = gears[index][0];
    return 0;
}

aclError aclmdlGetDynamicHW(const aclmdlDesc* modelDesc, size_t, aclmdlHW* hw) {
    ACLREF_ENTER(aclmdlGetDynamicHW);
    if (null_passes(modelDesc, hw)) return 0;
    aclError code = 0;
    auto description = require_filled(modelDesc, code);
    if (!description) return code;
    ACLREF_REQUIRE(hw);
    const Gears gears = gears_of(*description, GearKind::image_size);
    if (gears.empty() && faulty(Fault::gear_none_is_error)) return refuse(ACL_ERROR_GE_FAILURE, "there are no gears");
    if ((code = check_room(gears.size()))) return code;
    *hw = {};
    hw->hwCount = std::min<std::size_t>(gears.size(), ACL_MAX_HW_NUM);
    const std::size_t first = faulty(Fault::gear_width_first) ? 1 : 0;
    for (std::size_t index = 0; index < hw->hwCount; ++index) {
        hw->hw[index][0] = gears[index][first];
        hw->hw[index][1] = gears[index][1 - first];
    }
    return 0;
}

aclError aclmdlGetInputDynamicGearCount(const aclmdlDesc* modelDesc, size_t index, size_t* gearCount) {
    ACLREF_ENTER(aclmdlGetInputDynamicGearCount);
    if (null_passes(modelDesc, gearCount)) return 0;
    aclError code = 0;
    auto description = require_filled(modelDesc, code);
    if (!description) return code;
    ACLREF_REQUIRE(gearCount);
    if ((code = check_index(index))) return code;
    const Gears gears = gears_of(*description, GearKind::dims);
    if (gears.empty() && faulty(Fault::gear_none_is_error)) return refuse(ACL_ERROR_GE_FAILURE, "there are no gears");
    *gearCount = gears.size();
    return 0;
}

aclError aclmdlGetInputDynamicDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims, size_t gearCount) {
    ACLREF_ENTER(aclmdlGetInputDynamicDims);
    if (null_passes(modelDesc, dims)) return 0;
    aclError code = 0;
    auto description = require_filled(modelDesc, code);
    if (!description) return code;
    ACLREF_REQUIRE(dims);
    if ((code = check_index(index))) return code;
    const Gears gears = gears_of(*description, GearKind::dims);
    if (gearCount < gears.size() && !faulty(Fault::gear_array_short_accepted))
        return refuse(ACL_ERROR_INVALID_PARAM, "room for %zu gears, the model has %zu", gearCount, gears.size());
    if (faulty(Fault::gear_array_filled)) std::fill_n(dims, gearCount, aclmdlIODims{});
    if (faulty(Fault::gear_array_must_fit) && gearCount != gears.size())
        return refuse(ACL_ERROR_INVALID_PARAM, "room for %zu gears, the model has %zu", gearCount, gears.size());
    for (std::size_t gear = 0; gear < std::min(gears.size(), gearCount); ++gear) {
        const auto& numbers = gears[gear];
        const std::size_t count = faulty(Fault::gear_dims_of_first_input) ? description->plan->inputs[0].dims.size() : numbers.size();
        if (numbers.size() > ACL_MAX_DIM_CNT) return refuse(ACL_ERROR_STORAGE_OVER_LIMIT, "a gear has %zu dims", numbers.size());
        dims[gear] = {};
        dims[gear].dimCount = count;
        std::copy_n(numbers.begin(), count, dims[gear].dims);
    }
    return 0;
}

}  // extern "C"
