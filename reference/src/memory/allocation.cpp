#include "memory/allocation.hpp"

#include <atomic>
#include <cstring>
#include <optional>
#include <thread>

#include "base/faults/memory.hpp"
#include "base/profile.hpp"
#include "memory/device_memory.hpp"
#include "memory/host_memory.hpp"
#include "memory/managed.hpp"
#include "memory/memory_pool.hpp"
#include "memory/regions.hpp"
#include "runtime/stream.hpp"

namespace aclref {

namespace {

constexpr std::size_t size_grain = 32;
constexpr std::uint32_t application = 33;  ///< module id of memory that the application asked for
constexpr unsigned base_policies = 0xFF;
constexpr unsigned bandwidth = ACL_MEM_TYPE_LOW_BAND_WIDTH | ACL_MEM_TYPE_HIGH_BAND_WIDTH;
constexpr unsigned read_only = ACL_MEM_ACCESS_USER_SPACE_READONLY;

/// For faults: the only thread that a broken library knows.
const std::thread::id loading_thread = std::this_thread::get_id();

/// Whether the block belongs to the device of the calling thread.
bool current_owns(std::uintptr_t base) {
    auto context = Runtime::instance().current_context();
    auto region = AddressSpace::instance().impl().find(base);
    return !region || (context && context->device().id() == region->located.device);
}

/// For a fault: whether the block of huge pages that was freed last began here; one that is `live` is remembered.
bool was_large(std::uintptr_t base, bool live) {
    static std::atomic<std::uintptr_t> last{0};
    const auto region = AddressSpace::instance().impl().find(base);
    if (live && region && region->page != small_page) last = base;
    return !live && last == base;
}

/// Pages a policy asks for.
struct Wanted {
    PageKind pages = PageKind::normal;
    bool falls_back = false;
    bool read_only = false;
};

/// Huge pages for requests above 1 MiB; the comparison is made with what the caller asked for.
Wanted huge_first(std::size_t size) {
    if (size > MiB || faulty(Fault::huge_first_small_takes_huge)) return {PageKind::huge, true};
    return {PageKind::normal, false};
}

/// What a number that is no policy means: huge pages from 2 MiB on.
Wanted by_size(std::size_t size) {
    if (size >= huge_page) return {PageKind::huge, true};
    return {PageKind::normal, false};
}

/// A single base policy; nullopt for a number outside the enumeration.
std::optional<Wanted> base_policy(unsigned policy, std::size_t size) {
    switch (policy) {
        case ACL_MEM_MALLOC_HUGE_FIRST:
        case ACL_MEM_MALLOC_HUGE_FIRST_P2P: return huge_first(size);
        case ACL_MEM_MALLOC_HUGE_ONLY:
        case ACL_MEM_MALLOC_HUGE_ONLY_P2P:
            return Wanted{PageKind::huge, size > MiB && faulty(Fault::huge_only_falls_back)};
        case ACL_MEM_MALLOC_NORMAL_ONLY:
        case ACL_MEM_MALLOC_NORMAL_ONLY_P2P: return Wanted{PageKind::normal};
        case ACL_MEM_MALLOC_HUGE1G_ONLY:
        case ACL_MEM_MALLOC_HUGE1G_ONLY_P2P: return Wanted{PageKind::huge1g};
        default: return std::nullopt;
    }
}

Wanted pages_of(unsigned policy, std::size_t size, AllocationStyle style) {
    // A bandwidth alone is a policy of its own; it matters on IPV350 only, and there it means huge first as well.
    if (policy == ACL_MEM_TYPE_LOW_BAND_WIDTH || policy == ACL_MEM_TYPE_HIGH_BAND_WIDTH) return huge_first(size);
    unsigned base = policy;
    if (style.groups_of_bits) base = policy & ~(bandwidth | read_only);
    else if (profile().product == Product::IPV350) base = policy & ~bandwidth;
    auto wanted = base_policy(base, size);
    // An unknown base takes the other bits down with it.
    if (!wanted) return by_size(size);
    wanted->read_only = style.groups_of_bits && (policy & read_only) != 0;
    return *wanted;
}

aclError check_product(unsigned policy, const Wanted& wanted, const char* api) {
    if (wanted.pages == PageKind::huge1g && !has_huge1g_pages() && !faulty(Fault::malloc_huge1g_everywhere))
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: this product has no 1 GiB pages", api);
    if (wanted.pages == PageKind::huge1g && wanted.read_only)
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: 1 GiB pages cannot be read-only", api);
    if (faulty(Fault::malloc_bandwidth_refused_ipv350) && profile().product == Product::IPV350 && (policy & bandwidth) != 0)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: policy %#x is not defined", api, policy);
    if (faulty(Fault::malloc_bandwidth_alone_refused) && profile().product != Product::IPV350 && policy != 0 &&
        (policy & ~bandwidth) == 0)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: policy %#x is not defined", api, policy);
    const unsigned base = policy & base_policies;
    const bool peer = base == ACL_MEM_MALLOC_HUGE_FIRST_P2P || base == ACL_MEM_MALLOC_HUGE_ONLY_P2P ||
                      base == ACL_MEM_MALLOC_NORMAL_ONLY_P2P || base == ACL_MEM_MALLOC_HUGE1G_ONLY_P2P;
    if (peer && !has_peer_memory())
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: this product has no memory for peer access", api);
    return ACL_SUCCESS;
}

/// The size the caller may use; nullopt when it wraps.
std::optional<std::size_t> usable_size(std::size_t size, PageKind pages, AllocationStyle style) {
    const bool plain_950 = profile().product == Product::p950;
    const bool plain_1g = pages == PageKind::huge1g && !faulty(Fault::malloc_1g_padded);
    const bool padded = style.padded && !plain_950 && !plain_1g && !faulty(Fault::malloc_without_padding);
    const std::size_t padding = padded ? size_grain : 0;
    if (faulty(Fault::malloc_align32_rounds_down) && !style.padded && size > size_grain) return round_down(size, size_grain);
    if (size > SIZE_MAX - (size_grain - 1) - padding) return std::nullopt;
    return round_up(size, size_grain) + padding;
}

/// Reads a configuration of device memory. The last of two equal attributes counts.
aclError read_config(const aclrtMallocConfig& config, int device, std::uint32_t& module, const char* api) {
    if (config.attrs == nullptr && faulty(Fault::malloc_config_missing_attributes_accepted)) return ACL_SUCCESS;
    if (config.attrs == nullptr)
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the configuration has no attributes", api);
    std::uint32_t wanted_device = static_cast<std::uint32_t>(device);
    for (std::size_t index = 0; index < config.numAttrs; ++index) {
        const bool backwards = faulty(Fault::malloc_config_first_attribute_counts);
        const aclrtMallocAttribute& attribute = config.attrs[backwards ? config.numAttrs - 1 - index : index];
        switch (attribute.attr) {
            case ACL_RT_MEM_ATTR_RSV: break;
            case ACL_RT_MEM_ATTR_MODULE_ID:
                module = attribute.value.moduleId;
                if (faulty(Fault::malloc_config_module_refused) && module == application)
                    return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: module %u is reserved", api, module);
                break;
            case ACL_RT_MEM_ATTR_DEVICE_ID:
                wanted_device = attribute.value.deviceId + (faulty(Fault::malloc_config_device_refused) ? 1 : 0);
                break;
            default:
                if (faulty(Fault::malloc_config_attributes_unchecked)) break;
                return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: attribute %d means nothing for device memory", api,
                            attribute.attr);
        }
    }
    if (wanted_device != static_cast<std::uint32_t>(device) && !faulty(Fault::malloc_config_device_ignored))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: device %u is not the current device %d", api, wanted_device, device);
    return ACL_SUCCESS;
}

}  // namespace

aclError allocate_device(void** out, std::size_t size, aclrtMemMallocPolicy policy, const aclrtMallocConfig* config,
                         AllocationStyle style, const char* api) {
    if (out == nullptr && faulty(Fault::malloc_null_out_accepted)) return ACL_SUCCESS;
    if (out == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: devPtr is null", api);
    if (config == nullptr && style.groups_of_bits && faulty(Fault::malloc_config_null_refused))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: cfg is null", api);
    if (config != nullptr && config->attrs == nullptr && config->numAttrs != 0 &&
        !faulty(Fault::malloc_config_missing_attributes_accepted))
        return fail(ACL_ERROR_INVALID_PARAM, "%s: the configuration counts %zu attributes and has none", api,
                    config->numAttrs);
    if (size == 0 && !faulty(Fault::malloc_size_zero_accepted)) return fail(ACL_ERROR_INVALID_PARAM, "%s: size is 0", api);
    const auto bits = static_cast<unsigned>(policy);
    if (faulty(Fault::malloc_unknown_policy_refused) && (bits & base_policies) > ACL_MEM_MALLOC_HUGE1G_ONLY_P2P &&
        std::strcmp(api, "aclrtMalloc") != 0)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: policy %#x is not defined", api, bits);
    const Wanted wanted = pages_of(bits, size, style);
    if (faulty(Fault::malloc_size_wraps_in_pages) && size > SIZE_MAX - huge_page && size < SIZE_MAX - small_page / 2)
        return allocate_device(out, size_grain, ACL_MEM_MALLOC_NORMAL_ONLY, config, style, api);
    const auto usable = usable_size(size, wanted.pages, style);
    if (!usable && faulty(Fault::malloc_size_wraps) && std::strcmp(api, "aclrtMalloc") != 0)
        return allocate_device(out, size_grain, ACL_MEM_MALLOC_NORMAL_ONLY, config, style, api);
    if (!usable) return fail(ACL_ERROR_INVALID_PARAM, "%s: size %zu wraps when it is rounded", api, size);
    aclError code = 0;
    auto context = require_context(code, api);
    if (!context && faulty(Fault::malloc_needs_no_context) && Runtime::instance().device(0) != nullptr) {
        Runtime::instance().set_device(*Runtime::instance().device(0));
        context = Runtime::instance().current_context();
    }
    if (!context) return code;
    const bool waits = faulty(Fault::malloc_waits_for_streams) ||
                       (size > huge_page && faulty(Fault::malloc_large_waits_for_streams));
    if (waits) synchronize_context(*context, std::chrono::milliseconds(-1));
    if (faulty(Fault::malloc_waits_for_default_stream))
        if (const auto stream = context->default_stream()) stream->synchronize();
    const int device = context->device().id();
    DeviceRequest request;
    request.module = application;
    request.cached = style.cached;
    request.configured = style.groups_of_bits;
    request.combined = (bits & bandwidth) != 0 && (bits & base_policies) != 0;
    if (config != nullptr)
        if (code = read_config(*config, device, request.module, api); code != 0) return code;
    if (faulty(Fault::malloc_config_groups_refused) && style.groups_of_bits && (bits & bandwidth) != 0 &&
        (bits & base_policies) != 0)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: policy %#x is not defined", api, bits);
    if (code = check_product(bits, wanted, api); code != 0) return code;
    if (faulty(Fault::malloc_refused_in_other_threads) && std::this_thread::get_id() != loading_thread)
        return fail(ACL_ERROR_RT_CONTEXT_NULL, "%s: the thread has no device", api);
    request.asked = size;
    request.span = *usable;
    const bool for_peers = bits >= ACL_MEM_MALLOC_HUGE_FIRST_P2P && bits <= ACL_MEM_MALLOC_NORMAL_ONLY_P2P;
    if (faulty(Fault::malloc_peer_memory_short) && for_peers && size > 64)
        request.span = size - size_grain;
    if (faulty(Fault::malloc_peer_memory_unrounded) && for_peers) request.span = size;
    request.pages = wanted.pages;
    request.falls_back = wanted.falls_back && !faulty(Fault::huge_first_never_falls_back);
    request.read_only = wanted.read_only;
    auto memory = DeviceMemory::of(faulty(Fault::malloc_always_on_device_zero) ? 0 : device);
    if (!memory) return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no addresses for the memory of device %d", api, device);
    return memory->allocate(request, out, api);
}

aclError free_device(void* pointer, const char* api) {
    if (pointer == nullptr) {
        if (faulty(Fault::free_accepts_null)) return ACL_SUCCESS;
        return fail(ACL_ERROR_INVALID_PARAM, "%s: devPtr is null", api);
    }
    const auto base = reinterpret_cast<std::uintptr_t>(pointer);
    if (faulty(Fault::free_ignored_in_other_threads) && std::this_thread::get_id() != loading_thread) return ACL_SUCCESS;
    if (faulty(Fault::free_needs_allocating_context) && !current_owns(base))
        return fail(ACL_ERROR_RT_CONTEXT_NULL, "%s: %p was allocated in another context", api, pointer);
    if (faulty(Fault::double_free_of_large_succeeds)) was_large(base, true);
    if (free_device_memory(base) || free_managed(base) || free_pool_memory(base)) return ACL_SUCCESS;
    if (faulty(Fault::double_free_of_large_succeeds) && was_large(base, false)) return ACL_SUCCESS;
    if (faulty(Fault::double_free_succeeds)) return ACL_SUCCESS;
    return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: no live allocation starts at %p", api, pointer);
}

aclError allocate_pinned(void** out, std::size_t size, const aclrtMallocConfig* config, const char* api) {
    if (out == nullptr && faulty(Fault::malloc_null_out_accepted)) return ACL_SUCCESS;
    if (out == nullptr) return fail(ACL_ERROR_INVALID_PARAM, "%s: hostPtr is null", api);
    if (size == 0 && faulty(Fault::malloc_size_zero_accepted)) size = 1;
    if (size == 0) return fail(ACL_ERROR_INVALID_PARAM, "%s: size is 0", api);
    aclError code = 0;
    auto context = require_context(code, api);
    if (!context) return code;
    const bool waits = faulty(Fault::malloc_waits_for_streams) || (faulty(Fault::malloc_host_large_waits) && size > 4 * MiB);
    if (waits) synchronize_context(*context, std::chrono::milliseconds(-1));
    auto awaited = faulty(Fault::malloc_host_waits_for_default_stream) ? context->default_stream() : nullptr;
    if (awaited) awaited->synchronize();
    bool same_address = false;
    if (config != nullptr) {
        if (config->attrs == nullptr)
            return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the configuration has no attributes", api);
        for (std::size_t index = 0; index < config->numAttrs; ++index) {
            const aclrtMallocAttribute& attribute = config->attrs[index];
            switch (attribute.attr) {
                case ACL_RT_MEM_ATTR_RSV:
                case ACL_RT_MEM_ATTR_MODULE_ID: break;
                case ACL_RT_MEM_ATTR_VA_FLAG:
                    same_address = attribute.value.vaFlag != 0;
                    if (same_address || !faulty(Fault::va_flag_zero_refused)) break;
                    [[fallthrough]];
                default:
                    if (faulty(Fault::malloc_config_attributes_unchecked)) break;
                    return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: attribute %d means nothing for host memory", api,
                                attribute.attr);
            }
        }
    }
    if (faulty(Fault::va_flag_everywhere) && profile().product != Product::A3 && profile().product != Product::p910b)
        same_address = false;
    if (same_address && profile().product != Product::A3 && profile().product != Product::p910b)
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: this product has no common host and device addresses", api);
    if (faulty(Fault::va_flag_ignored)) same_address = false;
    code = allocate_host(size, same_address, context->device().id(), out, api);
    const bool unpinned = config != nullptr ? faulty(Fault::malloc_host_with_cfg_pageable)
                                            : faulty(Fault::malloc_host_without_cfg_pageable) &&
                                                  std::strcmp(api, "aclrtMallocHostWithCfg") == 0;
    if (code == 0 && unpinned) {
        AddressSpace::Impl& space = AddressSpace::instance().impl();
        std::unique_lock lock(space.mutex);
        space.regions.at(reinterpret_cast<std::uintptr_t>(*out)).located.kind = MemoryKind::foreign;
    }
    return code;
}

}  // namespace aclref
