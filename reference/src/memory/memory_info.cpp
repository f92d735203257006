// What aclrtGetMemInfo tells.
#include "base/faults/memory.hpp"
#include "base/profile.hpp"
#include "memory/address_space.hpp"
#include "memory/device_memory.hpp"
#include "memory/physical_memory.hpp"

namespace aclref {

namespace {

enum class Pages { all, huge, normal, huge1g };

/// An attribute taken apart.
struct Asked {
    bool ddr = false;   ///< names DDR
    bool hbm = false;   ///< names HBM
    bool peer = false;
    Pages pages = Pages::all;
};

bool take_apart(aclrtMemAttr attribute, Asked& asked) {
    switch (attribute) {
        case ACL_DDR_MEM: asked = {true, false, false, Pages::all}; return true;
        case ACL_HBM_MEM: asked = {false, true, false, Pages::all}; return true;
        case ACL_DDR_MEM_HUGE: asked = {true, false, false, Pages::huge}; return true;
        case ACL_DDR_MEM_NORMAL: asked = {true, false, false, Pages::normal}; return true;
        case ACL_HBM_MEM_HUGE: asked = {false, true, false, Pages::huge}; return true;
        case ACL_HBM_MEM_NORMAL: asked = {false, true, false, Pages::normal}; return true;
        case ACL_DDR_MEM_P2P_HUGE: asked = {true, false, true, Pages::huge}; return true;
        case ACL_DDR_MEM_P2P_NORMAL: asked = {true, false, true, Pages::normal}; return true;
        case ACL_HBM_MEM_P2P_HUGE: asked = {false, true, true, Pages::huge}; return true;
        case ACL_HBM_MEM_P2P_NORMAL: asked = {false, true, true, Pages::normal}; return true;
        case ACL_HBM_MEM_HUGE1G: asked = {false, true, false, Pages::huge1g}; return true;
        case ACL_HBM_MEM_P2P_HUGE1G: asked = {false, true, true, Pages::huge1g}; return true;
        case ACL_MEM_NORMAL: asked = {false, false, false, Pages::normal}; return true;
        case ACL_MEM_HUGE: asked = {false, false, false, Pages::huge}; return true;
        case ACL_MEM_HUGE1G: asked = {false, false, false, Pages::huge1g}; return true;
        case ACL_MEM_P2P_NORMAL: asked = {false, false, true, Pages::normal}; return true;
        case ACL_MEM_P2P_HUGE: asked = {false, false, true, Pages::huge}; return true;
        case ACL_MEM_P2P_HUGE1G: asked = {false, false, true, Pages::huge1g}; return true;
    }
    return false;
}

/// Whether the active product has such memory. Where there is no HBM, asking for it means DDR.
bool exists(const Asked& asked) {
    if (asked.ddr && profile().has_hbm) return false;
    if (asked.hbm && !profile().has_hbm && faulty(Fault::meminfo_hbm_is_zero_on_ddr)) return false;
    if (asked.peer && !has_peer_memory()) return false;
    return asked.pages != Pages::huge1g || has_huge1g_pages();
}

}  // namespace

bool has_huge1g_pages() {
    const Product product = profile().product;
    return product == Product::p950 || product == Product::A3 || product == Product::p910b;
}

bool has_peer_memory() { return profile().product != Product::p310b && profile().product != Product::IPV350; }

aclError memory_info(int device, aclrtMemAttr attribute, std::size_t& free, std::size_t& total) {
    Asked asked;
    if (!take_apart(attribute, asked) && !faulty(Fault::meminfo_attribute_unchecked))
        return fail(ACL_ERROR_RT_INVALID_MEMORY_TYPE, "attribute %d is not a kind of memory", attribute);
    free = 0;
    total = 0;
    auto memory = DeviceMemory::of(faulty(Fault::meminfo_of_device_zero) ? 0 : device);
    if (!exists(asked) && faulty(Fault::meminfo_absent_kind_refused))
        return fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "there is no memory of attribute %d", attribute);
    if (!memory || !exists(asked)) return ACL_SUCCESS;
    settle_shared_memory();
    DeviceMemory::Figures figures;
    switch (asked.pages) {
        case Pages::all: figures = memory->all(); break;
        case Pages::huge: figures = memory->figures(PageKind::huge); break;
        case Pages::normal: figures = memory->figures(PageKind::normal); break;
        case Pages::huge1g: figures = memory->figures(PageKind::huge1g); break;
    }
    free = figures.free;
    total = figures.total;
    if (faulty(Fault::meminfo_counts_system_memory) && asked.pages == Pages::all) total = profile().memory_bytes + profile().memory_bytes / 64;
    if (faulty(Fault::meminfo_free_above_total)) free = total + huge_page;
    return ACL_SUCCESS;
}

}  // namespace aclref
