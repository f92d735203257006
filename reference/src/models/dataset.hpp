// Datasets: the data buffers that a model reads or writes, in order.
#pragma once

#include <memory>
#include <vector>

#include "acl/acl.h"
#include "base/handle_table.hpp"

namespace aclref::models {

struct Dataset {
    std::vector<aclDataBuffer*> buffers;  ///< the caller's
};

HandleTable<Dataset>& datasets();

/// The live object of a handle; null for NULL and for handles that are not alive.
std::shared_ptr<Dataset> find_dataset(const aclmdlDataset* handle);

}  // namespace aclref::models
