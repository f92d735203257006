#include "memory/ipc_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/faults/memory.hpp"
#include "base/profile.hpp"
#include "copy/peer.hpp"
#include "memory/addresses.hpp"
#include "memory/device_memory.hpp"
#include "memory/foreign.hpp"
#include "memory/regions.hpp"
#include "memory/shared_memory.hpp"

namespace aclref {

namespace {

AddressSpace::Impl& space() { return AddressSpace::instance().impl(); }

struct Export {
    std::uintptr_t base = 0;
    std::size_t size = 0;
    int device = -1;
};

/// Keys of this process by their number.
struct Keys {
    std::mutex mutex;
    std::map<std::uint64_t, Export> exported;
    std::map<std::uint64_t, std::uintptr_t> imported;  ///< address here
    std::uintptr_t closed = 0;                         ///< block of the key that was closed last; for a fault
};

Keys& keys() {
    static auto* instance = new Keys;
    return *instance;
}

/// An imported block: its view, the other process's memory and the addresses the caller sees.
struct ImportedBlock {
    std::shared_ptr<ImportedMemory> origin;
    std::byte* view = nullptr;
    std::size_t size = 0;
    ~ImportedBlock() {
        if (view) munmap(view, size);
    }
};

/// Spreads the number over the other digits, so that a key is recognised as one of ours.
std::uint64_t mix(std::uint64_t number, unsigned round) {
    number ^= 0x9E3779B97F4A7C15 * (round + 1);
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9;
    return number ^ (number >> 31);
}

std::string key_text(std::uint64_t number) {
    char text[ipc_key_bytes];
    std::snprintf(text, sizeof(text), "%016lx%016lx%016lx%016lx", number, mix(number, 0), mix(number, 1), mix(number, 2));
    return text;
}

/// The number behind a key; 0 when it is none. It is read like any memory of the caller: whole or not at all.
std::uint64_t key_number(const char* key) {
    char text[ipc_key_bytes];
    unsigned long number = 0;
    if (!read_foreign(text, key, sizeof(text)) || text[ipc_key_bytes - 1] != '\0') return 0;
    if (std::sscanf(text, "%16lx", &number) != 1) return 0;
    const std::size_t compared = ipc_key_bytes - (faulty(Fault::ipc_key_end_unchecked) ? 17 : 0);
    return std::strncmp(key_text(number).c_str(), text, compared) == 0 ? number : 0;
}

aclError no_key(const char* api) { return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the key is not known", api); }

/// Memory of nobody: what a broken import shows instead of the exporter's.
int fresh_pages(std::size_t size) {
    const int descriptor = memfd_create("aclref-fresh", MFD_CLOEXEC);
    if (descriptor >= 0 && ftruncate(descriptor, static_cast<off_t>(size)) != 0) return close(descriptor), -1;
    return descriptor;
}

void drop_import(std::uintptr_t base) {
    if (auto region = space().take(base, Source::import)) unreserve(region->base, region->span);
}

}  // namespace

aclError export_block(void* start, std::size_t size, std::uint64_t flags, char* key, const char* api) {
    const aclError refused = ACL_ERROR_RT_PARAM_INVALID;
    auto address = reinterpret_cast<std::uintptr_t>(start);
    auto region = space().find(address);
    if (!region || region->source != Source::malloc)
        return fail(refused, "%s: %p is not memory of aclrtMalloc", api, start);
    const bool whole = is_multiple(address, region->page) && is_multiple(size, region->page);
    if (!whole && faulty(Fault::ipc_export_shares_whole_page)) {
        address = round_down(address, region->page);
        size = round_up(size, region->page);
    } else if (!whole || size > region->base + region->room - address) {
        return fail(refused, "%s: %p + %zu are not whole pages of %u bytes in one block", api, start, size, region->page);
    }
    auto memory = DeviceMemory::of(region->located.device);
    if (!memory) return fail(refused, "%s: %p is not memory of aclrtMalloc", api, start);
    if (!foreign_accessible(key, ipc_key_bytes, true)) return fail(refused, "%s: the key buffer cannot be written", api);
    std::lock_guard lock(keys().mutex);
    for (const auto& [number, other] : keys().exported)
        if (other.base == address) return fail(refused, "%s: the block at %p is exported already", api, start);
    SharedPiece piece;
    piece.offset = memory->arena_offset(address);
    piece.size = size;
    piece.device = region->located.device;
    piece.page = region->page;
    const bool listed_only = (flags & ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION) == 0 ||
                             faulty(Fault::ipc_export_flag_ignored);
    const std::uint64_t number = offer_memory(OfferKind::block, piece, memory->arena_descriptor(), listed_only);
    if (number == 0) return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no more keys can be made", api);
    if (faulty(Fault::ipc_list_outlives_key) && address != keys().closed) forbid_processes(number);
    keys().exported.emplace(number, Export{address, size, piece.device});
    std::memcpy(key, key_text(number).c_str(), ipc_key_bytes);
    return ACL_SUCCESS;
}

aclError allow_importers(const char* key, const std::int32_t* processes, std::size_t count, const char* api) {
    const std::uint64_t number = key_number(key);
    if (faulty(Fault::ipc_second_list_replaces_first)) forbid_processes(number);
    if (faulty(Fault::ipc_list_cut_at_16)) count = std::min<std::size_t>(count, 16);
    if (allow_processes(number, OfferKind::block, processes, count)) return ACL_SUCCESS;
    return faulty(Fault::ipc_list_of_unknown_key_accepted) ? ACL_SUCCESS : no_key(api);
}

aclError check_key(const char* key, const char* api) {
    const std::uint64_t number = key_number(key);
    std::lock_guard lock(keys().mutex);
    const bool known = keys().exported.contains(number) || keys().imported.contains(number);
    return known ? ACL_SUCCESS : no_key(api);
}

aclError import_block(const char* key, bool enable_peer, void** out, const char* api) {
    aclError code = 0;
    auto context = require_context(code, api);
    if (!context) return code;
    const std::uint64_t number = key_number(key);
    if (number == 0 && faulty(Fault::ipc_unknown_key_imported)) return *out = const_cast<char*>(key), ACL_SUCCESS;
    if (number == 0) return no_key(api);
    std::lock_guard lock(keys().mutex);
    if (keys().imported.contains(number))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the key is imported already", api);
    auto block = std::make_shared<ImportedBlock>();
    if (code = import_memory(number, OfferKind::block, block->origin, api); code != 0) return code;
    const SharedPiece& piece = block->origin->piece;
    block->size = round_up(piece.size, small_page);
    int descriptor = std::exchange(block->origin->descriptor, -1);
    std::size_t offset = piece.offset;
    if (faulty(Fault::ipc_import_gives_fresh_pages)) {
        close(descriptor);
        descriptor = fresh_pages(block->size);
        offset = 0;
    }
    const aclError failed = ACL_ERROR_RT_MEMORY_ALLOCATION;
    const int sharing = faulty(Fault::ipc_import_is_private) ? MAP_PRIVATE : MAP_SHARED;
    block->view = show_anywhere(block->size, sharing, descriptor, offset);
    if (faulty(Fault::ipc_import_first_page_only) && block->view) {
        for (std::size_t at = small_page; at < block->size; at += small_page)
            mmap(block->view + at, small_page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor,
                 static_cast<off_t>(offset));
    }
    const std::uintptr_t base = block->view ? reserve_anywhere(block->size, huge_page) : 0;
    const bool visible =
        base != 0 && (!profile().shares_memory_with_host() || show(base, block->size, descriptor, offset));
    close(descriptor);
    if (!visible) {
        if (base != 0) unreserve(base, block->size);
        return fail(failed, "%s: no addresses for %zu bytes", api, piece.size);
    }
    const int here = context->device().id();
    if (enable_peer && here != piece.device && Runtime::instance().device(piece.device)) {
        open_peer_access(here, piece.device);
        open_peer_access(piece.device, here);
    }
    Region region;
    region.base = base;
    region.span = block->size;
    region.located = {MemoryKind::device, piece.device, base, piece.size};
    region.source = Source::import;
    region.bytes = block->view;
    region.page = piece.page;
    region.hold = std::move(block);
    space().insert(std::move(region));
    keys().imported.emplace(number, base);
    *out = reinterpret_cast<void*>(base);
    return ACL_SUCCESS;
}

aclError close_key(const char* key, const char* api) {
    const std::uint64_t number = key_number(key);
    std::lock_guard lock(keys().mutex);
    if (auto imported = keys().imported.find(number); imported != keys().imported.end()) {
        if (faulty(Fault::ipc_importer_close_refused)) return no_key(api);
        if (!faulty(Fault::ipc_close_keeps_mapping)) drop_import(imported->second);
        if (faulty(Fault::ipc_close_ends_every_import))
            for (const auto& [other, base] : keys().imported) drop_import(base);
        keys().imported.erase(imported);
        return ACL_SUCCESS;
    }
    if (auto exported = keys().exported.find(number); exported != keys().exported.end()) {
        if (!faulty(Fault::ipc_import_after_close)) withdraw_offer(number);
        keys().closed = exported->second.base;
        keys().exported.erase(exported);
        return ACL_SUCCESS;
    }
    if (faulty(Fault::ipc_close_twice_succeeds)) return ACL_SUCCESS;
    return no_key(api);
}

void forget_exports(std::uintptr_t base, std::size_t size) {
    std::lock_guard lock(keys().mutex);
    if (keys().closed - base < size) keys().closed = 0;
    std::erase_if(keys().exported, [&](const auto& entry) {
        const bool inside = entry.second.base >= base && entry.second.base - base < size;
        if (inside) withdraw_offer(entry.first);
        return inside;
    });
}

std::size_t export_count() {
    std::lock_guard lock(keys().mutex);
    return keys().exported.size();
}

std::size_t import_count() {
    std::lock_guard lock(keys().mutex);
    return keys().imported.size();
}

void release_ipc_memory(int device) {
    std::lock_guard lock(keys().mutex);
    std::erase_if(keys().exported, [&](const auto& entry) {
        if (device >= 0 && entry.second.device != device) return false;
        withdraw_offer(entry.first);
        return true;
    });
    std::erase_if(keys().imported, [&](const auto& entry) {
        if (device >= 0 && AddressSpace::instance().locate(reinterpret_cast<void*>(entry.second)).device != device)
            return false;
        drop_import(entry.second);
        return true;
    });
}

}  // namespace aclref
