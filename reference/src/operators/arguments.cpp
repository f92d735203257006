#include "operators/arguments.hpp"

#include "base/faults/services.hpp"
#include "models/caller_array.hpp"

namespace aclref {

namespace {

/// Reads the handles of an array. 0 or a recorded code.
template <class Handle>
aclError read_handles(int count, const Handle* array, const char* what, std::vector<Handle>& out) {
    const bool unchecked = faulty(Fault::selector_arrays_unchecked);
    if (unchecked && (count < 0 || array == nullptr)) return 0;
    if (count < 0) return refuse(ACL_ERROR_INVALID_PARAM, "%s cannot have %d elements", what, count);
    if (count > 0 && array == nullptr) return refuse(ACL_ERROR_INVALID_PARAM, "%s is NULL", what);
    return read_array(array, static_cast<std::size_t>(count), out);
}

}  // namespace

aclError read_descriptions(int count, const aclTensorDesc* const* array, const char* what, DescribedTensors& out) {
    if (aclError code = read_handles(count, array, what, out.handles)) return code;
    for (const aclTensorDesc* handle : out.handles) {
        auto desc = find_tensor_desc(handle);
        if (!desc && !faulty(Fault::selector_arrays_unchecked))
            return refuse(ACL_ERROR_INVALID_PARAM, "element %zu of %s is NULL or no live description", out.descs.size(), what);
        out.descs.push_back(std::move(desc));
    }
    return 0;
}

}  // namespace aclref
