#include "models/tensor_desc.hpp"

#include <cstdlib>
#include <utility>

#include "base/faults/models.hpp"
#include "base/live_objects.hpp"
#include "tasks/element_types.hpp"

namespace aclref {

namespace {

const LiveCounter counter("tensor_descs", [] { return static_cast<std::uint64_t>(tensor_descs().size()); });

/// False when the product does not fit.
bool multiply(std::size_t& product, std::size_t factor) {
    if (faulty(Fault::tensor_desc_count_wraps)) {
        product *= factor;
        return true;
    }
    return !__builtin_mul_overflow(product, factor, &product);
}

}  // namespace

HandleTable<TensorDesc>& tensor_descs() {
    // Never destroyed: exit handlers of the caller may still give descriptions back.
    static auto* all = new HandleTable<TensorDesc>;
    return *all;
}

aclTensorDesc* publish_tensor_desc(std::shared_ptr<TensorDesc> desc) {
    return static_cast<aclTensorDesc*>(tensor_descs().add(std::move(desc)));
}

aclTensorDesc* publish_tensor_array(std::vector<TensorDesc> elements) {
    std::vector<aclTensorDesc*> handles;
    for (TensorDesc& element : elements)
        handles.push_back(publish_tensor_desc(std::make_shared<TensorDesc>(std::move(element))));
    if (handles.empty()) return nullptr;
    find_tensor_desc(handles.front())->elements = handles;
    return handles.front();
}

std::shared_ptr<TensorDesc> find_tensor_desc(const aclTensorDesc* handle) {
    return handle == nullptr ? nullptr : tensor_descs().find(handle);
}

void destroy_tensor_desc(const aclTensorDesc* handle) {
    auto desc = tensor_descs().remove(handle);
    if (!desc) return;
    for (aclTensorDesc* element : desc->elements)
        if (element != handle) (void)tensor_descs().remove(element);
}

bool has_unknown_rank(const TensorDesc& desc) { return !desc.dims.empty() && desc.dims.front() == -2; }

std::size_t element_count(const TensorDesc& desc) {
    if (desc.dims.empty() && faulty(Fault::tensor_desc_scalar_is_empty)) return 0;
    std::size_t count = 1;
    for (std::int64_t dim : desc.dims) {
        if (dim < 0 && !faulty(Fault::tensor_desc_unknown_dim_counts)) return 0;
        std::int64_t factor = dim == 0 && faulty(Fault::tensor_desc_zero_dim_skipped) ? 1 : std::abs(dim);
        if (!multiply(count, static_cast<std::size_t>(factor))) return 0;
    }
    return count;
}

std::size_t tensor_bytes(const TensorDesc& desc) {
    std::size_t bytes = element_count(desc);
    std::size_t each = faulty(Fault::tensor_desc_size_of_floats) ? sizeof(float) : element_bytes(desc.type);
    return multiply(bytes, each) ? bytes : 0;
}

}  // namespace aclref
