// Device blocks that other processes import by a key.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/errors.hpp"

namespace aclref {

/// Bytes of a key with its closing zero.
inline constexpr std::size_t ipc_key_bytes = 65;

aclError export_block(void* start, std::size_t size, std::uint64_t flags, char* key, const char* api);
/// Puts processes on the list of a key of this process.
aclError allow_importers(const char* key, const std::int32_t* processes, std::size_t count, const char* api);
/// 0 when this process exported or imported the key.
aclError check_key(const char* key, const char* api);
aclError import_block(const char* key, bool enable_peer, void** out, const char* api);
/// The exporter's end: no more imports. An importer's end: the address is gone.
aclError close_key(const char* key, const char* api);

/// A block is freed: its keys end with it.
void forget_exports(std::uintptr_t base, std::size_t size);

std::size_t export_count();
std::size_t import_count();
/// Ends keys and imports of the device; all of them for -1.
void release_ipc_memory(int device);

}  // namespace aclref
