// Graph engine: datasets.
#include <algorithm>

#include "base/faults/models.hpp"
#include "models/data_buffer.hpp"
#include "models/dataset.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;
using namespace aclref::models;

extern "C" {

aclmdlDataset* aclmdlCreateDataset() {
    if (enter(Function::aclmdlCreateDataset) != 0) return nullptr;
    if (faulty(Fault::dataset_needs_device) && !Runtime::instance().current_context()) return nullptr;
    return static_cast<aclmdlDataset*>(datasets().add(std::make_shared<Dataset>()));
}

aclError aclmdlDestroyDataset(const aclmdlDataset* dataset) {
    ACLREF_ENTER(aclmdlDestroyDataset);
    ACLREF_REQUIRE(dataset);
    if (faulty(Fault::dataset_takes_buffers))
        if (auto found = find_dataset(dataset))
            for (const auto& entry : found->entries) data_buffers().remove(entry.buffer);
    if (!datasets().remove(dataset)) return refuse(ACL_ERROR_INVALID_PARAM, "dataset is no dataset");
    return 0;
}

aclError aclmdlAddDatasetBuffer(aclmdlDataset* dataset, aclDataBuffer* dataBuffer) {
    ACLREF_ENTER(aclmdlAddDatasetBuffer);
    auto found = find_dataset(dataset);
    if (!found) return refuse(ACL_ERROR_INVALID_PARAM, "dataset is NULL or no dataset");
    if (!find_data_buffer(dataBuffer)) return refuse(ACL_ERROR_INVALID_PARAM, "dataBuffer is NULL or no buffer");
    if (faulty(Fault::dataset_full) && !found->entries.empty()) return 0;
    const bool twice = std::any_of(found->entries.begin(), found->entries.end(), [&](const auto& each) { return each.buffer == dataBuffer; });
    if (twice && faulty(Fault::dataset_buffer_once)) return 0;
    const auto place = faulty(Fault::dataset_from_the_front) ? found->entries.begin() : found->entries.end();
    found->entries.insert(place, {dataBuffer, nullptr});
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
    if (faulty(Fault::dataset_last_index_wraps) && found && !found->entries.empty()) index %= found->entries.size();
    if (faulty(Fault::dataset_keeps_sixteen) && found && index > 15 && index < found->entries.size()) index = 15;
    return found && index < found->entries.size() ? found->entries[index].buffer : nullptr;
}

aclError aclmdlSetDatasetTensorDesc(aclmdlDataset* dataset, aclTensorDesc* tensorDesc, size_t index) {
    ACLREF_ENTER(aclmdlSetDatasetTensorDesc);
    auto found = find_dataset(dataset);
    if (!found) return refuse(ACL_ERROR_INVALID_PARAM, "dataset is NULL or no dataset");
    if (faulty(Fault::dataset_last_index_wraps) && !found->entries.empty()) index %= found->entries.size();
    if (index >= found->entries.size())
        return refuse(ACL_ERROR_INVALID_PARAM, "the dataset has %zu buffers, not one at %zu", found->entries.size(), index);
    if (tensorDesc == nullptr && faulty(Fault::dataset_desc_not_taken_away)) return 0;
    if (tensorDesc == nullptr) {
        found->describe(index, nullptr);
        return 0;
    }
    if (faulty(Fault::dataset_desc_set_once) && found->entries[index].desc != nullptr) return 0;
    auto desc = find_tensor_desc(tensorDesc);
    if (!desc) return refuse(ACL_ERROR_INVALID_PARAM, "tensorDesc is no description");
    auto copy = std::make_shared<TensorDesc>(*desc);
    copy->elements.clear();
    found->describe(index, std::move(copy));
    if (faulty(Fault::dataset_desc_not_copied)) found->entries[index].desc = tensorDesc;
    return 0;
}

aclTensorDesc* aclmdlGetDatasetTensorDesc(const aclmdlDataset* dataset, size_t index) {
    if (enter(Function::aclmdlGetDatasetTensorDesc) != 0) return nullptr;
    auto found = find_dataset(dataset);
    if (faulty(Fault::dataset_desc_always) && found && index < found->entries.size() && found->entries[index].desc == nullptr)
        found->describe(index, std::make_shared<TensorDesc>());
    if (faulty(Fault::dataset_last_index_wraps) && found && !found->entries.empty()) index %= found->entries.size();
    return found && index < found->entries.size() ? found->entries[index].desc : nullptr;
}

}  // extern "C"
