#include "models/dataset.hpp"

#include "base/live_objects.hpp"

namespace aclref::models {

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
