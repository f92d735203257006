// Chapter 04: stack and print-buffer limits of the devices.
#include <algorithm>

#include "base/faults/runtime.hpp"
#include "runtime/runtime.hpp"
#include "runtime/settings.hpp"

using namespace aclref;

namespace {

bool is_simt(unsigned limit) {
    return limit == ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE || limit == ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE ||
           limit == ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE;
}

aclError check_limit(aclrtDeviceLimit limit) {
    if (static_cast<unsigned>(limit) >= limit_count) return refuse(ACL_ERROR_INVALID_PARAM, "limit %d does not exist", limit);
    if (is_simt(limit) && profile().product != Product::p950)
        return refuse(faulty(Fault::unsupported_wrong_code) ? ACL_ERROR_RT_PARAM_INVALID : ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                      "the product has no limit %d", limit);
    return 0;
}

/// Faulty builds only: this thread has set a limit.
thread_local constinit bool limit_set_here = false;

bool both_stacks_zero(aclrtDeviceLimit limit, std::size_t value) {
    if (value != 0) return false;
    const auto& limits = settings().limits;
    if (limit == ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE) return limits[ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE] == 0;
    if (limit == ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE) return limits[ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE] == 0;
    return false;
}

}  // namespace

extern "C" {

aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value) {
    ACLREF_ENTER(aclrtDeviceSetLimit);
    if (aclError code = check_limit(limit)) return code;
    if (value > UINT32_MAX) return refuse(ACL_ERROR_INVALID_PARAM, "value %zu does not fit 32 bits", value);
    const auto& visible = Runtime::instance().visible_devices();
    if (std::find(visible.begin(), visible.end(), 0) == visible.end() && !faulty(Fault::hidden_device_zero_accepted))
        return refuse(ACL_ERROR_INVALID_PARAM, "limits need device 0, which ASCEND_RT_VISIBLE_DEVICES hides");
    if (both_stacks_zero(limit, value) && !faulty(Fault::simt_stacks_both_zero_accepted)) return refuse(ACL_ERROR_RT_PARAM_INVALID, "both SIMT stacks would be 0");
    std::size_t rounded = 0;
    if (!round_device_limit(limit, value, rounded))
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "value %zu is out of range for limit %d", value, limit);
    // Only a stack that was never set has the smallest size.
    constexpr std::size_t never_set = 32 * 1024;
    if (faulty(Fault::device_limit_first_wins) && settings().limits[limit] != never_set) return 0;
    settings().limits[limit] = rounded;
    limit_set_here = true;
    return 0;
}

aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t* value) {
    ACLREF_ENTER(aclrtDeviceGetLimit);
    ACLREF_REQUIRE(value);
    if (aclError code = check_limit(limit)) return code;
    *value = settings().limits[limit];
    if (faulty(Fault::device_limit_of_thread) && !limit_set_here && limit == ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE)
        *value = 32 * 1024;
    return 0;
}

}  // extern "C"
