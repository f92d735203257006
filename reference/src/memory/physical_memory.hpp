// Physical memory handles: memory without addresses, of a device or of the host, and what other processes see of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/errors.hpp"
#include "memory/regions.hpp"
#include "memory/shared_memory.hpp"

namespace aclref {

/// The pages behind a handle; copies under way keep them.
struct PhysicalPages {
    std::byte* bytes = nullptr;
    std::size_t size = 0;
    int descriptor = -1;      ///< -1 when the process has no descriptors left: such memory cannot be exported
    bool unseen = false;      ///< made here, and no other process can ever have had them
    ~PhysicalPages();
};

/// Everything but the first two groups is guarded by virtual_memory_mutex().
struct PhysicalMemory {
    std::size_t size = 0;
    aclrtPhysicalMemProp properties{};
    int device = -1;          ///< -1: host memory
    int numa_node = -1;
    std::uint32_t page = small_page;
    std::shared_ptr<PhysicalPages> pages;
    std::shared_ptr<ImportedMemory> origin;  ///< set when it comes from another process

    aclrtDrvMemHandle handle = nullptr;
    std::size_t handles = 0;  ///< how many releases the handle still needs
    std::size_t maps = 0;
    std::uint64_t offer = 0;  ///< 0: not exported
    DevicePages charged;
};

std::mutex& virtual_memory_mutex();

/// Smallest step of sizes and addresses for memory with these properties.
std::size_t granularity_of(const aclrtPhysicalMemProp& properties);
aclError allocation_granularity(const aclrtPhysicalMemProp& properties, aclrtMemGranularityOptions option,
                                std::size_t& granularity, const char* api);

aclError allocate_physical(std::size_t size, const aclrtPhysicalMemProp& properties, aclrtDrvMemHandle& out,
                           const char* api);
/// For faults: the handle is no more, whoever held it. With the mutex held.
void drop_handle(PhysicalMemory& memory);

aclError free_physical(aclrtDrvMemHandle handle, const char* api);
aclError physical_properties(aclrtDrvMemHandle handle, aclrtPhysicalMemProp& out, const char* api);

aclError export_physical(aclrtDrvMemHandle handle, std::uint64_t flags, std::uint64_t& number, const char* api);
aclError import_physical(std::uint64_t number, int device, aclrtDrvMemHandle& out, const char* api);

inline constexpr std::size_t fabric_handle_bytes = 128;

/// 128 bytes around the number of an offer, and back; 0 when the bytes are no such handle.
void write_fabric_handle(std::uint64_t number, void* out);
std::uint64_t read_fabric_handle(const void* handle);

/// Gives back pages that were freed here while other processes still held them, once those are gone.
void settle_shared_memory();

// For the mapping calls; with the mutex held.
std::shared_ptr<PhysicalMemory> find_physical(aclrtDrvMemHandle handle);
/// One more release is due; a new handle when the old one has been given up.
aclrtDrvMemHandle retain_physical(const std::shared_ptr<PhysicalMemory>& memory);
/// A handle or a mapping is gone: without any of them the pages go back.
void settle_physical(PhysicalMemory& memory);

std::size_t physical_count();
/// Gives up handles to memory of the device; all of them for -1.
void release_physical(int device);

}  // namespace aclref
