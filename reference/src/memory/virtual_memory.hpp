// Reserved ranges of addresses and the physical memory mapped into them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/errors.hpp"

namespace aclref {

/// aclrtReserveMemAddress: anywhere for a null `expected`, else exactly there.
aclError reserve_range(std::size_t size, std::uintptr_t expected, void** out, const char* api);
/// aclrtReserveMemAddressNoUCMemory: exactly at the address, in steps of 1 GiB.
aclError reserve_range_at(std::size_t size, std::uintptr_t address, void** out, const char* api);
aclError release_range(void* start, const char* api);

/// Maps all of the handle's memory. `accessible`: the owner may use it at once, and peers that may reach the owner.
aclError map_physical(void* start, std::size_t size, aclrtDrvMemHandle handle, bool accessible, const char* api);
/// Maps a whole reservation onto the memory that another one shows.
aclError map_like(void* to, std::size_t size, void* from, const char* api);
aclError unmap_range(void* start, const char* api);

aclError set_access(void* start, std::size_t size, const aclrtMemAccessDesc* grants, std::size_t count, const char* api);
aclError get_access(void* start, const aclrtMemLocation& location, std::uint64_t& flags, const char* api);
/// A handle of the memory behind the mapping that starts here.
aclError retain_mapping(void* start, aclrtDrvMemHandle& out, const char* api);

std::size_t reservation_count();
/// Drops mappings of the device's memory and every reservation that has none left; all of them for -1.
void release_reservations(int device);

}  // namespace aclref
