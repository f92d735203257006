// Graph engine: preprocessing parameters (AIPP), put together one by one.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>

#include "base/faults/models.hpp"
#include "models/aipp.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;
using namespace aclref::models;

namespace {

/// The range a document gives for a value.
struct Range {
    double least;
    double most;
};

constexpr Range switch_range{0, 1};
constexpr Range matrix_range{-32677, 32676};
constexpr Range source_width{2, 4096};
constexpr Range source_height{1, 4096};
constexpr Range scaled_size{16, 4096};
constexpr Range scaled_width{16, 1920};
constexpr Range crop_start{0, 4095};
constexpr Range crop_size{1, 4096};
constexpr Range padding{0, 32};
constexpr Range colour{0, 255};
constexpr Range reciprocal{-65504, 65504};
constexpr double largest_ratio = 16;

/// The parameters of a handle, or a recorded ACL_ERROR_INVALID_PARAM in `code`.
std::shared_ptr<AippParams> require_aipp(const aclmdlAIPP* handle, aclError& code) {
    auto params = find_aipp(handle);
    code = 0;
    if (!params && !(handle == nullptr && faulty(Fault::aipp_null_accepted)))
        code = refuse(ACL_ERROR_INVALID_PARAM, "aippParmsSet is NULL or no such object");
    return params;
}

/// 0, or a recorded code where a value is not inside the range.
aclError check(const char* what, double value, Range range) {
    const bool inside = faulty(Fault::aipp_bounds_excluded) && range.most > 1
                            ? value > range.least && value < range.most
                            : value >= range.least && value <= range.most;
    if (inside || (faulty(Fault::aipp_ranges_unchecked) && range.most != 1)) return 0;
    return refuse(ACL_ERROR_INVALID_PARAM, "%s is %g, not in %g to %g", what, value, range.least, range.most);
}

/// The first refusal of several.
template <class... Codes>
aclError first(Codes... codes) {
    aclError found = 0;
    for (aclError code : {codes...})
        if (found == 0) found = code;
    return found;
}

aclError check_switch(const char* what, std::int8_t value) {
    return faulty(Fault::aipp_any_switch) ? 0 : check(what, value, switch_range);
}

/// What a switch of 0 makes unimportant.
bool judged(std::int8_t value) { return value != 0 || faulty(Fault::aipp_judged_when_off); }

/// The parameters, and the picture of their batch that is set.
aclError find_picture(const aclmdlAIPP* handle, std::uint64_t index, std::shared_ptr<AippParams>& params) {
    aclError code = 0;
    params = require_aipp(handle, code);
    if (!params) return code;
    const std::uint64_t last = faulty(Fault::aipp_last_batch_refused) ? params->batch - 1 : params->batch;
    if (index < last || faulty(Fault::aipp_any_batch)) return 0;
    return refuse(ACL_ERROR_INVALID_PARAM, "batchIndex is not below %llu", static_cast<unsigned long long>(last));
}

/// Four values of one kind, one for each channel.
template <class Value>
aclError set_channels(aclmdlAIPP* handle, std::uint64_t index, Range range, Value (PictureParams::*member)[4],
                      const Value (&values)[4]) {
    std::shared_ptr<AippParams> params;
    if (aclError code = find_picture(handle, index, params); code != 0 || !params) return code;
    for (Value value : values)
        if (aclError code = check("a channel", value, range)) return code;
    std::copy(std::begin(values), std::end(values), params->pictures[index].*member);
    return 0;
}

aclError set_switch(const aclmdlAIPP* handle, const char* what, std::int8_t value, bool AippParams::*member) {
    aclError code = 0;
    auto params = require_aipp(handle, code);
    if (!params) return code;
    if ((code = check_switch(what, value))) return code;
    if (faulty(Fault::aipp_swap_cannot_be_off) && value == 0) return refuse(ACL_ERROR_INVALID_PARAM, "%s is 0", what);
    (*params).*member = value == 1;
    return 0;
}

bool is_too_far(std::int32_t from, std::int32_t to) {
    const double ratio = static_cast<double>(to) / from;
    return ratio > largest_ratio || ratio < 1 / largest_ratio;
}

}  // namespace

extern "C" {

aclmdlAIPP* aclmdlCreateAIPP(uint64_t batchSize) {
    if (enter(Function::aclmdlCreateAIPP) != 0) return nullptr;
    if (faulty(Fault::aipp_one_picture_only) && batchSize > 1) return nullptr;
    if (batchSize == 0 && !faulty(Fault::aipp_empty_batch_accepted)) {
        (void)refuse(ACL_ERROR_INVALID_PARAM, "batchSize is 0");
        return nullptr;
    }
    auto params = std::make_shared<AippParams>();
    params->batch = batchSize;
    return static_cast<aclmdlAIPP*>(aipp_params().add(std::move(params)));
}

aclError aclmdlDestroyAIPP(const aclmdlAIPP* aippParmsSet) {
    ACLREF_ENTER(aclmdlDestroyAIPP);
    aclError code = 0;
    if (require_aipp(aippParmsSet, code)) aipp_params().remove(aippParmsSet);
    return code;
}

aclError aclmdlGetAippDataSize(uint64_t batchSize, size_t* size) {
    ACLREF_ENTER(aclmdlGetAippDataSize);
    if (faulty(Fault::aipp_null_accepted) && size == nullptr) return 0;
    ACLREF_REQUIRE(size);
    if (batchSize == 0 && !faulty(Fault::aipp_empty_batch_accepted)) return refuse(ACL_ERROR_INVALID_PARAM, "batchSize is 0");
    if (!aipp_bytes(batchSize, *size)) return refuse(ACL_ERROR_INVALID_PARAM, "so many pictures do not fit");
    return 0;
}

aclError aclmdlSetAIPPInputFormat(aclmdlAIPP* aippParmsSet, aclAippInputFormat inputFormat) {
    ACLREF_ENTER(aclmdlSetAIPPInputFormat);
    aclError code = 0;
    auto params = require_aipp(aippParmsSet, code);
    if (!params) return code;
    const int largest = faulty(Fault::aipp_raw_formats_refused) ? ACL_AYUV444_U8 : ACL_RAW24;
    if ((inputFormat < ACL_YUV420SP_U8 || inputFormat > largest) && !faulty(Fault::aipp_any_format))
        return refuse(ACL_ERROR_INVALID_PARAM, "there is no format %d", inputFormat);
    params->format = inputFormat;
    return 0;
}

aclError aclmdlSetAIPPCscParams(aclmdlAIPP* aippParmsSet, int8_t cscSwitch, int16_t cscMatrixR0C0, int16_t cscMatrixR0C1,
                                int16_t cscMatrixR0C2, int16_t cscMatrixR1C0, int16_t cscMatrixR1C1, int16_t cscMatrixR1C2,
                                int16_t cscMatrixR2C0, int16_t cscMatrixR2C1, int16_t cscMatrixR2C2, uint8_t cscOutputBiasR0,
                                uint8_t cscOutputBiasR1, uint8_t cscOutputBiasR2, uint8_t cscInputBiasR0,
                                uint8_t cscInputBiasR1, uint8_t cscInputBiasR2) {
    ACLREF_ENTER(aclmdlSetAIPPCscParams);
    aclError code = 0;
    auto params = require_aipp(aippParmsSet, code);
    if (!params) return code;
    if ((code = check_switch("cscSwitch", cscSwitch))) return code;
    const std::int16_t matrix[] = {cscMatrixR0C0, cscMatrixR0C1, cscMatrixR0C2, cscMatrixR1C0, cscMatrixR1C1,
                                   cscMatrixR1C2, cscMatrixR2C0, cscMatrixR2C1, cscMatrixR2C2};
    const std::uint8_t biases[] = {cscOutputBiasR0, cscOutputBiasR1, cscOutputBiasR2,
                                   cscInputBiasR0,  cscInputBiasR1,  cscInputBiasR2};
    if (judged(cscSwitch))
        for (std::int16_t element : matrix)
            if ((code = check("a matrix element", element, matrix_range))) return code;
    params->converts = cscSwitch == 1;
    std::copy(std::begin(matrix), std::end(matrix), params->matrix);
    std::copy(std::begin(biases), std::end(biases), params->biases);
    return 0;
}

aclError aclmdlSetAIPPRbuvSwapSwitch(aclmdlAIPP* aippParmsSet, int8_t rbuvSwapSwitch) {
    ACLREF_ENTER(aclmdlSetAIPPRbuvSwapSwitch);
    return set_switch(aippParmsSet, "rbuvSwapSwitch", rbuvSwapSwitch, &AippParams::swaps_rb_uv);
}

aclError aclmdlSetAIPPAxSwapSwitch(aclmdlAIPP* aippParmsSet, int8_t axSwapSwitch) {
    ACLREF_ENTER(aclmdlSetAIPPAxSwapSwitch);
    return set_switch(aippParmsSet, "axSwapSwitch", axSwapSwitch, &AippParams::swaps_ax);
}

aclError aclmdlSetAIPPSrcImageSize(aclmdlAIPP* aippParmsSet, int32_t srcImageSizeW, int32_t srcImageSizeH) {
    ACLREF_ENTER(aclmdlSetAIPPSrcImageSize);
    aclError code = 0;
    auto params = require_aipp(aippParmsSet, code);
    if (!params) return code;
    if ((code = check("srcImageSizeW", srcImageSizeW, source_width))) return code;
    if ((code = check("srcImageSizeH", srcImageSizeH, source_height))) return code;
    params->source = {srcImageSizeW, srcImageSizeH};
    return 0;
}

aclError aclmdlSetAIPPScfParams(aclmdlAIPP* aippParmsSet, int8_t scfSwitch, int32_t scfInputSizeW, int32_t scfInputSizeH,
                                int32_t scfOutputSizeW, int32_t scfOutputSizeH, uint64_t batchIndex) {
    ACLREF_ENTER(aclmdlSetAIPPScfParams);
    std::shared_ptr<AippParams> params;
    if (aclError code = find_picture(aippParmsSet, batchIndex, params); code != 0 || !params) return code;
    if (aclError code = check_switch("scfSwitch", scfSwitch)) return code;
    if (judged(scfSwitch)) {
        aclError code = first(check("scfInputSizeW", scfInputSizeW, scaled_size), check("scfInputSizeH", scfInputSizeH, scaled_size),
                              check("scfOutputSizeW", scfOutputSizeW, scaled_width),
                              check("scfOutputSizeH", scfOutputSizeH, scaled_size));
        if (code != 0) return code;
        if (is_too_far(scfInputSizeW, scfOutputSizeW) || is_too_far(scfInputSizeH, scfOutputSizeH))
            return refuse(ACL_ERROR_INVALID_PARAM, "a side is scaled by more than %g", largest_ratio);
    }
    PictureParams& picture = params->pictures[batchIndex];
    picture.scales = scfSwitch == 1;
    picture.scaled_from = {scfInputSizeW, scfInputSizeH};
    picture.scaled_to = {scfOutputSizeW, scfOutputSizeH};
    return 0;
}

aclError aclmdlSetAIPPCropParams(aclmdlAIPP* aippParmsSet, int8_t cropSwitch, int32_t cropStartPosW, int32_t cropStartPosH,
                                 int32_t cropSizeW, int32_t cropSizeH, uint64_t batchIndex) {
    ACLREF_ENTER(aclmdlSetAIPPCropParams);
    std::shared_ptr<AippParams> params;
    if (aclError code = find_picture(aippParmsSet, batchIndex, params); code != 0 || !params) return code;
    if (aclError code = check_switch("cropSwitch", cropSwitch)) return code;
    if (judged(cropSwitch)) {
        aclError code = first(check("cropStartPosW", cropStartPosW, crop_start), check("cropStartPosH", cropStartPosH, crop_start),
                              check("cropSizeW", cropSizeW, crop_size), check("cropSizeH", cropSizeH, crop_size));
        if (code != 0) return code;
    }
    PictureParams& picture = params->pictures[batchIndex];
    picture.crops = cropSwitch == 1;
    picture.crop_start = {cropStartPosW, cropStartPosH};
    picture.crop_size = {cropSizeW, cropSizeH};
    return 0;
}

aclError aclmdlSetAIPPPaddingParams(aclmdlAIPP* aippParmsSet, int8_t paddingSwitch, int32_t paddingSizeTop,
                                    int32_t paddingSizeBottom, int32_t paddingSizeLeft, int32_t paddingSizeRight,
                                    uint64_t batchIndex) {
    ACLREF_ENTER(aclmdlSetAIPPPaddingParams);
    std::shared_ptr<AippParams> params;
    if (aclError code = find_picture(aippParmsSet, batchIndex, params); code != 0 || !params) return code;
    if (aclError code = check_switch("paddingSwitch", paddingSwitch)) return code;
    if (judged(paddingSwitch)) {
        aclError code = first(check("paddingSizeTop", paddingSizeTop, padding), check("paddingSizeBottom", paddingSizeBottom, padding),
                              check("paddingSizeLeft", paddingSizeLeft, padding),
                              check("paddingSizeRight", paddingSizeRight, padding));
        if (code != 0) return code;
    }
    PictureParams& picture = params->pictures[batchIndex];
    picture.pads = paddingSwitch == 1;
    picture.top = paddingSizeTop;
    picture.bottom = paddingSizeBottom;
    picture.left = paddingSizeLeft;
    picture.right = paddingSizeRight;
    return 0;
}

aclError aclmdlSetAIPPDtcPixelMean(aclmdlAIPP* aippParmsSet, int16_t dtcPixelMeanChn0, int16_t dtcPixelMeanChn1,
                                   int16_t dtcPixelMeanChn2, int16_t dtcPixelMeanChn3, uint64_t batchIndex) {
    ACLREF_ENTER(aclmdlSetAIPPDtcPixelMean);
    return set_channels(aippParmsSet, batchIndex, colour, &PictureParams::means,
                        {dtcPixelMeanChn0, dtcPixelMeanChn1, dtcPixelMeanChn2, dtcPixelMeanChn3});
}

aclError aclmdlSetAIPPDtcPixelMin(aclmdlAIPP* aippParmsSet, float dtcPixelMinChn0, float dtcPixelMinChn1,
                                  float dtcPixelMinChn2, float dtcPixelMinChn3, uint64_t batchIndex) {
    ACLREF_ENTER(aclmdlSetAIPPDtcPixelMin);
    return set_channels(aippParmsSet, batchIndex, colour, &PictureParams::minima,
                        {dtcPixelMinChn0, dtcPixelMinChn1, dtcPixelMinChn2, dtcPixelMinChn3});
}

aclError aclmdlSetAIPPPixelVarReci(aclmdlAIPP* aippParmsSet, float dtcPixelVarReciChn0, float dtcPixelVarReciChn1,
                                   float dtcPixelVarReciChn2, float dtcPixelVarReciChn3, uint64_t batchIndex) {
    ACLREF_ENTER(aclmdlSetAIPPPixelVarReci);
    return set_channels(aippParmsSet, batchIndex, reciprocal, &PictureParams::reciprocals,
                        {dtcPixelVarReciChn0, dtcPixelVarReciChn1, dtcPixelVarReciChn2, dtcPixelVarReciChn3});
}

}  // extern "C"
