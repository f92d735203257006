#include "models/dataset.hpp"

#include "base/faults/models.hpp"
#include "base/live_objects.hpp"

namespace aclref::models {

Dataset::~Dataset() {
    if (faulty(Fault::dataset_desc_kept)) return;
    for (const Entry& entry : entries) destroy_tensor_desc(entry.desc);
}

void Dataset::describe(std::size_t index, std::shared_ptr<TensorDesc> desc) {
    Entry& entry = entries[index];
    destroy_tensor_desc(entry.desc);
    entry.desc = desc ? publish_tensor_desc(std::move(desc)) : nullptr;
}

HandleTable<Dataset>& datasets() {
    static auto* table = new HandleTable<Dataset>;
    return *table;
}

std::shared_ptr<Dataset> find_dataset(const aclmdlDataset* handle) {
    return handle == nullptr ? nullptr : datasets().find(handle);
}

namespace {
const LiveCounter live("datasets", [] { return std::uint64_t{datasets().size()}; });
}  // namespace

}  // namespace aclref::models
