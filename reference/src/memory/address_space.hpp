// Every address a caller may hand us, and where its bytes really are.
//
// Device memory lives in memfds. The caller sees reserved addresses (PROT_NONE in EP form, readable where host and
// device share memory); the library reads and writes the same pages through a private view. All moves of bytes go
// through AddressSpace, so ranges that straddle two mappings, aliases and partly unmapped ranges are right everywhere.
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
    reserved,    ///< reserved but not mapped: no bytes behind it
    managed,     ///< aclrtMemAllocManaged
    host_mapped, ///< device-side pointer of registered host memory (aclrtHostGetDevicePointer)
};

struct Located {
    MemoryKind kind = MemoryKind::foreign;
    int device = -1;             ///< owning device, -1 for host memory
    std::uintptr_t base = 0;     ///< start of the allocation, registration or mapping
    std::size_t size = 0;        ///< its size in bytes, as the caller asked
    bool on_host() const;        ///< counts as host memory for copy directions (foreign, pinned, registered, host physical)
    bool is_pinned() const;      ///< asynchronous copies need not block (pinned, registered, managed, …)
};

class AddressSpace {
public:
    static AddressSpace& instance();

    /// What the address is. Never fails: an unknown address is foreign host memory.
    Located locate(const void* address) const;

    /// Access check of a whole range on behalf of a copy: every byte has memory behind it and may be read / written by
    /// `device` (peer access, no-access mappings). Host foreign memory is checked for being mapped in this process, so
    /// that a wild host pointer becomes a code and not a crash. 0 or a recorded code.
    aclError check_range(const void* address, std::size_t bytes, bool write, int device) const;

    /// Moves bytes; both ranges checked already. Overlap behaves like memmove. Splits at mapping borders. 0 or a code.
    aclError copy(void* to, const void* from, std::size_t bytes);
    /// Sets bytes. 0 or a code.
    aclError fill(void* to, std::uint8_t value, std::size_t bytes);

    /// Pieces of private, directly usable memory behind a range, in order; empty when some of it has no memory.
    std::vector<std::span<std::byte>> view(const void* address, std::size_t bytes);

    struct Impl;
    Impl& impl() { return *impl_; }

private:
    AddressSpace();
    std::unique_ptr<Impl> impl_;
};

/// Free and total bytes of a device as aclrtGetMemInfo tells them for `attr`; a code for an attribute it does not have.
aclError memory_info(int device, aclrtMemAttr attr, std::size_t& free, std::size_t& total);

/// Releases everything a device owns (aclrtResetDevice, aclrefReset).
void release_device_memory(int device);
void release_host_memory();

}  // namespace aclref
