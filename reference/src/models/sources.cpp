#include "models/sources.hpp"

#include <atomic>

#include "base/faults/models.hpp"
#include "memory/address_space.hpp"
#include "models/file.hpp"

namespace aclref::models {

aclError read_file_model(const char* path, Source& out) {
    ModelFile file;
    if (aclError code = read_model_file(path, file)) return code;
    if (aclError code = check_size(file.bytes, Origin::file)) return code;
    if (!is_zip(file.bytes) && !read_header(file.bytes).takes_dynamic_route())
        if (aclError code = check_path_characters(path)) return code;
    if (aclError code = read_plan(file.bytes, Origin::file, out.plan)) return code;
    out.folder = (faulty(Fault::weights_not_beside_model) ? "." : file.folder) + external_weight_folder;
    return 0;
}

aclError read_image(const void* image, std::size_t size, std::vector<std::byte>& out) {
    AddressSpace& space = AddressSpace::instance();
    const Located at = space.locate(image);
    if (!at.on_host() && (!profile().shares_memory_with_host() || faulty(Fault::load_device_image_refused)))
        return refuse(ACL_ERROR_INVALID_PARAM, "the model has to lie in host memory");
    if (aclError code = space.check_range(image, size, false, at.device)) return code;
    out.resize(size);
    return space.copy(out.data(), image, size, true);
}

namespace {
constinit std::atomic<const void*> noted_image{nullptr};
constinit std::atomic<std::size_t> noted_size{0};
}  // namespace

void note_image(const void* image, std::size_t size) {
    noted_size = size;
    noted_image = image;
}

aclError check_noted_image() {
    Source again;
    return noted_image == nullptr ? 0 : read_memory_model(noted_image, noted_size, again);
}

aclError read_memory_model(const void* image, std::size_t size, Source& out) {
    if (size == 0) return refuse(ACL_ERROR_INVALID_PARAM, "the model's size is 0");
    std::vector<std::byte> bytes;
    if (aclError code = read_image(image, size, bytes)) return code;
    return read_plan(bytes, Origin::memory, out.plan);
}

}  // namespace aclref::models
