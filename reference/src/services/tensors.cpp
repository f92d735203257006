#include "services/tensors.hpp"

#include <cstring>

#include "base/faults/services.hpp"
#include "base/handle_table.hpp"
#include "base/live_objects.hpp"
#include "memory/address_space.hpp"

namespace aclref {

namespace {

HandleTable<DataItem>& items() {
    static auto* table = new HandleTable<DataItem>;
    return *table;
}

HandleTable<Dataset>& datasets() {
    static auto* table = new HandleTable<Dataset>;
    return *table;
}

const LiveCounter live[] = {
    {"tdt_items", [] { return static_cast<std::uint64_t>(items().size()); }},
    {"tdt_datasets", [] { return static_cast<std::uint64_t>(datasets().size()); }},
};

/// How an item stands in a message; its dims and its data follow.
struct Header {
    std::int32_t type;
    std::int32_t data_type;
    std::uint64_t dims;
    std::uint64_t size;
};

void append(std::vector<std::byte>& message, const void* from, std::size_t bytes) {
    const std::size_t at = message.size();
    message.resize(at + bytes);
    if (bytes > 0) std::memcpy(message.data() + at, from, bytes);
}

/// Takes the next bytes of a message; false where it ends before.
bool take(const std::vector<std::byte>& message, std::size_t& at, void* to, std::size_t bytes) {
    if (bytes > message.size() - at) return false;
    if (bytes > 0) std::memcpy(to, message.data() + at, bytes);
    at += bytes;
    return true;
}

aclError append_data(std::vector<std::byte>& message, const DataItem& item) {
    if (item.size == 0) return 0;
    AddressSpace& space = AddressSpace::instance();
    if (aclError code = space.check_range(item.data, item.size, false, -1)) return code;
    const std::size_t at = message.size();
    message.resize(at + item.size);
    return space.copy(message.data() + at, item.data, item.size, true);
}

}  // namespace

Dataset::~Dataset() {
    if (!received) return;
    for (const Entry& entry : entries) (void)items().remove(entry.handle);
}

acltdtDataItem* add_item(std::shared_ptr<DataItem> item) {
    return static_cast<acltdtDataItem*>(items().add(std::move(item)));
}

std::shared_ptr<DataItem> find_item(const acltdtDataItem* handle) { return items().find(handle); }

bool remove_item(const acltdtDataItem* handle) { return items().remove(handle) != nullptr; }

acltdtDataset* add_dataset() { return static_cast<acltdtDataset*>(datasets().add(std::make_shared<Dataset>())); }

std::shared_ptr<Dataset> find_dataset(const acltdtDataset* handle) { return datasets().find(handle); }

bool remove_dataset(const acltdtDataset* handle) { return datasets().remove(handle) != nullptr; }

aclError pack_items(const Dataset& dataset, std::vector<std::byte>& message) {
    for (const Dataset::Entry& entry : dataset.entries) {
        const DataItem& item = *entry.item;
        const Header header{static_cast<std::int32_t>(item.type), static_cast<std::int32_t>(item.data_type),
                            item.dims.size(), item.size};
        append(message, &header, sizeof(header));
        append(message, item.dims.data(), item.dims.size() * sizeof(std::int64_t));
        if (aclError code = append_data(message, item)) return code;
    }
    return 0;
}

bool unpack_items(const std::vector<std::byte>& message, Dataset& dataset) {
    std::size_t at = 0;
    while (at < message.size()) {
        Header header{};
        auto item = std::make_shared<DataItem>();
        if (!take(message, at, &header, sizeof(header)) || header.dims > most_item_dims || header.size > message.size())
            return false;
        item->type = static_cast<acltdtTensorType>(header.type);
        item->data_type = static_cast<aclDataType>(header.data_type);
        item->dims.resize(header.dims);
        item->received.resize(header.size);
        if (!take(message, at, item->dims.data(), header.dims * sizeof(std::int64_t)) ||
            !take(message, at, item->received.data(), header.size))
            return false;
        if (faulty(Fault::channel_loses_last_byte) && !item->received.empty()) item->received.back() = std::byte{0};
        item->data = item->received.data();
        item->size = header.size;
        dataset.entries.push_back({add_item(item), item});
    }
    return true;
}

void forget_tensors() {
    datasets().clear();
    items().clear();
}

}  // namespace aclref
