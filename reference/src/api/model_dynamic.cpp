// Graph engine: choosing the shape of the next execution among those a model was built for.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/faults/models.hpp"
#include "memory/address_space.hpp"
#include "models/data_buffer.hpp"
#include "models/dataset.hpp"
#include "models/model.hpp"
#include "models/shapes.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;
using namespace aclref::models;

namespace {

using Gear = std::vector<std::uint64_t>;

/// The memory of the input at the index; it has to hold a gear of so many numbers. 0 or a recorded code.
aclError find_control(const aclmdlDataset* handle, std::size_t index, std::size_t numbers, DataBuffer& control) {
    auto dataset = find_dataset(handle);
    if (!dataset) return refuse(ACL_ERROR_INVALID_PARAM, "dataset is NULL or no dataset");
    const std::size_t count = dataset->entries.size();
    if (index >= count) return refuse(ACL_ERROR_INVALID_PARAM, "index %zu, the dataset has %zu buffers", index, count);
    auto buffer = find_data_buffer(dataset->entries[index].buffer);
    if (!buffer || buffer->address == nullptr) return refuse(ACL_ERROR_INVALID_PARAM, "input %zu has no memory", index);
    control = *buffer;
    if (control.size < numbers * sizeof(std::uint64_t) && faulty(Fault::gear_needs_wide_room))
        return refuse(ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID, "input %zu has %zu bytes", index, control.size);
    if (control.size >= numbers * sizeof(std::uint32_t)) return 0;
    return refuse(ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID, "input %zu has %zu bytes, too few for %zu numbers", index,
                  control.size, numbers);
}

/// Writes the numbers as wide as there is room for. 0 or a recorded code.
aclError write_gear(const DataBuffer& control, const Gear& gear, int device) {
    const std::size_t width = gear_element_bytes(control.size, gear.size());
    std::vector<std::byte> bytes(gear.size() * width);
    for (std::size_t index = 0; index < gear.size(); ++index) std::memcpy(&bytes[index * width], &gear[index], width);
    AddressSpace& space = AddressSpace::instance();
    if (aclError code = space.check_range(control.address, bytes.size(), true, device)) return code;
    return space.copy(control.address, bytes.data(), bytes.size());
}

bool is_gear(const Plan& plan, GearKind kind, const Gear& gear) {
    return plan.gear_kind == kind && std::find(plan.gears.begin(), plan.gears.end(), gear) != plan.gears.end();
}

/// What a broken library makes of the gear it writes.
Gear broken(const Plan& plan, Gear gear) {
    if (faulty(Fault::gear_always_largest) && !plan.gears.empty()) return *largest_gear(plan);
    if (faulty(Fault::gear_numbers_reversed)) std::reverse(gear.begin(), gear.end());
    return gear;
}

/// Writes the gear into the input and lets the model's output dims follow. 0 or a recorded code.
aclError choose(std::uint32_t id, GearKind kind, const Gear& gear, const DataBuffer& control) {
    aclError code = 0;
    auto model = require_model(id, code);
    if (!model) return faulty(Fault::gear_of_any_model) ? 0 : code;
    const Plan& plan = model->plan();
    if (faulty(Fault::gear_of_static_model) && plan.gears.empty()) return 0;
    if (!is_gear(plan, kind, gear)) {
        if (faulty(Fault::gear_any_accepted) && !plan.gears.empty()) return 0;
        return refuse(ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID, "the model was not built for this");
    }
    if (faulty(Fault::gear_chosen_once) && !model->current_output_dims().empty())
        return refuse(ACL_ERROR_GE_FAILURE, "a gear was chosen before");
    if ((code = write_gear(control, broken(plan, gear), model->device()))) return code;
    model->set_current_output_dims(output_dims_for(plan, dims_for_gear(plan, gear)));
    return 0;
}

/// A gear of sizes, none of which may be 0.
aclError choose_sizes(std::uint32_t id, const aclmdlDataset* dataset, std::size_t index, GearKind kind, const Gear& gear) {
    if (faulty(Fault::gear_null_dataset_accepted) && dataset == nullptr) return 0;
    ACLREF_REQUIRE(dataset);
    if (std::find(gear.begin(), gear.end(), 0) != gear.end()) {
        if (faulty(Fault::gear_zero_accepted)) return 0;
        return refuse(ACL_ERROR_INVALID_PARAM, "a size is 0");
    }
    DataBuffer control;
    aclError code = find_control(dataset, index, gear.size(), control);
    if (code != 0) return faulty(Fault::gear_room_unchecked) ? 0 : code;
    return choose(id, kind, gear, control);
}

/// Whether the dims are those of all inputs, one behind the other, with nothing changed but what the model leaves open.
aclError check_dims(const Plan& plan, const Gear& gear) {
    std::vector<std::int64_t> built;
    for (const Tensor& input : plan.inputs)
        if (input.role == Role::data) built.insert(built.end(), input.dims.begin(), input.dims.end());
    if (built.size() != gear.size())
        return refuse(ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID, "%zu dims, the inputs have %zu", gear.size(), built.size());
    for (std::size_t index = 0; index < built.size(); ++index)
        if (built[index] >= 0 && static_cast<std::uint64_t>(built[index]) != gear[index])
            return refuse(ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID, "dim %zu is fixed in the model", index);
    return 0;
}

}  // namespace

extern "C" {

aclError aclmdlSetDynamicBatchSize(uint32_t modelId, aclmdlDataset* dataset, size_t index, uint64_t batchSize) {
    ACLREF_ENTER(aclmdlSetDynamicBatchSize);
    return choose_sizes(modelId, dataset, index, GearKind::batch, {batchSize});
}

aclError aclmdlSetDynamicHWSize(uint32_t modelId, aclmdlDataset* dataset, size_t index, uint64_t height, uint64_t width) {
    ACLREF_ENTER(aclmdlSetDynamicHWSize);
    return choose_sizes(modelId, dataset, index, GearKind::image_size, {height, width});
}

aclError aclmdlSetInputDynamicDims(uint32_t modelId, aclmdlDataset* dataset, size_t index, const aclmdlIODims* dims) {
    ACLREF_ENTER(aclmdlSetInputDynamicDims);
    if (faulty(Fault::gear_null_dataset_accepted) && (dataset == nullptr || dims == nullptr)) return 0;
    ACLREF_REQUIRE(dataset);
    ACLREF_REQUIRE(dims);
    if (dims->dimCount == 0 || dims->dimCount > ACL_MAX_DIM_CNT) {
        if (faulty(Fault::gear_zero_accepted)) return 0;
        return refuse(ACL_ERROR_INVALID_PARAM, "%zu dims", dims->dimCount);
    }
    const Gear gear(dims->dims, dims->dims + dims->dimCount);
    DataBuffer control;
    aclError code = find_control(dataset, index, gear.size(), control);
    if (code != 0) return faulty(Fault::gear_room_unchecked) ? 0 : code;
    auto model = require_model(modelId, code);
    if (!model) return faulty(Fault::gear_of_any_model) ? 0 : code;
    const bool has_gears = model->plan().gear_kind == GearKind::dims;
    if (has_gears && (code = check_dims(model->plan(), gear))) return faulty(Fault::gear_dims_unchecked) ? 0 : code;
    return choose(modelId, GearKind::dims, gear, control);
}

}  // extern "C"
