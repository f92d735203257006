// Data items and datasets of the tensor channels (acltdtDataItem, acltdtDataset).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "acl/acl_tdt.h"
#include "base/errors.hpp"

namespace aclref {

inline constexpr std::size_t most_item_dims = 128;

/// One tensor, or the mark of an end. The data belong to the caller, or to the item when it was received.
struct DataItem {
    acltdtTensorType type{};
    aclDataType data_type{};
    std::vector<std::int64_t> dims;
    void* data = nullptr;
    std::size_t size = 0;
    std::vector<std::byte> received;  ///< what `data` points at when the item came out of a channel
};

struct Dataset {
    struct Entry {
        acltdtDataItem* handle;
        std::shared_ptr<DataItem> item;
    };
    std::mutex mutex;
    std::vector<Entry> entries;
    std::string name;         ///< of the channel it was received from
    bool received = false;
    ~Dataset();               ///< received items go with their dataset
};

acltdtDataItem* add_item(std::shared_ptr<DataItem> item);
std::shared_ptr<DataItem> find_item(const acltdtDataItem* handle);
bool remove_item(const acltdtDataItem* handle);

acltdtDataset* add_dataset();
std::shared_ptr<Dataset> find_dataset(const acltdtDataset* handle);
bool remove_dataset(const acltdtDataset* handle);

/// The items as a message for a channel, data included. 0, or the code of data that cannot be read.
aclError pack_items(const Dataset& dataset, std::vector<std::byte>& message);
/// The items of a message, into an empty dataset.
bool unpack_items(const std::vector<std::byte>& message, Dataset& dataset);

void forget_tensors();

}  // namespace aclref
