// The protobuf wire format, as far as model files use it: numbers and length-delimited fields, read with every bound
// checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace aclref::models {

using Bytes = std::span<const std::byte>;

/// One field of a message.
struct WireField {
    std::uint32_t number = 0;
    bool is_bytes = false;
    std::uint64_t value = 0;  ///< of a number
    Bytes bytes;              ///< of a length-delimited field
};

/// Reads the fields of a message in order.
class WireReader {
public:
    explicit WireReader(Bytes message) : rest_(message) {}
    /// The next field; nullopt at the end and for malformed bytes, which `bad` tells apart.
    std::optional<WireField> next();
    bool bad() const { return bad_; }

private:
    std::optional<std::uint64_t> varint();
    Bytes rest_;
    bool bad_ = false;
};

/// The numbers of a packed field; nullopt when malformed, or more than `most`.
std::optional<std::vector<std::uint64_t>> packed_numbers(Bytes bytes, std::size_t most);

/// A number that may be negative, from its zigzag form.
constexpr std::int64_t from_zigzag(std::uint64_t value) {
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

std::string as_text(Bytes bytes);

}  // namespace aclref::models
