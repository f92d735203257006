#include "memory/physical_memory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "base/faults/memory.hpp"
#include "base/profile.hpp"
#include "memory/addresses.hpp"
#include "memory/device_memory.hpp"

namespace aclref {

namespace {

constexpr std::uint64_t fabric_magic = 0xFAB41C00ACC1FFE5;

HandleTable<PhysicalMemory>& handles() {
    static auto* table = new HandleTable<PhysicalMemory>;
    return *table;
}

/// Freed here, held by other processes: their pages stay counted.
struct Lingering {
    std::uint64_t offer;
    DevicePages pages;
};

/// For a fault: what memory was allocated with last. Guarded by virtual_memory_mutex().
aclrtMemAttr last_attribute = ACL_HBM_MEM_HUGE;

std::vector<Lingering>& lingering() {
    static auto* list = new std::vector<Lingering>;
    return *list;
}

/// Where an attribute may be used, and the pages it means.
struct AttributeFacts {
    bool on_device = false;
    bool on_host = false;
    PageKind pages = PageKind::huge;
    bool peer = false;
};

/// False for attributes that are no property of physical memory.
bool facts_of(aclrtMemAttr attribute, AttributeFacts& facts) {
    switch (attribute) {
        // Normal pages of HBM are served from huge ones, says the document.
        case ACL_HBM_MEM_HUGE:
        case ACL_HBM_MEM_NORMAL: facts = {true, false, PageKind::huge, false}; return true;
        case ACL_HBM_MEM_HUGE1G: facts = {true, false, PageKind::huge1g, false}; return true;
        case ACL_DDR_MEM_HUGE: facts = {false, true, PageKind::huge, false}; return true;
        case ACL_DDR_MEM_NORMAL: facts = {false, true, PageKind::normal, false}; return true;
        case ACL_DDR_MEM_P2P_HUGE: facts = {false, true, PageKind::huge, true}; return true;
        case ACL_DDR_MEM_P2P_NORMAL: facts = {false, true, PageKind::normal, true}; return true;
        case ACL_MEM_NORMAL: facts = {true, true, PageKind::normal, false}; return true;
        case ACL_MEM_HUGE: facts = {true, true, PageKind::huge, false}; return true;
        case ACL_MEM_HUGE1G: facts = {true, false, PageKind::huge1g, false}; return true;
        case ACL_MEM_P2P_NORMAL: facts = {true, true, PageKind::normal, true}; return true;
        case ACL_MEM_P2P_HUGE: facts = {true, true, PageKind::huge, true}; return true;
        case ACL_MEM_P2P_HUGE1G: facts = {true, false, PageKind::huge1g, true}; return true;
        case ACL_DDR_MEM:
        case ACL_HBM_MEM:
        case ACL_HBM_MEM_P2P_HUGE:
        case ACL_HBM_MEM_P2P_NORMAL:
        case ACL_HBM_MEM_P2P_HUGE1G: break;
    }
    return false;
}

bool node_exists(std::uint32_t node) {
    char path[64];
    std::snprintf(path, sizeof(path), "/sys/devices/system/node/node%u", node);
    struct stat entry {};
    // A machine without the folder has one node.
    return node == 0 || stat(path, &entry) == 0;
}

aclError check_products(aclrtMemAttr attribute, const AttributeFacts& facts, const char* api) {
    const Product product = profile().product;
    bool available = facts.pages != PageKind::huge1g || has_huge1g_pages();
    if (attribute == ACL_MEM_HUGE1G) available = product == Product::A3 || product == Product::p910b;
    if (attribute == ACL_MEM_P2P_HUGE1G) available = product == Product::A3;
    if (facts.on_device && facts.peer && !has_peer_memory()) available = false;
    if (available) return ACL_SUCCESS;
    return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: this product has no memory of attribute %d", api, attribute);
}

/// Everything a property must be before memory with it can be asked for.
aclError check_properties(const aclrtPhysicalMemProp& properties, AttributeFacts& facts, const char* api) {
    const aclError refused = ACL_ERROR_INVALID_PARAM;
    if (faulty(Fault::physical_properties_unchecked) && facts_of(properties.memAttr, facts)) return ACL_SUCCESS;
    if (properties.handleType != ACL_MEM_HANDLE_TYPE_NONE)
        return fail(refused, "%s: handle type %d is not supported", api, properties.handleType);
    if (properties.allocationType != ACL_MEM_ALLOCATION_TYPE_PINNED)
        return fail(refused, "%s: allocation type %d is not supported", api, properties.allocationType);
    const auto type = properties.location.type;
    const bool on_device = type == ACL_MEM_LOCATION_TYPE_DEVICE;
    if (!on_device && faulty(Fault::physical_host_refused))
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: only devices have physical memory", api);
    if (!on_device && type != ACL_MEM_LOCATION_TYPE_HOST && type != ACL_MEM_LOCATION_TYPE_HOST_NUMA)
        return fail(refused, "%s: location type %d is not supported", api, type);
    if (!facts_of(properties.memAttr, facts) || !(on_device ? facts.on_device : facts.on_host))
        return fail(refused, "%s: attribute %d is not supported at this location", api, properties.memAttr);
    if (properties.reserve != 0) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the reserved field is not 0", api);
    if (on_device && properties.location.id >= static_cast<std::uint32_t>(Runtime::instance().device_count()))
        return fail(ACL_ERROR_RT_INVALID_DEVICEID, "%s: there is no device %u", api, properties.location.id);
    if (type == ACL_MEM_LOCATION_TYPE_HOST_NUMA && properties.location.id == 0 && faulty(Fault::physical_node_zero_refused))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: node 0 belongs to the system", api);
    if (type == ACL_MEM_LOCATION_TYPE_HOST_NUMA && !node_exists(properties.location.id))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: there is no NUMA node %u", api, properties.location.id);
    if (properties.memAttr == ACL_HBM_MEM_NORMAL && faulty(Fault::physical_normal_pages_refused))
        return fail(refused, "%s: normal pages cannot be mapped", api);
    const bool generic_peer = properties.memAttr == ACL_MEM_P2P_NORMAL || properties.memAttr == ACL_MEM_P2P_HUGE;
    if (generic_peer && faulty(Fault::physical_generic_peer_refused))
        return fail(refused, "%s: attribute %d is not supported", api, properties.memAttr);
    return check_products(properties.memAttr, facts, api);
}

/// Granules that were given back and not yet taken again.
struct SpareGranules {
    struct Granule {
        std::byte* bytes;
        int descriptor;
    };
    static constexpr std::size_t most = 8;
    std::mutex mutex;
    std::vector<Granule> granules;
};

SpareGranules& spare() {
    static auto* spare = new SpareGranules;
    return *spare;
}

bool keep_spare(PhysicalPages& pages) {
    if (!pages.unseen || pages.size != huge_page || pages.descriptor < 0 || in_forked_child()) return false;
    std::lock_guard lock(spare().mutex);
    if (spare().granules.size() == SpareGranules::most || !keep_used(pages.bytes, pages.size)) return false;
    spare().granules.push_back({pages.bytes, pages.descriptor});
    return true;
}

bool take_spare(PhysicalPages& pages) {
    if (pages.size != huge_page || in_forked_child()) return false;
    std::lock_guard lock(spare().mutex);
    if (spare().granules.empty()) return false;
    pages.bytes = spare().granules.back().bytes;
    pages.descriptor = spare().granules.back().descriptor;
    spare().granules.pop_back();
    return true;
}

/// Memory that can be mapped and, as long as descriptors last, exported. Null when there is none.
std::shared_ptr<PhysicalPages> make_pages(std::size_t size) {
    auto pages = std::make_shared<PhysicalPages>();
    pages->size = size;
    pages->unseen = true;
    if (take_spare(*pages)) return pages;
    pages->descriptor = memfd_create("aclref-physical", MFD_CLOEXEC);
    if (pages->descriptor >= 0 && ftruncate(pages->descriptor, static_cast<off_t>(size)) != 0) return nullptr;
    const int anonymous = pages->descriptor < 0 ? MAP_ANONYMOUS : 0;
    pages->bytes = show_anywhere(size, MAP_SHARED | anonymous, pages->descriptor, 0);
    return pages->bytes ? pages : nullptr;
}

aclrtDrvMemHandle publish(const std::shared_ptr<PhysicalMemory>& memory) {
    memory->handle = handles().add(memory);
    return memory->handle;
}

aclError no_handle(aclrtDrvMemHandle handle, const char* api) {
    return fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: %p is no live handle of physical memory", api, handle);
}

}  // namespace

PhysicalPages::~PhysicalPages() {
    if (keep_spare(*this)) return;
    if (bytes) munmap(bytes, size);
    if (descriptor >= 0) close(descriptor);
}

std::mutex& virtual_memory_mutex() {
    static auto* mutex = new std::mutex;
    return *mutex;
}

namespace {

/// What a broken library tells instead of a granularity; the same where no such fault is selected.
std::size_t told_granularity(const aclrtPhysicalMemProp& properties, bool recommended) {
    const bool generic_1g = properties.memAttr == ACL_MEM_HUGE1G || properties.memAttr == ACL_MEM_P2P_HUGE1G;
    const bool on_device = properties.location.type == ACL_MEM_LOCATION_TYPE_DEVICE;
    if (faulty(Fault::granularity_is_small_page)) return small_page;
    if (faulty(Fault::granularity_of_host_is_small_page) && !on_device) return small_page;
    if (faulty(Fault::granularity_of_generic_1g_is_huge) && generic_1g) return huge_page;
    if (faulty(Fault::granularity_recommended_is_huge) && recommended) return huge_page;
    return granularity_of(properties);
}

}  // namespace

std::size_t granularity_of(const aclrtPhysicalMemProp& properties) {
    AttributeFacts facts;
    return facts_of(properties.memAttr, facts) && facts.pages == PageKind::huge1g ? GiB : huge_page;
}

aclError allocation_granularity(const aclrtPhysicalMemProp& properties, aclrtMemGranularityOptions option,
                                std::size_t& granularity, const char* api) {
    if (faulty(Fault::granularity_unchecked)) return granularity = granularity_of(properties), ACL_SUCCESS;
    AttributeFacts facts;
    if (aclError code = check_properties(properties, facts, api)) return code;
    const bool recommended = option == ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED;
    if ((option != ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM && !recommended) ||
        (recommended && faulty(Fault::granularity_rejects_recommended)))
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: option %d is not supported", api, option);
    granularity = told_granularity(properties, recommended);
    return ACL_SUCCESS;
}

aclError allocate_physical(std::size_t size, const aclrtPhysicalMemProp& properties, aclrtDrvMemHandle& out,
                           const char* api) {
    AttributeFacts facts;
    if (aclError code = check_properties(properties, facts, api)) return code;
    if (!is_multiple(size, granularity_of(properties)) && !faulty(Fault::physical_size_unchecked))
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: size %zu is not a multiple of %zu", api, size,
                    granularity_of(properties));
    if (size > granularity_of(properties) && faulty(Fault::physical_second_granule_refused))
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: %zu bytes are not contiguous", api, size);
    auto memory = std::make_shared<PhysicalMemory>();
    memory->size = size;
    memory->properties = properties;
    memory->page = static_cast<std::uint32_t>(page_bytes(facts.pages));
    const bool on_device = properties.location.type == ACL_MEM_LOCATION_TYPE_DEVICE;
    if (properties.location.type == ACL_MEM_LOCATION_TYPE_HOST_NUMA)
        memory->numa_node = static_cast<int>(properties.location.id);
    const aclError exhausted = ACL_ERROR_RT_MEMORY_ALLOCATION;
    std::shared_ptr<DeviceMemory> owner;
    if (on_device) {
        settle_shared_memory();
        memory->device = static_cast<int>(properties.location.id);
        memory->charged = {memory->device, facts.pages, size, 0, 0};
        owner = DeviceMemory::of(memory->device);
        if (!owner || !owner->charge(memory->charged)) {
            DevicePages kept{memory->device, PageKind::huge, huge_page, 0, 0};
            if (owner && faulty(Fault::failed_physical_keeps_pages)) owner->charge(kept);
            return fail(exhausted, "%s: %zu bytes are not available on device %d", api, size, memory->device);
        }
    } else if (size > host_memory_bytes()) {
        return fail(exhausted, "%s: %zu bytes of host memory are not available", api, size);
    }
    memory->pages = make_pages(size);
    if (!memory->pages) {
        if (owner) owner->uncharge(memory->charged);
        return fail(exhausted, "%s: %zu bytes are not available", api, size);
    }
    spoil(memory->pages->bytes, size);
    std::lock_guard lock(virtual_memory_mutex());
    memory->handles = 1;
    last_attribute = properties.memAttr;
    out = publish(memory);
    return ACL_SUCCESS;
}

std::shared_ptr<PhysicalMemory> find_physical(aclrtDrvMemHandle handle) { return handles().find(handle); }

aclrtDrvMemHandle retain_physical(const std::shared_ptr<PhysicalMemory>& memory) {
    if (memory->handles == 0) publish(memory);
    if (memory->handles == 0 || !faulty(Fault::retain_not_counted)) ++memory->handles;
    return memory->handle;
}

void settle_physical(PhysicalMemory& memory) {
    if (memory.handles != 0 || memory.maps != 0) return;
    if (memory.offer != 0) withdraw_offer(memory.offer);
    if (memory.charged.bytes != 0) {
        if (memory.offer != 0 && held_elsewhere(memory.offer) && !faulty(Fault::physical_freed_by_exporter)) lingering().push_back({memory.offer, memory.charged});
        else if (auto owner = DeviceMemory::of(memory.charged.device)) owner->uncharge(memory.charged);
        memory.charged.bytes = 0;
    }
    memory.origin.reset();
}

void drop_handle(PhysicalMemory& memory) {
    handles().remove(memory.handle);
    memory.handles = 0;
}

aclError free_physical(aclrtDrvMemHandle handle, const char* api) {
    std::lock_guard lock(virtual_memory_mutex());
    auto memory = find_physical(handle);
    if (!memory) {
        if (faulty(Fault::free_physical_anything_succeeds)) return ACL_SUCCESS;
        return no_handle(handle, api);
    }
    if (memory->origin && faulty(Fault::import_handle_cannot_be_freed))
        return fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: %p was not allocated here", api, handle);
    if (--memory->handles == 0) handles().remove(handle);
    if (memory->maps != 0 && faulty(Fault::physical_handle_of_first)) std::memset(memory->pages->bytes, 0, 64);
    settle_physical(*memory);
    return ACL_SUCCESS;
}

aclError physical_properties(aclrtDrvMemHandle handle, aclrtPhysicalMemProp& out, const char* api) {
    std::lock_guard lock(virtual_memory_mutex());
    auto memory = find_physical(handle);
    if (!memory) return no_handle(handle, api);
    out = memory->properties;
    if (faulty(Fault::properties_types_lost)) out.allocationType = static_cast<aclrtMemAllocationType>(1);
    if (faulty(Fault::properties_attribute_is_huge) && memory->device >= 0) out.memAttr = ACL_HBM_MEM_HUGE;
    if (faulty(Fault::properties_attribute_of_last)) out.memAttr = last_attribute;
    if (faulty(Fault::properties_forget_location)) out.location = {0, ACL_MEM_LOCATION_TYPE_HOST};
    return ACL_SUCCESS;
}

aclError export_physical(aclrtDrvMemHandle handle, std::uint64_t flags, std::uint64_t& number, const char* api) {
    std::lock_guard lock(virtual_memory_mutex());
    auto memory = find_physical(handle);
    if (!memory) return no_handle(handle, api);
    if (memory->device < 0) return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s: host memory cannot be shared", api);
    if (memory->origin) return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: imported memory cannot be shared on", api);
    if (memory->offer != 0 && !faulty(Fault::export_twice_succeeds)) {
        if (faulty(Fault::export_refusal_forgets)) memory->offer = 0;
        return fail(ACL_ERROR_RT_PARAM_INVALID, "%s: the handle was exported before", api);
    }
    const SharedPiece piece{0, memory->size, memory->device, memory->page, memory->properties};
    const bool listed_only = faulty(Fault::export_always_listed) || (flags & ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION) == 0;
    memory->pages->unseen = false;
    const std::uint64_t made = offer_memory(OfferKind::physical, piece, memory->pages->descriptor, listed_only);
    if (made == 0) return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: no more handles can be exported", api);
    memory->offer = made;
    number = made;
    return ACL_SUCCESS;
}

aclError import_physical(std::uint64_t number, int device, aclrtDrvMemHandle& out, const char* api) {
    std::shared_ptr<ImportedMemory> origin;
    if (aclError code = import_memory(number, OfferKind::physical, origin, api)) {
        if (!faulty(Fault::import_unknown_gives_handle)) return code;
        aclrtPhysicalMemProp fresh{};
        fresh.memAttr = ACL_HBM_MEM_HUGE;
        fresh.location = {static_cast<std::uint32_t>(device), ACL_MEM_LOCATION_TYPE_DEVICE};
        return allocate_physical(huge_page, fresh, out, api);
    }
    if (origin->piece.device != device && faulty(Fault::import_on_other_device_refused))
        return fail(ACL_ERROR_RT_INVALID_DEVICEID, "%s: the memory is on device %d", api, origin->piece.device);
    auto memory = std::make_shared<PhysicalMemory>();
    memory->size = origin->piece.size;
    memory->properties = origin->piece.properties;
    memory->properties.location = {static_cast<std::uint32_t>(device), ACL_MEM_LOCATION_TYPE_DEVICE};
    memory->device = device;
    memory->page = origin->piece.page;
    memory->pages = std::make_shared<PhysicalPages>();
    memory->pages->size = memory->size;
    const int sharing = faulty(Fault::import_is_private) ? MAP_PRIVATE : MAP_SHARED;
    memory->pages->bytes = show_anywhere(memory->size, sharing, origin->descriptor, 0);
    if (!memory->pages->bytes)
        return fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: %zu bytes cannot be mapped", api, memory->size);
    memory->pages->descriptor = std::exchange(origin->descriptor, -1);
    memory->origin = std::move(origin);
    // Shared pages count for each process that holds them; a full device does not hinder sharing.
    memory->charged = {device, memory->page == huge_page ? PageKind::huge : PageKind::normal, memory->size, 0, 0};
    auto owner = DeviceMemory::of(device);
    if (!owner || !owner->charge(memory->charged)) memory->charged.bytes = 0;
    std::lock_guard lock(virtual_memory_mutex());
    memory->handles = 1;
    out = publish(memory);
    return ACL_SUCCESS;
}

void write_fabric_handle(std::uint64_t number, void* out) {
    std::uint64_t words[fabric_handle_bytes / sizeof(std::uint64_t)];
    for (std::size_t index = 0; index < std::size(words); ++index) words[index] = number ^ (fabric_magic * index);
    std::memcpy(out, words, sizeof(words) / (faulty(Fault::share_fabric_handle_short) ? 2 : 1));
}

std::uint64_t read_fabric_handle(const void* handle) {
    std::uint64_t words[fabric_handle_bytes / sizeof(std::uint64_t)];
    std::memcpy(words, handle, sizeof(words));
    for (std::size_t index = 0; index < std::size(words); ++index)
        if (words[index] != (words[0] ^ (fabric_magic * index))) return 0;
    return words[0];
}

void settle_shared_memory() {
    std::lock_guard lock(virtual_memory_mutex());
    std::erase_if(lingering(), [](const Lingering& one) {
        if (held_elsewhere(one.offer)) return false;
        if (auto owner = DeviceMemory::of(one.pages.device)) owner->uncharge(one.pages);
        return !faulty(Fault::physical_shared_given_back_twice);
    });
}

std::size_t physical_count() { return handles().size(); }

void release_physical(int device) {
    std::lock_guard lock(virtual_memory_mutex());
    for (const auto& memory : handles().all()) {
        if (device >= 0 && memory->device != device) continue;
        handles().remove(memory->handle);
        memory->handles = 0;
        settle_physical(*memory);
    }
}

}  // namespace aclref
