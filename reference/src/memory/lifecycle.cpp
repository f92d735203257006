// What a reset gives back, and what is alive.
#include "base/live_objects.hpp"
#include "memory/device_memory.hpp"
#include "memory/device_variables.hpp"
#include "memory/host_memory.hpp"
#include "memory/ipc_memory.hpp"
#include "memory/managed.hpp"
#include "memory/memory_pool.hpp"
#include "memory/physical_memory.hpp"
#include "memory/regions.hpp"
#include "memory/virtual_memory.hpp"

namespace aclref {

namespace {

AddressSpace::Impl& space() { return AddressSpace::instance().impl(); }

/// Ordinary allocations live in the device's arena; so do host blocks of the forms that share memory.
bool in_arena_of(const Region& region, int device) {
    return region.room != 0 && region.pages.device == device;
}

const LiveCounter device_allocations("device_allocations", [] {
    const MemoryCounts counts = memory_live_counts();
    return std::uint64_t{counts.device_allocations};
});
const LiveCounter device_bytes("device_bytes", [] { return std::uint64_t{memory_live_counts().device_bytes}; });
const LiveCounter host_allocations("host_allocations", [] {
    return std::uint64_t{memory_live_counts().host_allocations};
});
const LiveCounter registrations("registrations", [] { return std::uint64_t{memory_live_counts().registrations}; });
const LiveCounter reservations("reservations", [] { return std::uint64_t{memory_live_counts().reservations}; });
const LiveCounter physical("physical", [] { return std::uint64_t{memory_live_counts().physical}; });
const LiveCounter mappings("mappings", [] { return std::uint64_t{memory_live_counts().mappings}; });
const LiveCounter managed("managed", [] { return std::uint64_t{memory_live_counts().managed}; });
const LiveCounter ipc_imports("ipc_imports", [] { return std::uint64_t{memory_live_counts().ipc_imports}; });
const LiveCounter ipc_exports("ipc_exports", [] { return std::uint64_t{memory_live_counts().ipc_exports}; });
const LiveCounter memory_pools("memory_pools", [] { return std::uint64_t{memory_live_counts().memory_pools}; });

}  // namespace

void release_device_memory(int device) {
    if (in_forked_child()) return;
    release_memory_pools(device);
    release_ipc_memory(device);
    release_reservations(device);
    release_physical(device);
    release_managed(device);
    forget_device_variables(device);
    {
        std::unique_lock lock(space().mutex);
        std::erase_if(space().regions, [&](const auto& entry) { return in_arena_of(entry.second, device); });
    }
    release_device_arena(device);
}

void release_host_memory() {
    if (in_forked_child()) return;
    release_memory_pools(-1);
    release_ipc_memory(-1);
    release_reservations(-1);
    release_physical(-1);
    release_managed(-1);
    forget_device_variables(-1);
    release_all_host_memory();
}

MemoryCounts memory_live_counts() {
    MemoryCounts counts;
    {
        std::shared_lock lock(space().mutex);
        counts.registrations = space().registrations.size();
        for (const auto& [base, region] : space().regions) {
            switch (region.source) {
                case Source::malloc:
                    ++counts.device_allocations;
                    counts.device_bytes += region.located.size;
                    break;
                case Source::malloc_host: ++counts.host_allocations; break;
                case Source::mapping: ++counts.mappings; break;
                case Source::managed: ++counts.managed; break;
                case Source::pool:
                case Source::import:
                case Source::alias: break;
            }
        }
    }
    counts.reservations = reservation_count();
    counts.physical = physical_count();
    counts.ipc_imports = import_count();
    counts.ipc_exports = export_count();
    counts.memory_pools = memory_pool_count();
    return counts;
}

}  // namespace aclref
