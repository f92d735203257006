// Datasets: the data buffers that a model reads or writes, in order, and the shapes that go with them.
#pragma once

#include <memory>
#include <vector>

#include "acl/acl.h"
#include "base/handle_table.hpp"
#include "models/tensor_desc.hpp"

namespace aclref::models {

struct Dataset {
    struct Entry {
        aclDataBuffer* buffer = nullptr;  ///< the caller's
        aclTensorDesc* desc = nullptr;    ///< the dataset's own; null: none
    };
    std::vector<Entry> entries;
    Dataset() = default;
    ~Dataset();
    Dataset(const Dataset&) = delete;
    Dataset& operator=(const Dataset&) = delete;

    /// Gives an entry a description, or takes it away (null).
    void describe(std::size_t index, std::shared_ptr<TensorDesc> desc);
};

HandleTable<Dataset>& datasets();

/// The live object of a handle; null for NULL and for handles that are not alive.
std::shared_ptr<Dataset> find_dataset(const aclmdlDataset* handle);

}  // namespace aclref::models
