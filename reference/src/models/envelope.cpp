#include "models/envelope.hpp"

#include "base/faults/models.hpp"

#include <algorithm>
#include <cstring>

namespace aclref::models {

namespace {

constexpr std::uint32_t magic_number = 0x444F4D49;
constexpr std::size_t smallest_bytes = 4;
constexpr std::size_t wide_head_bytes = 8;
constexpr std::size_t narrow_head_bytes = 4;
constexpr std::size_t wide_entry_bytes = 24;
constexpr std::size_t narrow_entry_bytes = 12;
constexpr std::uint32_t most_partitions = 8;
constexpr std::uint32_t most_members = 4096;

template <class Number>
Number read_at(Bytes bytes, std::size_t offset) {
    Number value;
    std::memcpy(&value, bytes.data() + offset, sizeof(value));
    return value;
}

struct Entry {
    std::uint32_t type;
    std::uint64_t size;
};

/// Reads a table of `count` entries that starts where `bytes` start; false when it does not fit.
bool read_entries(Bytes bytes, bool wide, std::uint32_t count, std::vector<Entry>& entries, std::size_t& table) {
    const std::size_t head = wide ? wide_head_bytes : narrow_head_bytes;
    const std::size_t each = wide ? wide_entry_bytes : narrow_entry_bytes;
    table = head + each * count;
    if (table > bytes.size()) return false;
    for (std::uint32_t index = 0; index < count; ++index) {
        const std::size_t at = head + each * index;
        const std::uint64_t size = wide ? read_at<std::uint64_t>(bytes, at + 16) : read_at<std::uint32_t>(bytes, at + 8);
        entries.push_back({read_at<std::uint32_t>(bytes, at), size});
    }
    return true;
}

/// Takes the first table and its partitions off `rest`. 0 or a recorded code.
aclError take_table(Bytes& rest, bool wide, std::map<std::uint32_t, Bytes>& out) {
    if (rest.size() <= wide_head_bytes)
        return refuse(ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID, "%zu bytes hold no partition table", rest.size());
    const auto count = read_at<std::uint32_t>(rest, 0);
    if (count == 0 || count > most_partitions)
        return refuse(ACL_ERROR_GE_PARAM_INVALID, "a model has no %u partitions", count);
    std::vector<Entry> entries;
    std::size_t table = 0;
    if (!read_entries(rest, wide, count, entries, table))
        return refuse(ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID, "the partition table is cut off");
    rest = rest.subspan(table);
    for (const Entry& entry : entries) {
        if (entry.size > rest.size())
            return refuse(ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID, "partition %u is larger than what is left", entry.type);
        if (!out.emplace(entry.type, rest.first(entry.size)).second)
            return refuse(ACL_ERROR_GE_PARAM_INVALID, "there are two partitions of type %u", entry.type);
        rest = rest.subspan(entry.size);
    }
    return 0;
}

}  // namespace

Bytes Envelope::part(Partition type) const {
    auto it = partitions.find(static_cast<std::uint32_t>(type));
    return it == partitions.end() ? Bytes{} : it->second;
}

bool is_zip(Bytes bytes) {
    constexpr unsigned char start[] = {0x50, 0x4B, 0x03, 0x04};
    return bytes.size() >= sizeof(start) && std::memcmp(bytes.data(), start, sizeof(start)) == 0;
}

aclError check_size(Bytes bytes, Origin origin) {
    if (bytes.size() < smallest_bytes)
        return refuse(ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID, "%zu bytes are no model", bytes.size());
    if (bytes.size() >= header_bytes || is_zip(bytes)) return 0;
    return refuse(origin == Origin::file ? ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID : ACL_ERROR_INVALID_PARAM,
                  "%zu bytes hold no header", bytes.size());
}

Header read_header(Bytes bytes) {
    Header header;
    header.magic = read_at<std::uint32_t>(bytes, 0);
    header.version = read_at<std::uint32_t>(bytes, 8);
    const auto narrow = read_at<std::uint32_t>(bytes, 76);
    const auto wide = read_at<std::uint64_t>(bytes, 184);
    header.wide = wide != 0;
    header.payload = header.wide ? wide : narrow;
    header.kind = read_at<std::uint8_t>(bytes, 82);
    header.models = read_at<std::uint32_t>(bytes, 156);
    header.checks_host = read_at<std::uint8_t>(bytes, 192) == 1;
    header.unknown_shapes = read_at<std::uint8_t>(bytes, 193) == 1;
    return header;
}

aclError open_envelope(Bytes bytes, Envelope& out) {
    out.header = read_header(bytes);
    const Header& header = out.header;
    if (header.is_bundle() && !faulty(Fault::load_bundle_as_model)) return refuse(ACL_ERROR_GE_FAILURE, "the model is a bundle");
    const bool longer = faulty(Fault::load_trailing_bytes_accepted) && header.payload < bytes.size() - header_bytes;
    const bool fits = longer || header.payload == bytes.size() - header_bytes;
    if (!fits || (header.magic != magic_number && !faulty(Fault::load_magic_unchecked)))
        return refuse(ACL_ERROR_GE_PARAM_INVALID, "the header does not belong to a model of %zu bytes", bytes.size());
    Bytes rest = bytes.subspan(header_bytes);
    if (aclError code = take_table(rest, header.wide, out.partitions)) return code;
    if (!header.takes_dynamic_route()) return 0;
    // The first table is the model's own; those of its sub-graphs only have to be well formed.
    for (std::uint32_t index = 1; index < header.models; ++index) {
        std::map<std::uint32_t, Bytes> ignored;
        if (aclError code = take_table(rest, header.wide, ignored)) return code;
    }
    if (!rest.empty()) return refuse(ACL_ERROR_GE_PARAM_INVALID, "%zu bytes belong to no model", rest.size());
    return 0;
}

aclError open_bundle(Bytes bytes, std::uint64_t& variable_bytes, std::vector<Bytes>& members) {
    if (bytes.size() < header_bytes + wide_head_bytes)
        return refuse(ACL_ERROR_INVALID_PARAM, "%zu bytes hold no bundle", bytes.size());
    const Header header = read_header(bytes);
    if (!header.is_bundle() || header.magic != magic_number) return refuse(ACL_ERROR_INVALID_PARAM, "the model is no bundle");
    Bytes rest = bytes.subspan(header_bytes);
    const auto count = read_at<std::uint32_t>(rest, 0);
    std::vector<Entry> entries;
    std::size_t table = 0;
    if (count < 2 || count > most_members || !read_entries(rest, true, count, entries, table))
        return refuse(ACL_ERROR_INVALID_PARAM, "the bundle's table of %u partitions is not whole", count);
    rest = rest.subspan(table);
    for (std::uint32_t index = 0; index < count; ++index) {
        const Entry& entry = entries[index];
        const Partition wanted = index == 0 ? Partition::bundle_variables : Partition::bundle_member;
        if (entry.size > rest.size() && faulty(Fault::bundle_cut_accepted)) return 0;
        if (entry.size > rest.size() || entry.type != static_cast<std::uint32_t>(wanted))
            return refuse(ACL_ERROR_INVALID_PARAM, "partition %u of the bundle is not whole", index);
        if (index > 0) members.push_back(rest.first(entry.size));
        else if (entry.size != sizeof(variable_bytes))
            return refuse(ACL_ERROR_INVALID_PARAM, "the bundle does not say how large its variables are");
        else variable_bytes = read_at<std::uint64_t>(rest, 0);
        rest = rest.subspan(entry.size);
    }
    return 0;
}

}  // namespace aclref::models
