#include "memory/device_memory.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "base/faults/memory.hpp"
#include "base/profile.hpp"
#include "memory/addresses.hpp"
#include "memory/ipc_memory.hpp"

namespace aclref {

namespace {

constexpr std::size_t small_alignment = 64;
/// Freed blocks from this size on give their pages back to the machine.
constexpr std::size_t worth_punching = MiB;
/// But not up to this size: getting pages anew costs many times what overwriting them does.
constexpr std::size_t worth_keeping = 24 * MiB;

std::atomic<bool> forked_child{false};

[[gnu::constructor]] void watch_forks() {
    pthread_atfork(nullptr, nullptr, [] { forked_child.store(true, std::memory_order_relaxed); });
}

std::size_t alignment_of(PageKind kind, std::size_t span) {
    if (kind != PageKind::normal) return page_bytes(kind);
    return span >= small_page ? small_page : small_alignment;
}

struct Devices {
    std::mutex mutex;
    std::array<std::shared_ptr<DeviceMemory>, 64> memory;
};

Devices& devices() {
    // Never destroyed: exit handlers may still free memory.
    static auto* instance = new Devices;
    return *instance;
}

/// Never the same twice in a process, so that nothing of before a reset is given back after it.
std::uint64_t next_epoch() {
    static constinit std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

/// What memory is overwritten with.
int spoiling() { return static_cast<int>((0xD5U ^ profile().seed) & 0xFFU) | 1; }

}  // namespace

bool keep_used(std::byte* bytes, std::size_t size) {
    if (size > worth_keeping || size % small_page != 0) return false;
    const std::size_t pages = size / small_page;
    std::vector<unsigned char> used(pages);
    if (mincore(bytes, size, used.data()) != 0) return false;
    for (std::size_t page = 0; page < pages;) {
        std::size_t next = page;
        while (next < pages && (used[next] & 1U) != 0) ++next;
        if (next != page) std::memset(bytes + page * small_page, spoiling(), (next - page) * small_page);
        page = next + 1;
    }
    return true;
}

bool in_forked_child() { return forked_child.load(std::memory_order_relaxed); }

void spoil(std::byte* bytes, std::size_t size) {
    const int pattern = spoiling();
    const std::size_t edge = std::min(size, small_page);
    std::memset(bytes, pattern, edge);
    std::memset(bytes + size - edge, pattern, edge);
}

ArenaMapping::ArenaMapping(std::size_t wanted, bool readable) : size(wanted) {
    descriptor = memfd_create("aclref-device", MFD_CLOEXEC);
    if (descriptor < 0) throw std::bad_alloc();
    try {
        if (ftruncate(descriptor, static_cast<off_t>(size)) != 0) throw std::bad_alloc();
        // Room for the largest page, so that its blocks can be aligned to it.
        const int rights = readable ? PROT_READ | PROT_WRITE : PROT_NONE;
        shown = reinterpret_cast<std::byte*>(reserve_anywhere(size, GiB));
        if (!shown) throw std::bad_alloc();
        if (readable && mmap(shown, size, rights, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, descriptor, 0) == MAP_FAILED)
            throw std::bad_alloc();
        bytes = show_anywhere(size, MAP_SHARED, descriptor, 0);
        if (!bytes) throw std::bad_alloc();
    } catch (...) {
        if (shown) munmap(shown, size);
        close(descriptor);
        throw;
    }
}

ArenaMapping::~ArenaMapping() {
    munmap(shown, size);
    munmap(bytes, size);
    close(descriptor);
}

DeviceMemory::DeviceMemory(int device)
    : device_(device), memory_bytes_(profile().memory_bytes), shared_with_host_(profile().shares_memory_with_host()) {
    // A part is the system's own; the rest is split for good into normal and huge pages, as the driver does.
    const std::size_t system = round_up(memory_bytes_ / 64, huge_page);
    const std::size_t usable = round_down(memory_bytes_, huge_page) - std::min(system, round_down(memory_bytes_, huge_page));
    normal_total_ = std::min(usable, std::max(huge_page, round_down(usable / 8, huge_page)));
    huge_total_ = usable - normal_total_;
    // Twice the pages and room for alignment: places never run out before pages do.
    half_bytes_ = round_up(2 * normal_total_ + 2 * huge_total_ + 2 * GiB, GiB);
    arena_ = std::make_shared<ArenaMapping>(2 * half_bytes_, shared_with_host_);
    const auto begin = reinterpret_cast<std::uintptr_t>(arena_->shown);
    AddressSpace::instance().impl().add_window({begin, begin + arena_->size, device});
    open_half();
}

DeviceMemory::~DeviceMemory() {
    AddressSpace::instance().impl().drop_window(reinterpret_cast<std::uintptr_t>(arena_->shown));
}

void DeviceMemory::open_half() {
    epoch_ = next_epoch();
    const std::size_t begin = half_ * half_bytes_;
    const std::size_t border = begin + round_up(2 * normal_total_, GiB);
    normal_places_ = RangeAllocator(begin, begin + 2 * normal_total_);
    huge_places_ = RangeAllocator(border, begin + half_bytes_);
    normal_free_ = normal_total_;
    huge_free_ = huge_total_;
    usage_.clear();
    exhausted_ = false;
}

std::shared_ptr<DeviceMemory> DeviceMemory::of(int device) {
    Devices& all = devices();
    std::lock_guard lock(all.mutex);
    auto& memory = all.memory.at(static_cast<std::size_t>(device));
    if (!memory) {
        try {
            memory = std::make_shared<DeviceMemory>(device);
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
    }
    return memory;
}

bool DeviceMemory::fits_profile() const {
    return memory_bytes_ == profile().memory_bytes && shared_with_host_ == profile().shares_memory_with_host();
}

void DeviceMemory::clear() {
    std::lock_guard lock(mutex_);
    fallocate(arena_->descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(arena_->size));
    if (!faulty(Fault::reset_reuses_addresses)) half_ ^= 1;
    open_half();
}

bool DeviceMemory::take(PageKind kind, std::size_t bytes) {
    std::size_t& available = kind == PageKind::normal ? normal_free_ : huge_free_;
    if (bytes > available) return false;
    available -= bytes;
    return true;
}

bool DeviceMemory::charge(DevicePages& pages) {
    std::lock_guard lock(mutex_);
    if (!take(pages.kind, pages.bytes)) return false;
    pages.epoch = epoch_;
    Usage& used = usage_[pages.module];
    used.module = pages.module;
    used.current += pages.bytes;
    used.peak = faulty(Fault::usage_peak_is_first) ? std::max(used.peak, pages.bytes / 2) : std::max(used.peak, used.current);
    return true;
}

void DeviceMemory::uncharge(const DevicePages& pages) {
    std::lock_guard lock(mutex_);
    // A reset in between has given everything back already.
    if (pages.epoch != epoch_) return;
    (pages.kind == PageKind::normal ? normal_free_ : huge_free_) += pages.bytes;
    usage_[pages.module].current -= pages.bytes;
}

aclError DeviceMemory::allocate(const DeviceRequest& request, void** out, const char* api) {
    PageKind kind = request.pages;
    // Beyond the device no rounding is needed to know the answer, and none can wrap.
    const bool possible = request.span <= memory_bytes_;
    DevicePages pages{device_, kind, possible ? round_up(request.span, page_bytes(kind)) : 0, request.module};
    if (faulty(Fault::malloc_huge_not_rounded) && kind == PageKind::huge) pages.bytes = request.span;
    bool charged = possible && !(exhausted_ && faulty(Fault::malloc_oom_sticks)) && charge(pages);
    if (possible && !charged && request.falls_back) {
        kind = PageKind::normal;
        pages.kind = kind;
        pages.bytes = round_up(request.span, page_bytes(kind));
        charged = charge(pages);
    }
    if (!charged) {
        exhausted_ = true;
        if (faulty(Fault::failed_malloc_sets_pointer)) *out = this;
        if (faulty(Fault::failed_malloc_keeps_pages)) {
            std::lock_guard lock(mutex_);
            take(PageKind::huge, huge_page);
        }
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: %zu bytes are not available on device %d", api, request.asked,
                    device_);
    }

    if (request.configured && faulty(Fault::meminfo_misses_configured_blocks)) {
        std::lock_guard lock(mutex_);
        (pages.kind == PageKind::normal ? normal_free_ : huge_free_) += pages.bytes;
    }

    const std::size_t alignment = alignment_of(kind, request.span);
    // Host blocks of the sharing forms have natural alignment only.
    std::size_t shift = request.for_host && alignment == small_alignment ? 16 : 0;
    if (request.configured && faulty(Fault::malloc_with_cfg_alignment_32)) shift = 32;
    if (request.combined && faulty(Fault::malloc_with_cfg_combined_alignment_32)) shift = 32;
    if (faulty(Fault::malloc_alignment_of_one_class) && !request.for_host && request.span > small_page &&
        request.span <= 2 * small_page)
        shift = 32;
    if (faulty(Fault::malloc_alignment_32) && !request.for_host && alignment == small_alignment) shift = 32;
    std::size_t room = round_up(request.span + shift, alignment);
    if (faulty(Fault::malloc_blocks_overlap) && request.span >= 64 * 1024) room -= alignment;
    std::optional<std::size_t> place;
    {
        std::lock_guard lock(mutex_);
        place = places(kind).allocate(room, alignment);
    }
    if (!place) {
        uncharge(pages);
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no addresses for %zu bytes on device %d", api, request.asked,
                    device_);
    }
    const std::size_t start = *place + shift;
    spoil(arena_->bytes + start, request.span);

    Region region;
    region.base = reinterpret_cast<std::uintptr_t>(arena_->shown + start);
    region.span = request.span;
    region.located = {request.for_host ? MemoryKind::pinned : MemoryKind::device, device_, region.base, request.asked};
    region.source = request.for_host ? Source::malloc_host : Source::malloc;
    region.bytes = arena_->bytes + start;
    region.hold = arena_;
    region.read_only = request.read_only;
    region.cached = request.cached;
    region.configured = request.configured;
    region.page = static_cast<std::uint32_t>(page_bytes(kind));
    region.pages = pages;
    region.offset = *place;
    region.room = room;
    *out = reinterpret_cast<void*>(region.base);
    AddressSpace::instance().impl().insert(std::move(region));
    return ACL_SUCCESS;
}

void DeviceMemory::give_back(const Region& region) {
    {
        std::lock_guard lock(mutex_);
        if (region.pages.epoch != epoch_) return;
        // Of a small block in a huge page only its own bytes can have been used.
        std::byte* begin = arena_->bytes + region.offset;
        const std::size_t end = static_cast<std::size_t>(region.bytes - begin) + region.span;
        if (region.room >= worth_punching && !keep_used(begin, std::min(region.room, round_up(end, small_page))))
            fallocate(arena_->descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                      static_cast<off_t>(region.offset), static_cast<off_t>(region.room));
        places(region.pages.kind).release(region.offset, region.room);
        if (region.configured && faulty(Fault::meminfo_misses_configured_blocks)) take(region.pages.kind, region.pages.bytes);
    }
    if (!faulty(Fault::meminfo_not_restored)) uncharge(region.pages);
}

DeviceMemory::Figures DeviceMemory::figures(PageKind kind) const {
    std::lock_guard lock(mutex_);
    switch (kind) {
        case PageKind::normal: return {normal_free_, normal_total_};
        case PageKind::huge: return {huge_free_, huge_total_};
        case PageKind::huge1g: break;
    }
    return {round_down(huge_free_, GiB), round_down(huge_total_, GiB)};
}

DeviceMemory::Figures DeviceMemory::all() const {
    std::lock_guard lock(mutex_);
    return {normal_free_ + huge_free_, normal_total_ + huge_total_};
}

std::vector<Usage> DeviceMemory::usage() const {
    std::lock_guard lock(mutex_);
    std::vector<Usage> out;
    for (const auto& [module, used] : usage_) out.push_back(used);
    return out;
}

bool free_device_memory(std::uintptr_t base) {
    auto region = AddressSpace::instance().impl().take(base, Source::malloc);
    if (!region) return false;
    forget_exports(region->base, region->room);
    if (auto memory = DeviceMemory::of(region->located.device)) memory->give_back(*region);
    return true;
}

void release_device_arena(int device) {
    Devices& all = devices();
    std::lock_guard lock(all.mutex);
    auto& memory = all.memory.at(static_cast<std::size_t>(device));
    if (!memory) return;
    if (memory->fits_profile()) memory->clear();
    else memory.reset();
}

}  // namespace aclref
