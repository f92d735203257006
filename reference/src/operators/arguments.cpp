#include "operators/arguments.hpp"

#include "models/caller_array.hpp"

namespace aclref {

namespace {

/// Reads the handles of an array and looks them up. 0 or a recorded code.
template <class Handle, class Object>
aclError read_objects(int count, const Handle* const* array, const char* what, std::shared_ptr<Object> (*find)(const Handle*),
                      std::vector<const Handle*>& handles, std::vector<std::shared_ptr<Object>>& objects) {
    if (count < 0) return refuse(ACL_ERROR_INVALID_PARAM, "%s cannot have %d elements", what, count);
    if (count > 0 && array == nullptr) return refuse(ACL_ERROR_INVALID_PARAM, "%s is NULL", what);
    if (aclError code = read_array(array, static_cast<std::size_t>(count), handles)) return code;
    objects.clear();
    for (const Handle* handle : handles)
        if (!objects.emplace_back(find(handle)))
            return refuse(ACL_ERROR_INVALID_PARAM, "element %zu of %s is NULL or not alive", objects.size() - 1, what);
    return 0;
}

}  // namespace

aclError read_descriptions(int count, const aclTensorDesc* const* array, const char* what, DescribedTensors& out) {
    return read_objects(count, array, what, find_tensor_desc, out.handles, out.descs);
}

aclError read_buffers(int count, const aclDataBuffer* const* array, const char* what, Buffers& out) {
    std::vector<const aclDataBuffer*> handles;
    if (aclError code = read_objects(count, array, what, find_data_buffer, handles, out)) return code;
    for (const auto& buffer : out)
        if (buffer->address == nullptr && buffer->size > 0)
            return refuse(ACL_ERROR_INVALID_PARAM, "an element of %s has %zu bytes at NULL", what, buffer->size);
    return 0;
}

}  // namespace aclref
