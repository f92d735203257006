// Page-locked host memory and host ranges that callers register.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/errors.hpp"

namespace aclref {

/// aclrtMallocHost. In the forms where host and device share memory the block is device memory with normal pages.
/// `same_address`: registering it later yields a device pointer equal to the host pointer.
aclError allocate_host(std::size_t bytes, bool same_address, int device, void** out, const char* api);
aclError free_host(void* pointer, const char* api);

/// Registers a range; `flags` are ACL_HOST_REG_* bits. With ACL_HOST_REG_MAPPED the range gets a device pointer.
aclError register_host(void* pointer, std::size_t size, std::uint32_t flags, int device, const char* api);
aclError unregister_host(void* pointer, const char* api);
/// Device pointer of an address in a range that was registered with ACL_HOST_REG_MAPPED.
aclError host_device_pointer(void* pointer, void** out, const char* api);

/// Notes that a registration of this address is tried; true when an earlier try of it failed. Only a fault asks.
bool registration_failed_before(void* pointer);

/// The code of an earlier failed registration of this thread, which a broken library reports once more; else 0.
aclError take_stale_registration_error();

void release_all_host_memory();

}  // namespace aclref
