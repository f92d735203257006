#include "memory/address_space.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/faults/memory.hpp"
#include "copy/peer.hpp"
#include "memory/addresses.hpp"
#include "memory/foreign.hpp"
#include "memory/managed.hpp"
#include "memory/physical_memory.hpp"
#include "memory/regions.hpp"

namespace aclref {

namespace {

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

/// Whether the device may touch the mapped range: it was granted, or it may reach the memory of the owner and the
/// mapping was not made without access.
bool may_touch(const Region& region, int device) {
    if (device < 0) return true;
    const MappingAccess& access = *region.access;
    if (access.devices.load(std::memory_order_relaxed) >> device & 1) return true;
    return !access.granted_only && region.located.device >= 0 && devices_may_copy(device, region.located.device);
}

/// For faults: whether a write at the address goes through though the region is read-only.
bool unguarded(const Region& region, std::uintptr_t at) {
    return faulty(Fault::readonly_memory_writable) ||
           (faulty(Fault::readonly_start_guarded_only) && at != region.base) ||
           (faulty(Fault::readonly_huge_pages_writable) && region.page != small_page);
}

/// A region about to be touched by a copy: 0, or why not.
aclError check_region(const Region& region, std::uintptr_t at, bool write, int device, bool from_host) {
    if (region.source == Source::mapping) {
        if (faulty(Fault::free_physical_ends_mappings) && region.physical->handles == 0)
            return fail(ACL_ERROR_RT_PARAM_INVALID, "address %#zx: the memory was released", at);
        if (!may_touch(region, device) && !faulty(Fault::no_access_mapping_accessible))
            return fail(ACL_ERROR_RT_PARAM_INVALID, "address %#zx: mapped without access for device %d", at, device);
    } else if (device >= 0 && region.located.device >= 0 && region.located.kind != MemoryKind::managed &&
               region.located.kind != MemoryKind::host_mapped && !devices_may_copy(device, region.located.device)) {
        return fail(ACL_ERROR_RT_PARAM_INVALID, "address %#zx: memory of device %d, which device %d may not reach", at,
                    region.located.device, device);
    }
    if (write && region.read_only && !from_host && !unguarded(region, at))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "address %#zx: memory is read-only in user space", at);
    return ACL_SUCCESS;
}

/// Most ranges are one piece; a handful of neighbouring mappings is the next likely case.
class Pieces {
public:
    void add(Piece piece) {
        if (count_ < few_.size()) few_[count_] = std::move(piece);
        else many_.push_back(std::move(piece));
        ++count_;
    }
    const Piece& operator[](std::size_t index) const {
        return index < few_.size() ? few_[index] : many_[index - few_.size()];
    }
    std::size_t size() const { return count_; }

private:
    std::array<Piece, 2> few_;
    std::vector<Piece> many_;
    std::size_t count_ = 0;
};

/// Where the bytes of a range are. False when some of it has no memory. `write`: they are about to change.
bool collect(const AddressSpace::Impl& space, std::uintptr_t begin, std::size_t bytes, bool write, Pieces& out) {
    struct Touched {
        std::shared_ptr<ManagedBlock> block;
        std::uintptr_t begin;
        std::uintptr_t end;
    };
    std::vector<Touched> touched;
    {
        std::shared_lock lock(space.mutex);
        const std::uintptr_t end = begin + bytes;
        for (std::uintptr_t at = begin; at < end;) {
            if (const Region* region = space.covering(at)) {
                const std::uintptr_t next = std::min(end, region->end());
                std::byte* bytes = region->bytes + (at - region->base);
                if (write && next - at >= huge_page && !region->located.on_host() && !region->managed)
                    gather_pages(bytes, next - at);
                out.add({bytes, next - at, region->caller_owned, region->hold});
                if (region->managed) touched.push_back({region->managed, at, next});
                at = next;
                continue;
            }
            const std::uintptr_t next = space.foreign_until(at, end);
            if (next == at) return false;
            out.add({reinterpret_cast<std::byte*>(at), next - at, true, nullptr});
            at = next;
        }
    }
    for (const Touched& one : touched) touch_managed(*one.block, one.begin, one.end, write);
    return true;
}

bool move_piece(std::byte* to, bool to_foreign, const std::byte* from, bool from_foreign, std::size_t bytes) {
    if (to_foreign && from_foreign) return move_foreign(to, from, bytes);
    if (from_foreign) return read_foreign(to, from, bytes);
    if (to_foreign) return write_foreign(to, from, bytes);
    std::memmove(to, from, bytes);
    return true;
}

struct Step {
    std::byte* to;
    const std::byte* from;
    std::size_t bytes;
    bool to_foreign;
    bool from_foreign;
};

/// Cuts two piece lists of the same length into steps that lie in one piece on both sides.
template <class Visit>
bool for_each_step(const Pieces& to, const Pieces& from, std::size_t bytes, Visit visit) {
    std::size_t to_index = 0;
    std::size_t from_index = 0;
    std::size_t to_done = 0;
    std::size_t from_done = 0;
    while (bytes != 0) {
        const Piece& target = to[to_index];
        const Piece& source = from[from_index];
        const std::size_t now = std::min(target.size - to_done, source.size - from_done);
        if (!visit(Step{target.bytes + to_done, source.bytes + from_done, now, target.foreign, source.foreign}))
            return false;
        bytes -= now;
        to_done += now;
        from_done += now;
        if (to_done == target.size) ++to_index, to_done = 0;
        if (from_done == source.size) ++from_index, from_done = 0;
    }
    return true;
}

}  // namespace

bool Located::on_host() const {
    switch (kind) {
        case MemoryKind::foreign:
        case MemoryKind::pinned:
        case MemoryKind::registered: return true;
        case MemoryKind::mapped: return device < 0;
        case MemoryKind::device:
        case MemoryKind::reserved:
        case MemoryKind::managed:
        case MemoryKind::host_mapped: break;
    }
    return false;
}

bool Located::is_pinned() const { return kind != MemoryKind::foreign; }

AddressSpace& AddressSpace::instance() {
    // Never destroyed: executor threads and exit handlers may still look at it.
    static auto* space = new AddressSpace;
    return *space;
}

AddressSpace::AddressSpace() : impl_(std::make_unique<Impl>()) {}

Located AddressSpace::locate(const void* address) const {
    const std::uintptr_t at = number(address);
    std::shared_lock lock(impl_->mutex);
    if (const Region* region = impl_->covering(at)) return region->located;
    if (auto found = impl_->registration_covering(at); found != impl_->registrations.end()) {
        if (faulty(Fault::registered_inside_is_pageable) && at - found->first > small_page) return {};
        return {MemoryKind::registered, -1, found->first, found->second.size};
    }
    if (auto reserved = impl_->reservation_covering(at))
        return {MemoryKind::reserved, -1, reserved->first, reserved->second};
    if (const Window* window = impl_->window_covering(at)) return {MemoryKind::reserved, window->device};
    return {};
}

aclError AddressSpace::check_range(const void* address, std::size_t bytes, bool write, int device, bool from_host) const {
    if (bytes == 0) return ACL_SUCCESS;
    const std::uintptr_t begin = number(address);
    if (begin == 0 || bytes > ~begin) return fail(ACL_ERROR_RT_PARAM_INVALID, "range %p + %zu is no memory", address, bytes);
    struct Range {
        std::uintptr_t begin;
        std::uintptr_t end;
    };
    std::vector<Range> foreign;
    {
        std::shared_lock lock(impl_->mutex);
        const std::uintptr_t end = begin + bytes;
        for (std::uintptr_t at = begin; at < end;) {
            if (const Region* region = impl_->covering(at)) {
                if (aclError code = check_region(*region, at, write, device, from_host)) return code;
                // Only mapped ranges continue each other: an allocation ends where it ends.
                if (end > region->end() && region->source != Source::mapping)
                    return fail(ACL_ERROR_RT_PARAM_INVALID, "range %p + %zu leaves the block at %#zx of %zu bytes", address,
                                bytes, region->base, region->located.size);
                at = std::min(end, region->end());
                continue;
            }
            const std::uintptr_t next = impl_->foreign_until(at, end);
            if (next == at)
                return fail(ACL_ERROR_RT_PARAM_INVALID, "address %#zx: nothing is allocated or mapped there", at);
            foreign.push_back({at, next});
            at = next;
        }
    }
    for (const Range& range : foreign)
        if (!foreign_accessible(reinterpret_cast<const void*>(range.begin), range.end - range.begin, write))
            return fail(ACL_ERROR_RT_PARAM_INVALID, "host range %#zx + %zu is not %s", range.begin,
                        range.end - range.begin, write ? "writable" : "readable");
    return ACL_SUCCESS;
}

aclError AddressSpace::copy(void* to, const void* from, std::size_t bytes, bool steady) {
    if (bytes == 0) return ACL_SUCCESS;
    const std::uintptr_t target = number(to);
    const std::uintptr_t source = number(from);
    if (bytes > ~target || bytes > ~source) return fail(ACL_ERROR_RT_PARAM_INVALID, "copy of %zu bytes wraps", bytes);
    Pieces into;
    Pieces out_of;
    if (!collect(*impl_, source, bytes, false, out_of) || !collect(*impl_, target, bytes, true, into))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "copy of %zu bytes from %p to %p: memory is gone", bytes, from, to);
    auto move = [steady](const Step& step) {
        return move_piece(step.to, step.to_foreign && !steady, step.from, step.from_foreign && !steady, step.bytes);
    };
    bool moved = false;
    if (target > source && target - source < bytes && (into.size() > 1 || out_of.size() > 1)) {
        // Overlapping across borders: like memmove, the last step goes first.
        std::vector<Step> steps;
        for_each_step(into, out_of, bytes, [&](const Step& step) { return steps.push_back(step), true; });
        moved = std::all_of(steps.rbegin(), steps.rend(), move);
    } else {
        moved = for_each_step(into, out_of, bytes, move);
    }
    if (!moved) return fail(ACL_ERROR_RT_PARAM_INVALID, "copy of %zu bytes from %p to %p: host memory is gone", bytes, from, to);
    return ACL_SUCCESS;
}

aclError AddressSpace::fill(void* to, std::uint8_t value, std::size_t bytes) {
    if (bytes == 0) return ACL_SUCCESS;
    const std::uintptr_t target = number(to);
    if (bytes > ~target) return fail(ACL_ERROR_RT_PARAM_INVALID, "fill of %zu bytes wraps", bytes);
    Pieces into;
    if (!collect(*impl_, target, bytes, true, into))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "fill of %zu bytes at %p: memory is gone", bytes, to);
    for (std::size_t index = 0; index < into.size(); ++index) {
        const Piece& piece = into[index];
        if (!piece.foreign) std::memset(piece.bytes, value, piece.size);
        else if (!fill_foreign(piece.bytes, value, piece.size))
            return fail(ACL_ERROR_RT_PARAM_INVALID, "fill of %zu bytes at %p: host memory is gone", bytes, to);
    }
    return ACL_SUCCESS;
}

View AddressSpace::view(const void* address, std::size_t bytes) {
    View out;
    const std::uintptr_t begin = number(address);
    Pieces pieces;
    if (bytes > ~begin || !collect(*impl_, begin, bytes, true, pieces)) return out;
    for (std::size_t index = 0; index < pieces.size(); ++index) {
        out.emplace_back(pieces[index].bytes, pieces[index].size);
        out.held.push_back(pieces[index].hold);
    }
    return out;
}

void AddressSpace::Impl::insert(Region region) {
    std::unique_lock lock(mutex);
    const std::uintptr_t base = region.base;
    regions.insert_or_assign(base, std::move(region));
}

std::optional<Region> AddressSpace::Impl::take(std::uintptr_t base, Source source) {
    std::unique_lock lock(mutex);
    auto found = regions.find(base);
    if (found == regions.end() || found->second.source != source) return std::nullopt;
    Region region = std::move(found->second);
    regions.erase(found);
    return region;
}

std::optional<Region> AddressSpace::Impl::find(std::uintptr_t address) const {
    std::shared_lock lock(mutex);
    const Region* region = covering(address);
    return region ? std::optional<Region>(*region) : std::nullopt;
}

std::size_t AddressSpace::Impl::count(Source source) const {
    std::shared_lock lock(mutex);
    return static_cast<std::size_t>(
        std::count_if(regions.begin(), regions.end(), [&](const auto& entry) { return entry.second.source == source; }));
}

void AddressSpace::Impl::add_window(Window window) {
    std::unique_lock lock(mutex);
    windows.push_back(window);
}

void AddressSpace::Impl::drop_window(std::uintptr_t begin) {
    std::unique_lock lock(mutex);
    std::erase_if(windows, [&](const Window& window) { return window.begin == begin; });
}

const Region* AddressSpace::Impl::covering(std::uintptr_t address) const {
    auto next = regions.upper_bound(address);
    if (next == regions.begin()) return nullptr;
    const Region& region = std::prev(next)->second;
    return address < region.end() ? &region : nullptr;
}

std::map<std::uintptr_t, Registration>::const_iterator AddressSpace::Impl::registration_covering(
    std::uintptr_t address) const {
    auto next = registrations.upper_bound(address);
    if (next == registrations.begin()) return registrations.end();
    --next;
    return address - next->first < next->second.size ? next : registrations.end();
}

bool AddressSpace::Impl::registration_overlaps(std::uintptr_t base, std::size_t size) const {
    auto next = registrations.lower_bound(base);
    if (next != registrations.end() && next->first - base < size) return true;
    return registration_covering(base) != registrations.end();
}

std::optional<std::pair<std::uintptr_t, std::size_t>> AddressSpace::Impl::reservation_covering(
    std::uintptr_t address) const {
    auto next = reservations.upper_bound(address);
    if (next == reservations.begin()) return std::nullopt;
    --next;
    if (address - next->first >= next->second) return std::nullopt;
    return std::pair(next->first, next->second);
}

const Window* AddressSpace::Impl::window_covering(std::uintptr_t address) const {
    for (const Window& window : windows)
        if (address >= window.begin && address < window.end) return &window;
    return nullptr;
}

std::uintptr_t AddressSpace::Impl::foreign_until(std::uintptr_t address, std::uintptr_t end) const {
    if (reservation_covering(address) || window_covering(address)) return address;
    if (auto next = regions.upper_bound(address); next != regions.end()) end = std::min(end, next->first);
    if (auto next = reservations.upper_bound(address); next != reservations.end()) end = std::min(end, next->first);
    for (const Window& window : windows)
        if (window.begin > address) end = std::min(end, window.begin);
    return end;
}

}  // namespace aclref
