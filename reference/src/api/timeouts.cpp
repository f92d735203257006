// Chapter 12: how long an operator may take.
#include <algorithm>
#include <cstdint>

#include "base/faults/runtime.hpp"
#include "runtime/runtime.hpp"
#include "runtime/settings.hpp"

using namespace aclref;

namespace {

constexpr std::uint64_t never = UINT64_MAX;

/// Up to a whole number of steps, at least one.
std::uint64_t in_steps(std::uint64_t asked_us, std::uint64_t most) {
    std::uint64_t interval = timeout_interval_us();
    std::uint64_t steps = asked_us / interval + (asked_us % interval ? 1 : 0);
    if (faulty(Fault::execute_limit_rounded_down) && steps > 1) --steps;
    return std::clamp<std::uint64_t>(steps, 1, most) * interval;
}

bool can_switch_off() {
    Product product = profile().product;
    bool newer = product == Product::p950 || product == Product::A3 || product == Product::p910b;
    return newer && timeout_interval_us() < 100000;
}

}  // namespace

extern "C" {

aclError aclrtGetOpTimeOutInterval(uint64_t* interval) {
    ACLREF_ENTER(aclrtGetOpTimeOutInterval);
    ACLREF_REQUIRE(interval);
    *interval = timeout_interval_us();
    return 0;
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout) {
    ACLREF_ENTER(aclrtSetOpExecuteTimeOut);
    std::uint64_t asked = timeout ? std::uint64_t{timeout} * 1000000 : never;
    std::uint64_t effective = in_steps(asked, longest_timeout_steps() - (faulty(Fault::execute_limit_one_step_short) ? 1 : 0));
    if (effective < settings().execute_timeout_us && faulty(Fault::execute_limit_never_lowered)) return 0;
    settings().execute_timeout_us = effective;
    return 0;
}

aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t* actualTimeout) {
    ACLREF_ENTER(aclrtSetOpExecuteTimeOutV2);
    ACLREF_REQUIRE(actualTimeout);
    aclError code = 0;
    if (!require_context(code, current_function())) return code;
    std::uint64_t effective = in_steps(timeout ? timeout : never, most_timeout_steps);
    if (timeout == 0 && can_switch_off()) effective = never;
    settings().execute_timeout_us = effective;
    *actualTimeout = effective;
    return 0;
}

aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t) {
    // Documented as unsupported on every product.
    ACLREF_ENTER(aclrtSetOpExecuteTimeOutWithMs);
    return refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "not supported");
}

aclError aclrtGetOpExecuteTimeout(uint32_t* const timeoutMs) {
    ACLREF_ENTER(aclrtGetOpExecuteTimeout);
    ACLREF_REQUIRE(timeoutMs);
    std::uint64_t effective = settings().execute_timeout_us;
    *timeoutMs = effective == never ? UINT32_MAX : static_cast<uint32_t>(effective / 1000);
    return 0;
}

}  // extern "C"
