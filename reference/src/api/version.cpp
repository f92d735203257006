// Chapter 24: versions and what the installation can do.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "acl/acl_platform.h"
#include "base/faults/runtime.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;

namespace {

/// Packages of the installation that the reference device stands for.
constexpr std::array<std::pair<aclCANNPackageName, const char*>, 3> installed{{
    {ACL_PKG_NAME_CANN, "cann"},
    {ACL_PKG_NAME_RUNTIME, "runtime"},
    {ACL_PKG_NAME_DRIVER, "driver"},
}};

bool is_installed(const char* name) {
    for (const auto& package : installed)
        if (std::strcmp(package.second, name) == 0) return true;
    return false;
}

std::string version_text() {
    return std::to_string(profile().cann.major) + "." + std::to_string(profile().cann.minor) + ".0";
}

/// What the version.info file of a package says, in the installation that the environment names; the profile's version
/// where there is no such file.
std::string version_of_package(const std::string& package) {
    const char* home = std::getenv("ASCEND_HOME_PATH");
    std::ifstream file(std::string(home ? home : "") + "/share/info/" + package + "/version.info");
    constexpr std::string_view field = "Version=";
    for (std::string line; home && std::getline(file, line);)
        if (line.starts_with(field)) return line.substr(field.size());
    return version_text();
}

/// MAJOR.MINOR.PATCH as one number; what follows the patch is left out.
std::int32_t version_number(const std::string& text) {
    int major = 0;
    int minor = 0;
    int patch = 0;
    if (std::sscanf(text.c_str(), "%d.%d.%d", &major, &minor, &patch) < 2) return 0;
    if (faulty(Fault::version_number_without_patch)) patch = 0;
    return major * 10000000 + minor * 100000 + patch * 1000;
}

void put(char* field, std::size_t size, const std::string& text) { std::snprintf(field, size, "%s", text.c_str()); }

bool has_bfloat() {
    Product product = profile().product;
    return product == Product::p950 || product == Product::A3 || product == Product::p910b;
}

bool has_attribute(aclCannAttr attribute) {
    return attribute == ACL_CANN_ATTR_JIT_COMPILE ? profile().product != Product::IPV350 : has_bfloat();
}

}  // namespace

extern "C" {

aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion) {
    ACLREF_ENTER(aclrtGetVersion);
    ACLREF_REQUIRE(majorVersion);
    ACLREF_REQUIRE(minorVersion);
    ACLREF_REQUIRE(patchVersion);
    *majorVersion = ACL_MAJOR_VERSION;
    *minorVersion = ACL_MINOR_VERSION;
    *patchVersion = ACL_PATCH_VERSION;
    return 0;
}

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion* version) {
    ACLREF_ENTER(aclsysGetCANNVersion);
    ACLREF_REQUIRE(version);
    if (static_cast<unsigned>(name) > ACL_PKG_NAME_DRIVER)
        return refuse(ACL_ERROR_INVALID_PARAM, "package %d does not exist", name);
    for (const auto& package : installed) {
        if (package.first != name) continue;
        *version = {};
        put(version->version, sizeof(version->version), version_text());
        put(version->majorVersion, sizeof(version->majorVersion), std::to_string(profile().cann.major));
        put(version->minorVersion, sizeof(version->minorVersion), std::to_string(profile().cann.minor));
        put(version->releaseVersion, sizeof(version->releaseVersion), "0");
        put(version->patchVersion, sizeof(version->patchVersion), "0");
        return 0;
    }
    if (faulty(Fault::missing_package_empty)) {
        *version = {};
        return 0;
    }
    return refuse(ACL_ERROR_INVALID_FILE, "package %d is not installed", name);
}

aclError aclsysGetVersionStr(char* pkgName, char* versionStr) {
    ACLREF_ENTER(aclsysGetVersionStr);
    ACLREF_REQUIRE(pkgName);
    ACLREF_REQUIRE(versionStr);
    if (!is_installed(pkgName)) return refuse(ACL_ERROR_INVALID_FILE, "package '%.64s' is not installed", pkgName);
    put(versionStr, ACL_PKG_VERSION_MAX_SIZE,
        faulty(Fault::version_text_of_interface) ? version_text() : version_of_package(pkgName));
    if (faulty(Fault::version_text_padded))
        std::memset(versionStr + std::strlen(versionStr), ' ', ACL_PKG_VERSION_MAX_SIZE - std::strlen(versionStr));
    return 0;
}

aclError aclsysGetVersionNum(char* pkgName, int32_t* versionNum) {
    ACLREF_ENTER(aclsysGetVersionNum);
    ACLREF_REQUIRE(pkgName);
    ACLREF_REQUIRE(versionNum);
    if (!is_installed(pkgName)) return refuse(ACL_ERROR_INVALID_FILE, "package '%.64s' is not installed", pkgName);
    *versionNum = version_number(version_of_package(pkgName));
    return 0;
}

aclError aclGetCannAttributeList(const aclCannAttr** cannAttrList, size_t* num) {
    ACLREF_ENTER(aclGetCannAttributeList);
    ACLREF_REQUIRE(cannAttrList);
    ACLREF_REQUIRE(num);
    // What a product lacks stands at the end, so that a list is the beginning of this one.
    static constexpr aclCannAttr every[] = {ACL_CANN_ATTR_JIT_COMPILE, ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16};
    std::size_t count = 0;
    while (count < std::size(every) && has_attribute(every[count])) ++count;
    *cannAttrList = every;
    *num = count;
    return 0;
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value) {
    ACLREF_ENTER(aclGetCannAttribute);
    ACLREF_REQUIRE(value);
    if (cannAttr < ACL_CANN_ATTR_INF_NAN || cannAttr > ACL_CANN_ATTR_JIT_COMPILE)
        return refuse(ACL_ERROR_INVALID_PARAM, "attribute %d does not exist", cannAttr);
    *value = has_attribute(cannAttr) ? 1 : 0;
    return 0;
}

aclError aclplatformGetDeviceInfo(aclplatformDevInfo infoType, char* value, uint32_t maxLen) {
    ACLREF_ENTER(aclplatformGetDeviceInfo);
    ACLREF_REQUIRE(value);
    const SocFacts& soc = profile().soc();
    std::string text;
    switch (infoType) {
        case ACL_PLATFORM_AICORE_CNT: text = std::to_string(soc.ai_cores); break;
        case ACL_PLATFORM_CUBE_CORE_CNT: text = std::to_string(soc.cube_cores); break;
        case ACL_PLATFORM_VECTOR_CORE_CNT: text = std::to_string(soc.vector_cores); break;
        case ACL_PLATFORM_L2_SIZE: text = std::to_string(soc.l2_bytes); break;
        case ACL_PLATFORM_MEMORY_SIZE: text = std::to_string(profile().memory_bytes); break;
        case ACL_PLATFORM_SOC_VERSION: text = profile().soc_name; break;
        case ACL_PLATFORM_NPU_ARCH:
            text = std::to_string(product_npu_arch[static_cast<std::size_t>(profile().product)]);
            break;
        case ACL_PLATFORM_MEMORY_TYPE: text = profile().has_hbm ? "HBM" : "DDR"; break;
        default: return refuse(ACL_ERROR_INVALID_PARAM, "nothing is known for infoType %d", infoType);
    }
    if (text.size() + (faulty(Fault::platform_text_unterminated_room) ? 0 : 1) > maxLen)
        return refuse(ACL_ERROR_INVALID_PARAM, "maxLen %u is below the %zu bytes needed", maxLen, text.size() + 1);
    std::memcpy(value, text.c_str(), text.size() + 1);
    return 0;
}

aclError aclplatformGetInstructionInfo(aclplatformCoreType type, const char* instruction, char* value, uint32_t maxLen) {
    ACLREF_ENTER(aclplatformGetInstructionInfo);
    ACLREF_REQUIRE(instruction);
    ACLREF_REQUIRE(value);
    if (type != ACL_PLATFORM_CORE_TYPE_AI_CORE && type != ACL_PLATFORM_CORE_TYPE_VECTOR_CORE)
        return refuse(ACL_ERROR_INVALID_PARAM, "type %d does not exist", type);
    const char* types = faulty(Fault::instruction_text_empty) ? "" : "float16,float32";
    if (std::strcmp(instruction, "Intrinsic_vexp") != 0)
        return refuse(ACL_ERROR_INVALID_PARAM, "instruction '%.64s' is not known", instruction);
    if (std::strlen(types) + 1 > maxLen) return refuse(ACL_ERROR_INVALID_PARAM, "maxLen %u is too small", maxLen);
    std::memcpy(value, types, std::strlen(types) + 1);
    return 0;
}

}  // extern "C"
