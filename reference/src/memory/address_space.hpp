// Every address a caller may hand us, and where its bytes really are.
//
// Device memory lives in memfds. The caller sees reserved addresses (PROT_NONE in EP form, readable where host and
// device share memory); the library reads and writes the same pages through a private view. All moves of bytes go
// through AddressSpace, so ranges that straddle two mappings, aliases and partly unmapped ranges are right everywhere.
//
// Wild host pointers: check_range asks the kernel to populate foreign pages (madvise, no byte changes), which fails with
// a code where nothing is mapped; copy and fill move foreign bytes with process_vm_readv/writev, so that pages which
// vanish between the check and an asynchronous copy give a code as well, never a signal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/errors.hpp"
#include "runtime/runtime.hpp"

namespace aclref {

enum class MemoryKind {
    foreign,     ///< not known to the library: malloc, stack, mmap (pageable host memory)
    device,      ///< aclrtMalloc family
    pinned,      ///< aclrtMallocHost family
    registered,  ///< aclrtHostRegister range
    mapped,      ///< a physical handle mapped into a reserved range (device or host physical memory)
    reserved,    ///< no bytes behind it: reserved and not mapped, or device memory that was freed
    managed,     ///< aclrtMemAllocManaged
    host_mapped, ///< device-side pointer of registered host memory (aclrtHostGetDevicePointer)
};

struct Located {
    MemoryKind kind = MemoryKind::foreign;
    int device = -1;             ///< owning device, -1 for host memory
    std::uintptr_t base = 0;     ///< start of the allocation, registration or mapping
    std::size_t size = 0;        ///< its size in bytes, as the caller asked
    int numa_node = -1;          ///< host physical memory of one NUMA node
    bool on_host() const;        ///< counts as host memory for copy directions (foreign, pinned, registered, host physical)
    bool is_pinned() const;      ///< asynchronous copies need not block (pinned, registered, managed, …)
};

/// Directly usable memory behind a range. Keep it while the spans are in use: it keeps their pages.
struct View : std::vector<std::span<std::byte>> {
    std::vector<std::shared_ptr<const void>> held;
};

class AddressSpace {
public:
    static AddressSpace& instance();

    /// What the address is. Never fails: an unknown address is foreign host memory.
    Located locate(const void* address) const;

    /// Access check of a whole range on behalf of a copy: every byte has memory behind it and may be read / written by
    /// `device` (peer access, no-access mappings; -1: no device is involved). Host foreign memory is checked for being
    /// mapped in this process, so that a wild host pointer becomes a code and not a crash. `from_host`: the bytes to be
    /// written come from the host, the only source that may change user-space read-only memory. 0 or a recorded code.
    aclError check_range(const void* address, std::size_t bytes, bool write, int device, bool from_host = false) const;

    /// Moves bytes; both ranges checked already. Overlap behaves like memmove. Splits at mapping borders. 0 or a code.
    /// `steady`: foreign ranges were checked in this very call, while their owner waits for it, so they are moved
    /// directly; otherwise pages of theirs may have vanished since, which has to become a code.
    aclError copy(void* to, const void* from, std::size_t bytes, bool steady = false);
    /// Sets bytes. 0 or a code.
    aclError fill(void* to, std::uint8_t value, std::size_t bytes);

    /// Pieces of directly usable memory behind a range, in order; empty when some of it has no memory.
    View view(const void* address, std::size_t bytes);

    struct Impl;
    Impl& impl() { return *impl_; }

private:
    AddressSpace();
    std::unique_ptr<Impl> impl_;
};

/// Free and total bytes of a device as aclrtGetMemInfo tells them for `attr`; a code for an attribute it does not have.
aclError memory_info(int device, aclrtMemAttr attr, std::size_t& free, std::size_t& total);

/// Releases everything a device owns (aclrtResetDevice, aclrefReset). Nothing happens in a child made by fork.
void release_device_memory(int device);
/// Releases host memory, registrations, reservations, handles and shared keys as well (aclrefReset, aclrefConfigure).
void release_host_memory();

/// Live objects of the memory part, for aclrefLiveObjects.
struct MemoryCounts {
    std::size_t device_allocations = 0;
    std::size_t device_bytes = 0;
    std::size_t host_allocations = 0;
    std::size_t registrations = 0;
    std::size_t reservations = 0;
    std::size_t physical = 0;
    std::size_t mappings = 0;
    std::size_t managed = 0;
    std::size_t ipc_imports = 0;
    std::size_t ipc_exports = 0;
    std::size_t memory_pools = 0;
};
MemoryCounts memory_live_counts();

}  // namespace aclref
