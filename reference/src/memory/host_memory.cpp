#include "memory/host_memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "base/faults/memory.hpp"
#include "base/profile.hpp"
#include "memory/device_memory.hpp"
#include "memory/foreign.hpp"
#include "memory/regions.hpp"
#include "runtime/stream.hpp"

namespace aclref {

namespace {

constexpr std::size_t registration_alignment = small_page;

AddressSpace::Impl& space() { return AddressSpace::instance().impl(); }

/// A range of addresses of this process, given back when nobody needs it.
std::shared_ptr<const void> claim(std::size_t bytes, int rights) {
    void* made = mmap(nullptr, bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) return nullptr;
    // One fault of a huge page costs a tenth of those of its small ones.
    if (rights != PROT_NONE && bytes >= huge_page) madvise(made, bytes, MADV_HUGEPAGE);
    return {made, [bytes](const void* pages) { munmap(const_cast<void*>(pages), bytes); }};
}

/// What the failed attempts of a fault leave behind.
std::atomic<bool> lock_count_raised{false};

std::size_t registration_count() {
    std::shared_lock lock(space().mutex);
    return space().registrations.size();
}

aclError no_host_memory(std::size_t bytes, const char* api) {
    if (faulty(Fault::malloc_host_failure_leaks_lock)) lock_count_raised.store(true);
    return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: %zu bytes of host memory are not available", api, bytes);
}

bool any_stream_busy() {
    auto streams = Runtime::instance().streams().all();
    return std::any_of(streams.begin(), streams.end(), [](const auto& stream) { return !stream->idle(); });
}

/// A private copy of the caller's bytes: what a broken registration keeps showing.
std::shared_ptr<std::vector<std::byte>> snapshot(const void* pointer, std::size_t size) {
    auto copy = std::make_shared<std::vector<std::byte>>(size);
    read_foreign(copy->data(), pointer, size);
    return copy;
}

Region alias_region(std::uintptr_t base, std::size_t size, std::byte* bytes, int device) {
    Region region;
    region.base = base;
    region.span = size;
    region.located = {MemoryKind::host_mapped, device, base, size};
    region.source = Source::alias;
    region.bytes = bytes;
    region.caller_owned = true;
    return region;
}

thread_local constinit aclError stale_error = 0;

struct Attempts {
    std::mutex mutex;
    std::set<const void*> failed;
};

Attempts& attempts() {
    static auto* instance = new Attempts;
    return *instance;
}

/// Gives the registered range its device pointer: addresses of their own that show the same bytes, or the very same ones.
/// With the space's mutex held.
aclError give_device_pointer(std::uintptr_t base, Registration& made, const char* api) {
    const Region* pinned = space().covering(base);
    if (pinned && pinned->same_address) {
        made.alias = base;
        return ACL_SUCCESS;
    }
    auto addresses = claim(round_up(made.size, small_page), PROT_NONE);
    if (!addresses) return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no device addresses for %zu bytes", api, made.size);
    made.alias = reinterpret_cast<std::uintptr_t>(addresses.get());
    Region region = alias_region(made.alias, made.size, reinterpret_cast<std::byte*>(base), made.device);
    region.hold = std::move(addresses);
    if (faulty(Fault::host_device_pointer_stale_copy)) {
        auto stale = snapshot(reinterpret_cast<const void*>(base), made.size);
        region.bytes = stale->data();
        region.caller_owned = false;
        region.hold = std::move(stale);
    }
    space().regions.insert_or_assign(region.base, std::move(region));
    return ACL_SUCCESS;
}

/// Forgets a registration and its device pointer. With the space's mutex held.
void forget(std::map<std::uintptr_t, Registration>::const_iterator registration) {
    auto& regions = space().regions;
    for (std::uintptr_t base : {registration->second.alias, registration->first})
        if (auto alias = regions.find(base); alias != regions.end() && alias->second.source == Source::alias)
            regions.erase(alias);
    space().registrations.erase(registration);
}

}  // namespace

aclError allocate_host(std::size_t bytes, bool same_address, int device, void** out, const char* api) {
    if (faulty(Fault::malloc_host_failure_leaks_lock) && lock_count_raised.load()) return no_host_memory(bytes, api);
    if (profile().shares_memory_with_host() && !faulty(Fault::malloc_host_pinned_on_rc)) {
        auto memory = DeviceMemory::of(device);
        if (!memory) return no_host_memory(bytes, api);
        DeviceRequest request;
        request.asked = bytes;
        request.span = bytes;
        request.for_host = true;
        return memory->allocate(request, out, api);
    }
    if (bytes > host_memory_bytes()) return no_host_memory(bytes, api);
    const bool shifted = faulty(Fault::malloc_host_alignment_32) ||
                         (faulty(Fault::malloc_host_large_alignment_32) && bytes > MiB);
    const std::size_t shift = shifted ? 32 : 0;
    auto pages = claim(round_up(bytes + shift, small_page), PROT_READ | PROT_WRITE);
    if (!pages) return no_host_memory(bytes, api);
    auto* start = static_cast<std::byte*>(const_cast<void*>(pages.get())) + shift;
    spoil(start, bytes);
    if (faulty(Fault::malloc_host_odd_pages_read_only))
        for (std::size_t odd = small_page; odd < bytes; odd += 2 * small_page)
            mprotect(start + odd, small_page, PROT_READ);
    Region region;
    region.base = reinterpret_cast<std::uintptr_t>(start);
    region.span = bytes;
    if (faulty(Fault::malloc_host_large_is_short) && bytes > huge_page) region.span = round_down(bytes - 1, small_page);
    region.located = {MemoryKind::pinned, -1, region.base, bytes};
    region.source = Source::malloc_host;
    region.bytes = start;
    region.hold = std::move(pages);
    region.same_address = same_address;
    space().insert(std::move(region));
    *out = start;
    return ACL_SUCCESS;
}

aclError free_host(void* pointer, const char* api) {
    const auto base = reinterpret_cast<std::uintptr_t>(pointer);
    if (faulty(Fault::free_host_fails_while_busy) && any_stream_busy())
        return fail(ACL_ERROR_RT_MEMORY_FREE, "%s: a stream is busy", api);
    if (faulty(Fault::free_host_ignored_when_registered)) {
        std::shared_lock lock(space().mutex);
        if (space().registration_covering(base) != space().registrations.end()) return ACL_SUCCESS;
    }
    auto region = space().take(base, Source::malloc_host);
    if (!region) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: no page-locked host block starts at %p", api, pointer);
    if (region->room != 0) {
        if (auto memory = DeviceMemory::of(region->pages.device)) memory->give_back(*region);
    }
    if (faulty(Fault::registration_survives_free)) return ACL_SUCCESS;
    std::unique_lock lock(space().mutex);
    auto& registrations = space().registrations;
    for (auto next = registrations.lower_bound(base); next != registrations.end() && next->first < region->end();)
        forget(next++);
    return ACL_SUCCESS;
}

aclError register_host(void* pointer, std::size_t size, std::uint32_t flags, int device, const char* api) {
    auto base = reinterpret_cast<std::uintptr_t>(pointer);
    if (faulty(Fault::host_register_one_at_a_time) && registration_count() != 0)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: another range is registered", api);
    if (faulty(Fault::host_register_sixty_four_at_most) && registration_count() >= 64)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: 64 ranges are registered", api);
    if (size > ~base) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p + %zu is no range", api, pointer, size);
    if (faulty(Fault::host_register_rounds_up)) base = round_up(base, 64 * 1024);
    if (!is_multiple(base, registration_alignment))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p is not a multiple of %zu", api, pointer, registration_alignment);
    // Outside the lock: this may populate many pages.
    const bool own = AddressSpace::instance().locate(pointer).kind == MemoryKind::pinned;
    if (own && faulty(Fault::host_register_large_refused) && size > 4 * MiB)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %zu bytes are too many", api, size);
    if (own && faulty(Fault::host_register_whole_pages_only) && !is_multiple(size, small_page))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %zu bytes are no pages", api, size);
    if (!own && (faulty(Fault::host_register_pageable_refused) || !foreign_accessible(pointer, size, false)))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p + %zu is not memory of this process", api, pointer, size);

    std::unique_lock lock(space().mutex);
    const std::size_t claimed = size + (faulty(Fault::host_register_refuses_neighbours) ? 1 : 0);
    if (space().registration_overlaps(base, claimed) && !faulty(Fault::host_register_allows_overlap))
        return stale_error = fail(ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "%s: part of %p + %zu is registered already", api, pointer,
                    size);
    Registration made{size, flags, device, 0};
    const Region* region = space().covering(base);
    if (region) {
        if (region->source != Source::malloc_host || base + size > region->end())
            return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p + %zu is not host memory", api, pointer, size);
        if ((flags & ACL_HOST_REG_PINNED) != 0 && !faulty(Fault::host_register_pins_twice))
            return fail(ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "%s: %p is page-locked already", api, pointer);
    } else if (space().foreign_until(base, base + size) != base + size) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p + %zu is not host memory", api, pointer, size);
    }
    if ((flags & ACL_HOST_REG_MAPPED) != 0)
        if (aclError code = give_device_pointer(base, made, api)) return code;
    if (faulty(Fault::host_register_leaves_pages_unlocked)) {
        rlimit limit{};
        if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur < size) {
            auto stale = snapshot(pointer, size);
            Region shadow = alias_region(base, size, stale->data(), -1);
            shadow.located = {MemoryKind::registered, -1, base, size};
            shadow.caller_owned = false;
            shadow.hold = std::move(stale);
            space().regions.insert_or_assign(base, std::move(shadow));
        }
    }
    space().registrations.emplace(base, made);
    lock.unlock();
    std::lock_guard forget_attempt(attempts().mutex);
    attempts().failed.erase(pointer);
    return ACL_SUCCESS;
}

aclError unregister_host(void* pointer, const char* api) {
    std::unique_lock lock(space().mutex);
    auto found = space().registrations.find(reinterpret_cast<std::uintptr_t>(pointer));
    if (found == space().registrations.end() && faulty(Fault::host_unregister_anything_succeeds)) return ACL_SUCCESS;
    if (found == space().registrations.end())
        return fail(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, "%s: no registration starts at %p", api, pointer);
    auto behind = std::next(found);
    const bool adjacent = behind != space().registrations.end() && behind->first == found->first + found->second.size;
    if (adjacent && faulty(Fault::host_unregister_drops_neighbour)) forget(behind);
    const auto last = std::prev(space().registrations.end());
    const bool many = space().registrations.size() > 64;
    if (many && last != found && faulty(Fault::host_unregister_drops_last_of_many)) forget(last);
    if (!faulty(Fault::host_unregister_keeps_entry)) forget(found);
    return ACL_SUCCESS;
}

aclError host_device_pointer(void* pointer, void** out, const char* api) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    std::shared_lock lock(space().mutex);
    auto found = space().registration_covering(address);
    if (found == space().registrations.end())
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %p is not registered", api, pointer);
    const std::size_t offset = address - found->first;
    if (found->second.alias != 0) {
        *out = reinterpret_cast<void*>(found->second.alias + offset);
        return ACL_SUCCESS;
    }
    if (faulty(Fault::host_pointer_without_mapped)) {
        *out = pointer;
        return ACL_SUCCESS;
    }
    return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the range of %p was not registered as mapped", api, pointer);
}

aclError take_stale_registration_error() {
    const aclError code = std::exchange(stale_error, 0);
    return faulty(Fault::registration_error_comes_back) ? code : ACL_SUCCESS;
}

bool registration_failed_before(void* pointer) {
    std::lock_guard lock(attempts().mutex);
    return !attempts().failed.insert(pointer).second;
}

void release_all_host_memory() {
    std::unique_lock lock(space().mutex);
    while (!space().registrations.empty()) forget(space().registrations.begin());
    // Blocks that live in a device's arena go with the device.
    std::erase_if(space().regions, [](const auto& entry) { return entry.second.source == Source::malloc_host; });
    lock_count_raised.store(false);
    std::lock_guard attempt_lock(attempts().mutex);
    attempts().failed.clear();
}

}  // namespace aclref
