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
    found->buffers.push_back(dataBuffer);
    return 0;
}

size_t aclmdlGetDatasetNumBuffers(const aclmdlDataset* dataset) {
    if (enter(Function::aclmdlGetDatasetNumBuffers) != 0) return 0;
    auto found = find_dataset(dataset);
    return found ? found->buffers.size() : 0;
}

aclDataBuffer* aclmdlGetDatasetBuffer(const aclmdlDataset* dataset, size_t index) {
    if (enter(Function::aclmdlGetDatasetBuffer) != 0) return nullptr;
    auto found = find_dataset(dataset);
    return found && index < found->buffers.size() ? found->buffers[index] : nullptr;
}

}  // extern "C"
