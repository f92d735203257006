#include "models/wire.hpp"

namespace aclref::models {

namespace {

constexpr unsigned number_type = 0;
constexpr unsigned bytes_type = 2;
constexpr unsigned last_shift = 63;

}  // namespace

std::optional<std::uint64_t> WireReader::varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift <= last_shift && !rest_.empty(); shift += 7) {
        const auto byte = std::to_integer<std::uint64_t>(rest_.front());
        rest_ = rest_.subspan(1);
        if (shift == last_shift && byte > 1) break;
        value |= (byte & 0x7F) << shift;
        if ((byte & 0x80) == 0) return value;
    }
    bad_ = true;
    return std::nullopt;
}

std::optional<WireField> WireReader::next() {
    if (rest_.empty() || bad_) return std::nullopt;
    const auto key = varint();
    if (!key) return std::nullopt;
    const std::uint64_t number = *key >> 3;
    const unsigned type = *key & 7;
    if (number == 0 || number > UINT32_MAX || (type != number_type && type != bytes_type)) {
        bad_ = true;
        return std::nullopt;
    }
    const auto value = varint();
    if (!value) return std::nullopt;
    WireField field{static_cast<std::uint32_t>(number), type == bytes_type, *value, {}};
    if (!field.is_bytes) return field;
    if (*value > rest_.size()) {
        bad_ = true;
        return std::nullopt;
    }
    field.bytes = rest_.first(*value);
    rest_ = rest_.subspan(*value);
    return field;
}

std::optional<std::vector<std::uint64_t>> packed_numbers(Bytes bytes, std::size_t most) {
    std::vector<std::uint64_t> numbers;
    std::uint64_t value = 0;
    unsigned shift = 0;
    for (std::byte each : bytes) {
        const auto byte = std::to_integer<std::uint64_t>(each);
        if (shift > last_shift || (shift == last_shift && byte > 1)) return std::nullopt;
        value |= (byte & 0x7F) << shift;
        shift += 7;
        if ((byte & 0x80) != 0) continue;
        if (numbers.size() == most) return std::nullopt;
        numbers.push_back(value);
        value = 0;
        shift = 0;
    }
    if (shift != 0) return std::nullopt;
    return numbers;
}

std::string as_text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace aclref::models
