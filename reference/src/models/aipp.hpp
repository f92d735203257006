// Preprocessing of pictures (AIPP) that is set at execution: what a caller has put together, and whether it fits a model.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "acl/acl.h"
#include "base/handle_table.hpp"
#include "models/plan.hpp"

namespace aclref::models {

/// Width and height, or a position, in pixels.
struct Extent {
    std::int32_t width = 0;
    std::int32_t height = 0;
    bool operator==(const Extent&) const = default;
};

/// What holds for one picture of a batch.
struct PictureParams {
    bool crops = false;
    Extent crop_start;
    Extent crop_size;
    bool scales = false;
    Extent scaled_from;
    Extent scaled_to;
    bool pads = false;
    std::int32_t top = 0;
    std::int32_t bottom = 0;
    std::int32_t left = 0;
    std::int32_t right = 0;
    std::int16_t means[4] = {};
    float minima[4] = {};
    float reciprocals[4] = {1, 1, 1, 1};
};

struct AippParams {
    std::uint64_t batch = 1;
    std::int32_t format = 0;  ///< aclAippInputFormat; 0: not set
    Extent source;
    bool converts = false;    ///< colours
    std::int16_t matrix[9] = {};
    std::uint8_t biases[6] = {};
    bool swaps_rb_uv = false;
    bool swaps_ax = false;
    std::map<std::uint64_t, PictureParams> pictures;  ///< of the batch, as far as anything was set

    /// What holds for a picture of the batch.
    PictureParams picture(std::uint64_t index) const;
    /// Size of the picture that comes out of it.
    Extent result(const PictureParams& picture) const;
};

HandleTable<AippParams>& aipp_params();

/// The live object of a handle; null for NULL and for handles that are not alive.
std::shared_ptr<AippParams> find_aipp(const aclmdlAIPP* handle);

/// Bytes that the parameters for so many pictures take. False when the number does not fit.
bool aipp_bytes(std::uint64_t batch, std::size_t& bytes);

/// 0, or a recorded code where the parameters do not fit together, or not with the input they prepare.
aclError check_aipp(const AippParams& params, const Tensor& input);

/// Writes the parameters to device memory of at least `aipp_bytes`. 0 or a recorded code.
aclError write_aipp(const AippParams& params, void* place, int device);

}  // namespace aclref::models
