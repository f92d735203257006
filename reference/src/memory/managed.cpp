#include "memory/managed_block.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "base/faults/memory.hpp"
#include "memory/addresses.hpp"
#include "memory/device_memory.hpp"
#include "memory/range_allocator.hpp"

namespace aclref {

namespace {

// The documented window. The sanitizers keep their shadow there, so their builds use another one.
#if defined(__SANITIZE_THREAD__)
constexpr std::uintptr_t window_base = 64 * GiB;
constexpr std::size_t window_bytes = 400 * GiB;
#elif defined(__SANITIZE_ADDRESS__)
constexpr std::uintptr_t window_base = 32 * TiB;
constexpr std::size_t window_bytes = 3 * TiB;
#else
constexpr std::uintptr_t window_base = 0x90000000000;
constexpr std::size_t window_bytes = 3 * TiB;
#endif

AddressSpace::Impl& space() { return AddressSpace::instance().impl(); }

struct Addresses {
    std::mutex mutex;
    RangeAllocator free{window_base, window_base + window_bytes};
};

Addresses& addresses() {
    static auto* instance = new Addresses;
    return *instance;
}

}  // namespace

const Granule& ManagedBlock::seen(std::size_t index) const {
    static const Granule untouched;
    const auto found = granules.find(index);
    return found == granules.end() ? untouched : found->second;
}

void ManagedBlock::live_on_device(std::size_t index, int owner) {
    Granule& granule = granules[index];
    if (granule.resident != owner || granule.pages.bytes == 0) {
        live_on_host(index);
        granule.pages = {owner, PageKind::huge, huge_page, 0, 0};
        auto memory = DeviceMemory::of(owner);
        // A device that is full keeps serving the page: managed memory may be larger than the device.
        if (!memory || !memory->charge(granule.pages)) granule.pages.bytes = 0;
        granule.resident = owner;
    }
    granule.touched_by_device = true;
    // The host has to fault the page in again: this is how its next access is noticed. The bytes stay in the memfd.
    if (!granule.read_mostly) madvise(reinterpret_cast<void*>(address(index)), huge_page, MADV_DONTNEED);
}

void ManagedBlock::live_on_host(std::size_t index) {
    Granule& granule = granules[index];
    granule.resident = host_location;
    if (granule.pages.bytes == 0) return;
    if (auto memory = DeviceMemory::of(granule.pages.device)) memory->uncharge(granule.pages);
    granule.pages.bytes = 0;
}

bool ManagedBlock::mapped_on_host(std::size_t index) const {
    constexpr std::size_t pages = huge_page / small_page;
    std::array<std::uint64_t, pages> entries{};
    const int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    const auto wanted = static_cast<ssize_t>(sizeof(entries));
    const bool known = map >= 0 && pread(map, entries.data(), sizeof(entries),
                                         static_cast<off_t>(address(index) / small_page * 8)) == wanted;
    if (map >= 0) close(map);
    // Bit 63: the page is in the page table, so the host touched it since it last moved away.
    if (known) return std::any_of(entries.begin(), entries.end(), [](std::uint64_t entry) { return entry >> 63 != 0; });
    std::array<unsigned char, pages> present{};
    if (seen(index).touched_by_device) return false;
    return mincore(reinterpret_cast<void*>(address(index)), huge_page, present.data()) == 0 &&
           std::any_of(present.begin(), present.end(), [](unsigned char page) { return (page & 1) != 0; });
}

namespace {

/// Places `size` bytes of a memfd wherever there is room.
std::uintptr_t place_anywhere(std::size_t size, int descriptor) {
    const std::uintptr_t start = reserve_anywhere(size, huge_page);
    if (start == 0 || show(start, size, descriptor, 0)) return start;
    unreserve(start, size);
    return 0;
}

bool in_window(std::uintptr_t start) { return start >= window_base && start - window_base < window_bytes; }

/// Places `size` bytes of a fresh memfd at free addresses of the window. 0 when there are none.
std::uintptr_t place_in_window(std::size_t size, int descriptor) {
    if (faulty(Fault::managed_outside_window)) return place_anywhere(size, descriptor);
    std::lock_guard lock(addresses().mutex);
    // Somebody else may live in a piece of the window; such pieces stay taken.
    for (int attempt = 0; attempt < 16; ++attempt) {
        auto start = addresses().free.allocate(size, huge_page);
        if (!start) return faulty(Fault::managed_limit_unchecked) ? place_anywhere(size, descriptor) : 0;
        if (!reserve_at(*start, size)) continue;
        if (show(*start, size, descriptor, 0)) return *start;
        unreserve(*start, size);
        addresses().free.release(*start, size);
        return 0;
    }
    return 0;
}

}  // namespace

aclError allocate_managed(std::uint64_t bytes, int device, void** out, const char* api) {
    const aclError failed = ACL_ERROR_RT_MEMORY_ALLOCATION;
    if (bytes > window_bytes && !faulty(Fault::managed_limit_unchecked))
        return fail(failed, "%s: %zu bytes are more than a process can hold", api, bytes);
    const std::size_t size = faulty(Fault::managed_not_rounded) ? round_up(bytes, small_page) : round_up(bytes, huge_page);
    const int descriptor = memfd_create("aclref-managed", MFD_CLOEXEC);
    void* view = MAP_FAILED;
    std::uintptr_t base = 0;
    if (descriptor >= 0 && ftruncate(descriptor, static_cast<off_t>(size)) == 0) {
        view = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
        if (view != MAP_FAILED) base = place_in_window(size, descriptor);
        if (view != MAP_FAILED && base == 0) munmap(view, size);
    }
    if (descriptor >= 0) close(descriptor);
    if (base == 0) return fail(failed, "%s: no managed addresses for %zu bytes", api, bytes);
    auto block = std::make_shared<ManagedBlock>(base, size, device, static_cast<std::byte*>(view));
    if (faulty(Fault::managed_taken_at_once)) {
        block->at_once = {device, PageKind::huge, round_up(size, huge_page), 0, 0};
        if (!DeviceMemory::of(device)->charge(block->at_once)) block->at_once.bytes = 0;
    }
    Region region;
    region.base = base;
    region.span = size;
    region.located = {MemoryKind::managed, device, base, bytes};
    region.source = Source::managed;
    region.bytes = block->bytes;
    region.hold = block;
    region.page = huge_page;
    region.managed = std::move(block);
    *out = reinterpret_cast<void*>(base);
    space().insert(std::move(region));
    return ACL_SUCCESS;
}

namespace {

void drop(Region region) {
    ManagedBlock& block = *region.managed;
    {
        std::lock_guard lock(block.mutex);
        for (const auto& [index, granule] : block.granules) block.live_on_host(index);
        auto memory = DeviceMemory::of(block.device);
        if (memory && block.at_once.bytes != 0) memory->uncharge(block.at_once);
    }
    std::lock_guard lock(addresses().mutex);
    unreserve(block.base, block.size);
    if (in_window(block.base) && !faulty(Fault::managed_freed_addresses_lost))
        addresses().free.release(block.base, block.size);
}

}  // namespace

bool free_managed(std::uintptr_t base) {
    auto region = space().take(base, Source::managed);
    if (region) drop(std::move(*region));
    return region.has_value();
}

void touch_managed(ManagedBlock& block, std::uintptr_t begin, std::uintptr_t end, bool write) {
    std::lock_guard lock(block.mutex);
    for (std::size_t index = block.first(begin); index < block.last(end); ++index) {
        Granule& granule = block.granules[index];
        if (write) granule.read_mostly = false;
        if (faulty(Fault::managed_host_bytes_lost) && granule.resident == host_location && block.mapped_on_host(index))
            std::memset(block.bytes + index * huge_page, 0, huge_page);
        block.live_on_device(index, granule.resident == host_location ? block.device : granule.resident);
    }
}

aclError check_managed_range(const void* pointer, std::size_t size, const char* api) {
    if (size > window_bytes || !is_multiple(size, huge_page))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: size %zu is not a multiple of 2 MiB up to 3 TiB", api, size);
    if (!for_each_granule(pointer, size, [](ManagedBlock&, std::size_t) { return true; }))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p + %zu is not managed memory", api, pointer, size);
    return ACL_SUCCESS;
}

namespace {

/// For a fault: what a block holds outside a range of it.
void clear_rest(const ManagedBlock& block, std::uintptr_t begin, std::size_t size) {
    const std::size_t front = begin - block.base;
    std::memset(block.bytes, 0, front);
    std::memset(block.bytes + front + size, 0, block.size - front - size);
}

}  // namespace

void move_managed(const void* pointer, std::size_t size, aclrtMemManagedLocation location) {
    for_each_granule(pointer, size, [&](ManagedBlock& block, std::size_t index) {
        block.granules[index].prefetched = location;
        if (location.type == ACL_MEM_LOCATIONTYPE_DEVICE) block.live_on_device(index, location.id);
        else block.live_on_host(index);
        const bool outside = faulty(Fault::managed_prefetch_of_part_loses_rest) && size < block.size;
        if (outside) clear_rest(block, reinterpret_cast<std::uintptr_t>(pointer), size);
        if (faulty(Fault::managed_prefetch_loses_bytes)) std::memset(block.bytes + index * huge_page, 0, huge_page);
        return true;
    });
}

std::size_t managed_count() { return space().count(Source::managed); }

void release_managed(int device) {
    std::vector<Region> gone;
    {
        std::unique_lock lock(space().mutex);
        for (auto next = space().regions.begin(); next != space().regions.end();) {
            const bool ours = device < 0 || next->second.located.device == device;
            if (next->second.source != Source::managed || !ours) ++next;
            else gone.push_back(std::move(next->second)), next = space().regions.erase(next);
        }
    }
    for (Region& region : gone) drop(std::move(region));
}

}  // namespace aclref
