// Chapter 04: what a device is and can do.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>

#include "runtime/limits.hpp"
#include "base/faults/runtime.hpp"
#include "runtime/runtime.hpp"
#include "runtime/thread_state.hpp"

using namespace aclref;

namespace {

/// SIMT figures of the one product that has them, from ACL_DEV_ATTR_WARP_SIZE on.
constexpr std::int64_t simt_figures[] = {32, 2048, 262144, 65535, 65535, 65535, 65535, 2048, 2048, 2048, 2048};

/// Faulty builds only: the kind of link that is never told.
constexpr std::uint64_t reserved_link = 0x04;

/// The value of an attribute; false when the product does not have it.
bool attribute(const Device& device, int attr, std::int64_t& value) {
    const SocFacts& soc = profile().soc();
    const bool is_950 = profile().product == Product::p950;
    switch (attr) {
        case ACL_DEV_ATTR_AICPU_CORE_NUM: value = soc.ai_cpus; return true;
        case ACL_DEV_ATTR_AICORE_CORE_NUM: value = soc.ai_cores; return true;
        case ACL_DEV_ATTR_CUBE_CORE_NUM: value = soc.cube_cores; return true;
        case ACL_DEV_ATTR_VECTOR_CORE_NUM: value = soc.vector_cores; return true;
        case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE: value = static_cast<std::int64_t>(profile().memory_bytes); return true;
        case ACL_DEV_ATTR_L2_CACHE_SIZE: value = static_cast<std::int64_t>(soc.l2_bytes); return true;
        case ACL_DEV_ATTR_PHY_CHIP_ID: value = device.logical_id(); return true;
        case ACL_DEV_ATTR_SMP_ID:
        case ACL_DEV_ATTR_SUPER_POD_DEVICE_ID:
        case ACL_DEV_ATTR_SUPER_POD_SERVER_ID:
        case ACL_DEV_ATTR_SUPER_POD_ID:
        case ACL_DEV_ATTR_MAINBOARD_ID: value = 0; return true;
        case ACL_DEV_ATTR_IS_VIRTUAL: value = faulty(Fault::is_virtual_out_of_range) ? -1 : 0; return true;
        case ACL_DEV_ATTR_CUST_OP_PRIVILEGE: value = 1; return !is_950;
        case ACL_DEV_ATTR_HD_CONNECT_TYPE: value = ACL_HOST_DEVICE_CONNECT_TYPE_PCIE; return is_950;
        case ACL_DEV_ATTR_DEVICE_FORM_FACTOR: value = ACL_DEVICE_FORM_FACTOR_PCIE_CARD; return is_950;
        case ACL_DEV_ATTR_NPU_ARCH: value = faulty(Fault::npu_arch_unknown) ? 0 : product_npu_arch[static_cast<std::size_t>(profile().product)]; return true;
        default: break;
    }
    if (attr < ACL_DEV_ATTR_WARP_SIZE || attr > ACL_DEV_ATTR_MAX_BLOCK_DIM_Z) return false;
    value = is_950 || faulty(Fault::simt_figures_everywhere) ? simt_figures[attr - ACL_DEV_ATTR_WARP_SIZE] : 0;
    return true;
}

/// Bus addresses are made up, but every card has its own.
std::string bus_id(const Device& device) {
    char text[16];
    std::snprintf(text, sizeof(text), "0000:%02x:00.0", 0x3D + device.logical_id());
    return faulty(Fault::bus_id_without_domain) ? text + sizeof("0000") : text;
}

/// What the atomic operation can do on memory of the host or of another device.
std::uint32_t atomic_capability(aclrtAtomicOperation operation) {
    constexpr std::uint32_t integers = ACL_RT_ATOMIC_CAPABILITY_SIGNED | ACL_RT_ATOMIC_CAPABILITY_UNSIGNED |
                                       ACL_RT_ATOMIC_CAPABILITY_SCALAR32 | ACL_RT_ATOMIC_CAPABILITY_SCALAR64;
    constexpr std::uint32_t undefined = 1u << 9;
    if (faulty(Fault::atomic_mask_undefined_bits)) return undefined;
    return operation <= ACL_RT_ATOMIC_OPERATION_CAS ? integers : 0;
}

aclError write_capabilities(std::uint32_t* capabilities, const aclrtAtomicOperation* operations, std::uint32_t count) {
    ACLREF_REQUIRE_AS(ACL_ERROR_RT_PARAM_INVALID, capabilities);
    ACLREF_REQUIRE_AS(ACL_ERROR_RT_PARAM_INVALID, operations);
    if (count == 0) return refuse(ACL_ERROR_RT_PARAM_INVALID, "count is 0");
    for (std::uint32_t index = 0; index < count; ++index) capabilities[index] = atomic_capability(operations[index]);
    return 0;
}

}  // namespace

extern "C" {

const char* aclrtGetSocName() {
    if (enter(Function::aclrtGetSocName) != 0) return nullptr;
    if (faulty(Fault::soc_name_needs_device) && !Runtime::instance().current_context()) return nullptr;
    static const std::string other = profile().soc_name + "_1";
    if (auto context = Runtime::instance().current_context(); context && faulty(Fault::soc_name_of_current_device))
        if (context->device().id() != 0) return other.c_str();
    return profile().soc_name.c_str();
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
    ACLREF_ENTER(aclrtGetDeviceInfo);
    ACLREF_REQUIRE(value);
    aclError code = 0;
    Device* device = require_device(deviceId, code, ACL_ERROR_RT_PARAM_INVALID);
    if (!device) return code;
    std::int64_t found = 0;
    if (!attribute(*device, attr, found) && !faulty(Fault::attributes_of_950_everywhere))
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "the product has no attribute %d", attr);
    static std::atomic<bool> again{false};
    if (attr == ACL_DEV_ATTR_AICORE_CORE_NUM && faulty(Fault::core_counts_vary) && again.exchange(true)) --found;
    *value = found;
    return 0;
}

aclError aclrtGetDeviceCapability(int32_t deviceId, aclrtDevFeatureType devFeatureType, int32_t* value) {
    ACLREF_ENTER(aclrtGetDeviceCapability);
    ACLREF_REQUIRE(value);
    aclError code = 0;
    if (!require_device(deviceId, code)) return code;
    if (devFeatureType != ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV &&
        devFeatureType != ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "devFeatureType %d does not exist", devFeatureType);
    *value = faulty(Fault::device_capability_not_binary) ? 2 : ACL_DEV_FEATURE_NOT_SUPPORT;
    return 0;
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value) {
    ACLREF_ENTER(aclGetDeviceCapability);
    ACLREF_REQUIRE(value);
    aclError code = 0;
    if (!require_device(deviceId, code, ACL_ERROR_INVALID_PARAM)) return code;
    const SocFacts& soc = profile().soc();
    switch (deviceInfo) {
        case ACL_DEVICE_INFO_AI_CORE_NUM: *value = soc.ai_cores; return 0;
        case ACL_DEVICE_INFO_VECTOR_CORE_NUM: *value = soc.vector_cores; return 0;
        case ACL_DEVICE_INFO_L2_SIZE: *value = static_cast<int64_t>(soc.l2_bytes); return 0;
        default: return refuse(ACL_ERROR_INVALID_PARAM, "deviceInfo %d does not exist", deviceInfo);
    }
}

aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId, uint64_t* value) {
    ACLREF_ENTER(aclrtGetDevicesTopo);
    ACLREF_REQUIRE(value);
    aclError code = 0;
    if (!require_device(deviceId, code)) return code;
    if (!require_device(otherDeviceId, code)) return code;
    if (faulty(Fault::topology_reserved_link)) return *value = reserved_link, 0;
    switch (profile().product) {
        case Product::p310b:
        case Product::p310p: *value = ACL_RT_DEVS_TOPOLOGY_PHB; break;
        default: *value = ACL_RT_DEVS_TOPOLOGY_HCCS; break;
    }
    return 0;
}

aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid* uuid) {
    ACLREF_ENTER(aclrtDeviceGetUuid);
    ACLREF_REQUIRE(uuid);
    aclError code = 0;
    Device* device = require_device(deviceId, code);
    if (!device) return code;
    char text[sizeof(uuid->bytes) + 1];
    std::snprintf(text, sizeof(text), "aclref-%c%08x", static_cast<char>('A' + static_cast<int>(profile().product)),
                  static_cast<unsigned>(faulty(Fault::uuid_of_product) ? 0 : device->logical_id()));
    std::memcpy(uuid->bytes, text, sizeof(uuid->bytes));
    return 0;
}

aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char* pciBusId, int32_t len) {
    ACLREF_ENTER(aclrtDeviceGetPCIBusId);
    ACLREF_REQUIRE(pciBusId);
    aclError code = 0;
    Device* device = require_device(deviceId, code);
    if (!device) return code;
    std::string text = bus_id(*device);
    if (len < static_cast<int32_t>(text.size()) + 1)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "len %d is below the %zu bytes needed", len, text.size() + 1);
    std::memcpy(pciBusId, text.c_str(), text.size() + 1);
    return 0;
}

aclError aclrtDeviceGetByPCIBusId(const char* pciBusId, int32_t* deviceId) {
    ACLREF_ENTER(aclrtDeviceGetByPCIBusId);
    ACLREF_REQUIRE(pciBusId);
    ACLREF_REQUIRE(deviceId);
    Runtime& runtime = Runtime::instance();
    for (int id = 0; id < runtime.device_count(); ++id)
        if (bus_id(*runtime.device(id)) == pciBusId) {
            *deviceId = faulty(Fault::bus_id_of_neighbour) ? (id + 1) % runtime.device_count() : id;
            return 0;
        }
    return refuse(ACL_ERROR_RT_PARAM_INVALID, "no device has the bus id '%.32s'", pciBusId);
}

aclError aclrtDeviceGetHostAtomicCapabilities(uint32_t* capabilities, const aclrtAtomicOperation* operations,
                                              const uint32_t count, int32_t deviceId) {
    ACLREF_ENTER(aclrtDeviceGetHostAtomicCapabilities);
    aclError code = 0;
    if (!require_device(deviceId, code)) return code;
    return write_capabilities(capabilities, operations, count);
}

aclError aclrtDeviceGetP2PAtomicCapabilities(uint32_t* capabilities, const aclrtAtomicOperation* operations,
                                             const uint32_t count, int32_t srcDeviceId, int32_t dstDeviceId) {
    ACLREF_ENTER(aclrtDeviceGetP2PAtomicCapabilities);
    aclError code = 0;
    if (!require_device(srcDeviceId, code) || !require_device(dstDeviceId, code)) return code;
    if (srcDeviceId == dstDeviceId) return refuse(ACL_ERROR_RT_INVALID_DEVICEID, "both ids are device %d", srcDeviceId);
    return write_capabilities(capabilities, operations, count);
}

}  // extern "C"
