#include "models/queued.hpp"

#include <vector>

#include "models/caller_array.hpp"
#include "models/file.hpp"
#include "models/model.hpp"
#include "models/sources.hpp"

namespace aclref::models {

namespace {

aclError check_queues(const Queues& queues) {
    if (queues.inputs == nullptr || queues.outputs == nullptr) return refuse(ACL_ERROR_INVALID_PARAM, "a queue array is NULL");
    if (queues.input_count == 0 || queues.output_count == 0)
        return refuse(ACL_ERROR_INVALID_PARAM, "a queue array has no entries");
    std::vector<std::uint32_t> ids;
    if (aclError code = read_array(queues.inputs, queues.input_count, ids)) return code;
    return read_array(queues.outputs, queues.output_count, ids);
}

aclError refuse_package() { return refuse(ACL_ERROR_API_NOT_SUPPORT, "a package cannot be tied to queues"); }

aclError load_queued(const Source& source, const Queues& queues, std::uint32_t& id) {
    const Plan& plan = *source.plan;
    if (plan.is_dynamic) return refuse(ACL_ERROR_API_NOT_SUPPORT, "a dynamic-shape model cannot be tied to queues");
    if (queues.input_count != plan.inputs.size() || queues.output_count != plan.outputs.size())
        return refuse(ACL_ERROR_GE_EXEC_MODEL_QUEUE_ID_INVALID, "the model has %zu inputs and %zu outputs, not %zu and %zu",
                      plan.inputs.size(), plan.outputs.size(), queues.input_count, queues.output_count);
    LoadRequest request;
    request.plan = source.plan;
    request.weight_folder = source.folder;
    return load(std::move(request), id);
}

}  // namespace

aclError load_queued_file(const char* path, const Queues& queues, std::uint32_t& id) {
    if (aclError code = check_queues(queues)) return code;
    ModelFile file;
    if (aclError code = read_model_file(path, file)) return code;
    if (is_zip(file.bytes)) return refuse_package();
    Source source;
    if (aclError code = read_file_model(path, source)) return code;
    return load_queued(source, queues, id);
}

aclError load_queued_memory(const void* image, std::size_t size, const Queues& queues, std::uint32_t& id) {
    if (aclError code = check_queues(queues)) return code;
    if (size == 0) return refuse(ACL_ERROR_INVALID_PARAM, "the model's size is 0");
    std::vector<std::byte> bytes;
    if (aclError code = read_image(image, size, bytes)) return code;
    if (is_zip(bytes)) return refuse_package();
    Source source;
    if (aclError code = read_memory_model(image, size, source)) return code;
    return load_queued(source, queues, id);
}

}  // namespace aclref::models
