#include "models/aipp.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/errors.hpp"
#include "base/faults/models.hpp"
#include "base/live_objects.hpp"
#include "memory/address_space.hpp"

namespace aclref::models {

namespace {

constexpr std::size_t head_bytes = 128;
constexpr std::size_t picture_bytes = 96;
constexpr std::int32_t widest = 1080;

const LiveCounter live("aipp_params", [] { return std::uint64_t{aipp_params().size()}; });

aclError unfit(const char* why) {
    if (faulty(Fault::aipp_attached_unchecked)) return 0;
    return refuse(ACL_ERROR_INVALID_PARAM, "the parameters do not fit: %s", why);
}

bool is_attachable(std::int32_t format) {
    return format == ACL_YUV420SP_U8 || format == ACL_XRGB8888_U8 || format == ACL_RGB888_U8 || format == ACL_YUV400_U8;
}

bool is_odd(Extent extent) { return extent.width % 2 != 0 || (extent.height % 2 != 0 && !faulty(Fault::aipp_rows_may_be_odd)); }

/// Width and height of the pictures that an input takes; 0 where it takes none.
Extent wanted_by(const Tensor& input) {
    if (input.dims.size() != 4) return {};
    const std::size_t row = input.format == ACL_FORMAT_NHWC ? 1 : 2;
    return {static_cast<std::int32_t>(input.dims[row + 1]), static_cast<std::int32_t>(input.dims[row])};
}

/// Why a picture does not fit; null where it does.
const char* misfit(const AippParams& params, const PictureParams& picture) {
    if (picture.scales) return "scaling is not available";
    if (picture.crops && (picture.crop_start.width + picture.crop_size.width > params.source.width ||
                          picture.crop_start.height + picture.crop_size.height > params.source.height))
        return "the part that is cut out is not inside the picture";
    const bool even = params.format == ACL_YUV420SP_U8;
    if (even && (is_odd(params.source) || (picture.crops && (is_odd(picture.crop_start) || is_odd(picture.crop_size)))))
        return "this format needs even sizes";
    if (params.result(picture).width > widest) return "the padded picture is too wide";
    return nullptr;
}

}  // namespace

PictureParams AippParams::picture(std::uint64_t index) const {
    auto found = pictures.find(index);
    return found == pictures.end() ? PictureParams{} : found->second;
}

Extent AippParams::result(const PictureParams& picture) const {
    Extent size = picture.crops ? picture.crop_size : source;
    if (!picture.pads) return size;
    return {size.width + picture.left + picture.right, size.height + picture.top + picture.bottom};
}

HandleTable<AippParams>& aipp_params() {
    static auto* table = new HandleTable<AippParams>;
    return *table;
}

std::shared_ptr<AippParams> find_aipp(const aclmdlAIPP* handle) {
    return handle == nullptr ? nullptr : aipp_params().find(handle);
}

bool aipp_bytes(std::uint64_t batch, std::size_t& bytes) {
    if (faulty(Fault::aipp_size_without_head)) return !__builtin_mul_overflow(batch, picture_bytes, &bytes);
    return !__builtin_mul_overflow(batch, picture_bytes, &bytes) && !__builtin_add_overflow(bytes, head_bytes, &bytes);
}

aclError check_aipp(const AippParams& params, const Tensor& input) {
    if (!is_attachable(params.format)) return unfit("the format cannot be set at execution");
    if (params.format == ACL_YUV400_U8 && params.converts) return unfit("grey pictures have no colours to convert");
    const Extent first = params.result(params.picture(0));
    // Pictures of which nothing was set are all alike: one of them stands for the rest.
    std::vector<std::uint64_t> told{0};
    for (const auto& entry : params.pictures) told.push_back(entry.first);
    if (params.pictures.size() < params.batch) {
        std::uint64_t unset = 0;
        while (params.pictures.contains(unset)) ++unset;
        told.push_back(unset);
    }
    for (std::uint64_t index : told) {
        const PictureParams picture = params.picture(index);
        if (const char* why = misfit(params, picture); why && !(index > 0 && faulty(Fault::aipp_later_pictures_unchecked))) return unfit(why);
        if (params.result(picture) != first) return unfit("the pictures of the batch become different in size");
    }
    if (first != wanted_by(input)) return unfit("the model takes pictures of another size");
    return 0;
}

aclError write_aipp(const AippParams& params, void* place, int device) {
    std::size_t bytes = 0;
    (void)aipp_bytes(params.batch, bytes);
    AddressSpace& space = AddressSpace::instance();
    if (aclError code = space.check_range(place, bytes, true, device)) return code;
    std::vector<std::byte> head(head_bytes);
    std::memcpy(head.data(), &params.format, sizeof params.format);
    std::memcpy(head.data() + sizeof params.format, &params.source, sizeof params.source);
    return space.copy(place, head.data(), std::min(head.size(), bytes));
}

}  // namespace aclref::models
