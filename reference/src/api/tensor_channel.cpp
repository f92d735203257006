// Chapter 17-01: tensor channels; chapter 25-03: the items and datasets that go through them.
#include "services/channel.hpp"
#include "services/require.hpp"
#include "services/tensors.hpp"

#include <algorithm>

#include "memory/address_space.hpp"

using namespace aclref;

namespace {

constexpr auto undefined_tensor = static_cast<acltdtTensorType>(ACL_TENSOR_DATA_UNDEFINED);
constexpr auto undefined_data = static_cast<aclDataType>(-1);

/// The object behind an argument, or a recorded refusal in `code`.
template <class Object>
std::shared_ptr<Object> live(std::shared_ptr<Object> found, const char* what, aclError& code) {
    code = found ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "%s does not exist", what);
    return found;
}

bool carries_tensor(acltdtTensorType type) {
    return type == ACL_TENSOR_DATA_TENSOR || type == ACL_TENSOR_DATA_SLICE_TENSOR || type == ACL_TENSOR_DATA_END_TENSOR;
}

/// Why an item cannot be made; null where it can.
const char* wrong_item(acltdtTensorType type, const int64_t* dims, size_t count) {
    if (faulty(Fault::tdt_item_unchecked)) return nullptr;
    if ((dims == nullptr) != (count == 0)) return "dims and dimNum do not fit each other";
    if (count > most_item_dims) return "there are more than 128 dims";
    if (!carries_tensor(type) && dims) return "an item that is no tensor has no dims";
    return nullptr;
}

bool on_host(const DataItem& item) { return AddressSpace::instance().locate(item.data).on_host(); }

bool mixes(const Dataset& dataset, const DataItem& item) {
    if (faulty(Fault::dataset_accepts_anything) || item.size == 0) return false;
    return std::any_of(dataset.entries.begin(), dataset.entries.end(), [&](const Dataset::Entry& entry) {
        return entry.item->size > 0 && on_host(*entry.item) != on_host(item);
    });
}

std::chrono::milliseconds wait_of(int32_t timeout) {
    return std::chrono::milliseconds(faulty(Fault::channel_timeout_ignored) && timeout > 0 ? 0 : timeout);
}

aclError code_of(MessageFile::Outcome outcome) {
    switch (outcome) {
        case MessageFile::Outcome::done: return 0;
        case MessageFile::Outcome::full: return refuse(ACL_ERROR_RT_QUEUE_FULL, "the channel is full");
        case MessageFile::Outcome::empty: return refuse(ACL_ERROR_RT_QUEUE_EMPTY, "the channel is empty");
        case MessageFile::Outcome::stopped: return refuse(ACL_ERROR_FAILURE, "the channel is stopped");
        case MessageFile::Outcome::failed: break;
    }
    return refuse(ACL_ERROR_RT_MEMORY_ALLOCATION, "the host has no shared memory for the message");
}

}  // namespace

// Items

acltdtDataItem* acltdtCreateDataItem(acltdtTensorType tdtType, const int64_t* dims, size_t dimNum, aclDataType dataType,
                                     void* data, size_t size) {
    if (enter(Function::acltdtCreateDataItem) != 0) return nullptr;
    if (const char* why = wrong_item(tdtType, dims, dimNum)) {
        (void)refuse(ACL_ERROR_INVALID_PARAM, "%s", why);
        return nullptr;
    }
    auto item = std::make_shared<DataItem>();
    item->type = tdtType;
    item->data_type = dataType;
    if (dims) item->dims.assign(dims, dims + dimNum);
    if (faulty(Fault::tdt_item_turns_dims)) std::reverse(item->dims.begin(), item->dims.end());
    item->data = data;
    item->size = size;
    if (faulty(Fault::tdt_item_copies_data) && data && on_host(*item)) {
        const auto* from = static_cast<const std::byte*>(data);
        item->received.assign(from, from + size);
        item->data = item->received.data();
    }
    return add_item(std::move(item));
}

aclError acltdtDestroyDataItem(acltdtDataItem* dataItem) {
    ACLREF_ENTER(acltdtDestroyDataItem);
    ACLREF_NEEDS(dataItem);
    return remove_item(dataItem) ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "dataItem does not exist");
}

acltdtTensorType acltdtGetTensorTypeFromItem(const acltdtDataItem* dataItem) {
    if (enter(Function::acltdtGetTensorTypeFromItem) != 0) return undefined_tensor;
    auto item = find_item(dataItem);
    if (!item && faulty(Fault::tdt_null_getters_made_up)) return ACL_TENSOR_DATA_TENSOR;
    return item ? item->type : undefined_tensor;
}

aclDataType acltdtGetDataTypeFromItem(const acltdtDataItem* dataItem) {
    if (enter(Function::acltdtGetDataTypeFromItem) != 0) return undefined_data;
    auto item = find_item(dataItem);
    if (!item && faulty(Fault::tdt_null_getters_made_up)) return ACL_FLOAT;
    return item ? item->data_type : undefined_data;
}

void* acltdtGetDataAddrFromItem(const acltdtDataItem* dataItem) {
    if (enter(Function::acltdtGetDataAddrFromItem) != 0) return nullptr;
    auto item = find_item(dataItem);
    if (!item && faulty(Fault::tdt_null_getters_made_up)) return new_handle_value();
    return item ? item->data : nullptr;
}

size_t acltdtGetDataSizeFromItem(const acltdtDataItem* dataItem) {
    if (enter(Function::acltdtGetDataSizeFromItem) != 0) return 0;
    auto item = find_item(dataItem);
    if (!item && faulty(Fault::tdt_null_getters_made_up)) return 1;
    return item ? item->size : 0;
}

size_t acltdtGetDimNumFromItem(const acltdtDataItem* dataItem) {
    if (enter(Function::acltdtGetDimNumFromItem) != 0) return 0;
    auto item = find_item(dataItem);
    if (!item && faulty(Fault::tdt_null_getters_made_up)) return 1;
    return item ? item->dims.size() : 0;
}

aclError acltdtGetDimsFromItem(const acltdtDataItem* dataItem, int64_t* dims, size_t dimNum) {
    ACLREF_ENTER(acltdtGetDimsFromItem);
    ACLREF_NEEDS(dataItem);
    aclError code = 0;
    auto item = live(find_item(dataItem), "dataItem", code);
    if (!item) return code;
    const bool lax = faulty(Fault::tdt_dims_unchecked);
    if ((dims == nullptr) != (dimNum == 0))
        return lax ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "dims and dimNum do not fit each other");
    if (dimNum < item->dims.size() && !lax)
        return refuse(ACL_ERROR_INVALID_PARAM, "dimNum %zu is below the %zu dims", dimNum, item->dims.size());
    if (dims) std::copy_n(item->dims.begin(), std::min(dimNum, item->dims.size()), dims);
    return 0;
}

aclError acltdtGetSliceInfoFromItem(const acltdtDataItem* dataItem, size_t* sliceNum, size_t* sliceId) {
    ACLREF_ENTER(acltdtGetSliceInfoFromItem);
    ACLREF_NEEDS(dataItem);
    ACLREF_NEEDS(sliceNum);
    ACLREF_NEEDS(sliceId);
    aclError code = 0;
    if (!live(find_item(dataItem), "dataItem", code)) return code;
    // Only a device cuts a tensor into slices.
    *sliceNum = 0;
    *sliceId = 0;
    return 0;
}

// Datasets

acltdtDataset* acltdtCreateDataset() {
    if (enter(Function::acltdtCreateDataset) != 0) return nullptr;
    return add_dataset();
}

aclError acltdtDestroyDataset(acltdtDataset* dataset) {
    ACLREF_ENTER(acltdtDestroyDataset);
    ACLREF_NEEDS(dataset);
    return remove_dataset(dataset) ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "dataset does not exist");
}

aclError acltdtAddDataItem(acltdtDataset* dataset, acltdtDataItem* dataItem) {
    ACLREF_ENTER(acltdtAddDataItem);
    ACLREF_NEEDS(dataset);
    ACLREF_NEEDS(dataItem);
    aclError code = 0;
    auto into = live(find_dataset(dataset), "dataset", code);
    auto item = into ? live(find_item(dataItem), "dataItem", code) : nullptr;
    if (!item) return code;
    std::lock_guard lock(into->mutex);
    if (into->received && !faulty(Fault::dataset_accepts_anything))
        return refuse(ACL_ERROR_FEATURE_UNSUPPORTED, "the dataset was received, nothing can be added");
    if (mixes(*into, *item)) return refuse(ACL_ERROR_INVALID_PARAM, "host and device data cannot be mixed");
    auto& entries = into->entries;
    entries.insert(faulty(Fault::dataset_turns_order) ? entries.begin() : entries.end(), {dataItem, item});
    return 0;
}

acltdtDataItem* acltdtGetDataItem(const acltdtDataset* dataset, size_t index) {
    if (enter(Function::acltdtGetDataItem) != 0) return nullptr;
    auto found = find_dataset(dataset);
    if (!found) return faulty(Fault::tdt_null_getters_made_up) ? static_cast<acltdtDataItem*>(new_handle_value()) : nullptr;
    std::lock_guard lock(found->mutex);
    const auto& entries = found->entries;
    if (index >= entries.size())
        return faulty(Fault::dataset_index_wraps) && !entries.empty() ? entries[index % entries.size()].handle : nullptr;
    return entries[index].handle;
}

size_t acltdtGetDatasetSize(const acltdtDataset* dataset) {
    if (enter(Function::acltdtGetDatasetSize) != 0) return 0;
    auto found = find_dataset(dataset);
    if (!found) return faulty(Fault::tdt_null_getters_made_up) ? 1 : 0;
    std::lock_guard lock(found->mutex);
    return found->entries.size() + (faulty(Fault::dataset_starts_with_one) ? 1 : 0);
}

const char* acltdtGetDatasetName(const acltdtDataset* dataset) {
    if (enter(Function::acltdtGetDatasetName) != 0) return nullptr;
    auto found = find_dataset(dataset);
    if (!found) return faulty(Fault::tdt_null_getters_made_up) ? "" : nullptr;
    // The table keeps the dataset until it is destroyed, and its name is set once, before anybody sees it.
    return found->name.c_str();
}

// Channels

acltdtChannelHandle* acltdtCreateChannel(uint32_t deviceId, const char* name) {
    if (enter(Function::acltdtCreateChannel) != 0 && !faulty(Fault::channel_on_every_product)) return nullptr;
    return create_channel(deviceId, name, 0, false);
}

acltdtChannelHandle* acltdtCreateChannelWithCapacity(uint32_t deviceId, const char* name, size_t capacity) {
    if (enter(Function::acltdtCreateChannelWithCapacity) != 0 && !faulty(Fault::channel_on_every_product)) return nullptr;
    return create_channel(deviceId, name, capacity, true);
}

aclError acltdtSendTensor(const acltdtChannelHandle* handle, const acltdtDataset* dataset, int32_t timeout) {
    ACLREF_ENTER(acltdtSendTensor);
    ACLREF_NEEDS(handle);
    ACLREF_NEEDS(dataset);
    aclError code = 0;
    auto channel = live(find_channel(handle), "handle", code);
    auto sent = channel ? live(find_dataset(dataset), "dataset", code) : nullptr;
    if (!sent) return code;
    std::vector<std::byte> message;
    {
        std::lock_guard lock(sent->mutex);
        if ((code = pack_items(*sent, message))) return code;
    }
    return code_of(channel->messages().push(message, wait_of(timeout), channel->stopped()));
}

aclError acltdtReceiveTensor(const acltdtChannelHandle* handle, acltdtDataset* dataset, int32_t timeout) {
    ACLREF_ENTER(acltdtReceiveTensor);
    ACLREF_NEEDS(handle);
    ACLREF_NEEDS(dataset);
    aclError code = 0;
    auto channel = live(find_channel(handle), "handle", code);
    auto into = channel ? live(find_dataset(dataset), "dataset", code) : nullptr;
    if (!into) return code;
    std::lock_guard lock(into->mutex);
    if (!into->entries.empty() && !faulty(Fault::dataset_accepts_anything))
        return refuse(ACL_ERROR_INVALID_PARAM, "the dataset holds items already");
    std::vector<std::byte> message;
    code = code_of(channel->messages().pop(message, wait_of(timeout), channel->stopped()));
    if (code == ACL_ERROR_RT_QUEUE_EMPTY && faulty(Fault::channel_empty_succeeds)) return 0;
    if (code) return code;
    if (!unpack_items(message, *into)) return refuse(ACL_ERROR_FAILURE, "the message is damaged");
    into->received = true;
    into->name = channel->name();
    return 0;
}

aclError acltdtStopChannel(acltdtChannelHandle* handle) {
    ACLREF_ENTER(acltdtStopChannel);
    ACLREF_NEEDS(handle);
    aclError code = 0;
    auto channel = live(find_channel(handle), "handle", code);
    if (!channel) return code;
    if (faulty(Fault::channel_stop_refused)) return refuse(ACL_ERROR_FEATURE_UNSUPPORTED, "a channel cannot be stopped");
    channel->stop();
    return 0;
}

aclError acltdtDestroyChannel(acltdtChannelHandle* handle) {
    ACLREF_ENTER(acltdtDestroyChannel);
    ACLREF_NEEDS(handle);
    return destroy_channel(handle) ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "handle does not exist");
}

aclError acltdtCleanChannel(acltdtChannelHandle* handle) {
    ACLREF_ENTER(acltdtCleanChannel);
    ACLREF_NEEDS(handle);
    aclError code = 0;
    auto channel = live(find_channel(handle), "handle", code);
    if (!channel) return code;
    if (!channel->has_capacity() && !faulty(Fault::channel_plain_counted))
        return refuse(ACL_ERROR_FEATURE_UNSUPPORTED, "the channel was made without a capacity");
    if (!faulty(Fault::channel_clean_keeps_messages)) channel->messages().clear();
    return 0;
}

aclError acltdtQueryChannelSize(const acltdtChannelHandle* handle, size_t* size) {
    ACLREF_ENTER(acltdtQueryChannelSize);
    ACLREF_NEEDS(handle);
    ACLREF_NEEDS(size);
    aclError code = 0;
    auto channel = live(find_channel(handle), "handle", code);
    if (!channel) return code;
    if (!channel->has_capacity() && !faulty(Fault::channel_plain_counted))
        return refuse(ACL_ERROR_FEATURE_UNSUPPORTED, "the channel was made without a capacity");
    *size = channel->messages().size() + (faulty(Fault::channel_counts_one_more) ? 1 : 0);
    return 0;
}
