// The envelope of an offline model: a header of 256 bytes, a table of partitions, the partitions one behind the other.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/errors.hpp"
#include "models/wire.hpp"

namespace aclref::models {

inline constexpr std::size_t header_bytes = 256;

enum class Partition : std::uint32_t { graph = 0, weights = 1, tasks = 2, bundle_member = 24, bundle_variables = 25 };

/// How the bytes came: the first checks answer other codes for a file than for memory.
enum class Origin { file, memory };

struct Header {
    std::uint32_t magic = 0;
    std::uint32_t version = 0;
    std::uint64_t payload = 0;      ///< bytes behind the header
    bool wide = false;              ///< the 64-bit length is in use, and with it the wide table
    std::uint8_t kind = 0;
    std::uint32_t models = 0;       ///< tables in the payload of a dynamic-shape model
    bool checks_host = false;       ///< host and operator package have to be those of the compiler
    bool unknown_shapes = false;
    bool takes_dynamic_route() const { return version >= 0x20000000 && (models > 1 || unknown_shapes); }
    bool is_bundle() const { return kind == 5; }
};

/// A model's partitions by type; a type has at most one.
struct Envelope {
    Header header;
    std::map<std::uint32_t, Bytes> partitions;
    /// The bytes of a partition; empty where there is none.
    Bytes part(Partition type) const;
    bool has(Partition type) const { return partitions.contains(static_cast<std::uint32_t>(type)); }
};

/// The start of a package in the other format, a zip archive.
bool is_zip(Bytes bytes);

/// The checks of a model's size, before anything is read from it. 0 or a recorded code.
aclError check_size(Bytes bytes, Origin origin);

/// At least header_bytes.
Header read_header(Bytes bytes);

/// Takes a plain model apart. 0 or a recorded code.
aclError open_envelope(Bytes bytes, Envelope& out);

/// Takes a bundle apart: the bytes of its variables, and its members. 0 or a recorded code.
aclError open_bundle(Bytes bytes, std::uint64_t& variable_bytes, std::vector<Bytes>& members);

}  // namespace aclref::models
