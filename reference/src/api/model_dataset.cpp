// Graph engine: datasets.
#include "models/data_buffer.hpp"
#include "models/dataset.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;
using namespace aclref::models;

extern "C" {

aclmdlDataset* aclmdlCreateDataset() {
    if (enter(Function::aclmdlCreateDataset) != 0) return nullptr;
    return static_cast<aclmdlDataset*>(datasets().add(std::make_shared<Dataset>()));
}

aclError aclmdlDestroyDataset(const aclmdlDataset* dataset) {
    ACLREF_ENTER(aclmdlDestroyDataset);
    ACLREF_REQUIRE(dataset);
    if (!datasets().remove(dataset)) return refuse(ACL_ERROR_INVALID_PARAM, "dataset is no dataset");
    return 0;
}

aclError aclmdlAddDatasetBuffer(aclmdlDataset* dataset, aclDataBuffer* dataBuffer) {
    ACLREF_ENTER(aclmdlAddDatasetBuffer);
    auto found = find_dataset(dataset);
    if (!found) return refuse(ACL_ERROR_INVALID_PARAM, "dataset is NULL or no dataset");
    if (!find_data_buffer(dataBuffer)) return refuse(ACL_ERROR_INVALID_PARAM, "dataBuffer is NULL or no buffer");
    found->entries.push_back({dataBuffer, nullptr});
    return 0;
}

size_t aclmdlGetDatasetNumBuffers(const aclmdlDataset* dataset) {
    if (enter(Function::aclmdlGetDatasetNumBuffers) != 0) return 0;
    auto found = find_dataset(dataset);
    return found ? found->entries.size() : 0;
}

aclDataBuffer* aclmdlGetDatasetBuffer(const aclmdlDataset* dataset, size_t index) {
    if (enter(Function::aclmdlGetDatasetBuffer) != 0) return nullptr;
    auto found = find_dataset(dataset);
    return found && index < found->entries.size() ? found->entries[index].buffer : nullptr;
}

aclError aclmdlSetDatasetTensorDesc(aclmdlDataset* dataset, aclTensorDesc* tensorDesc, size_t index) {
    ACLREF_ENTER(aclmdlSetDatasetTensorDesc);
    auto found = find_dataset(dataset);
    if (!found) return refuse(ACL_ERROR_INVALID_PARAM, "dataset is NULL or no dataset");
    if (index >= found->entries.size())
        return refuse(ACL_ERROR_INVALID_PARAM, "the dataset has %zu buffers, not one at %zu", found->entries.size(), index);
    if (tensorDesc == nullptr) {
        found->describe(index, nullptr);
        return 0;
    }
    auto desc = find_tensor_desc(tensorDesc);
    if (!desc) return refuse(ACL_ERROR_INVALID_PARAM, "tensorDesc is no description");
    auto copy = std::make_shared<TensorDesc>(*desc);
    copy->elements.clear();
    found->describe(index, std::move(copy));
    return 0;
}

aclTensorDesc* aclmdlGetDatasetTensorDesc(const aclmdlDataset* dataset, size_t index) {
    if (enter(Function::aclmdlGetDatasetTensorDesc) != 0) return nullptr;
    auto found = find_dataset(dataset);
    return found && index < found->entries.size() ? found->entries[index].desc : nullptr;
}

}  // extern "C"
