#include "runtime/settings.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "base/faults/runtime.hpp"
#include "base/profile.hpp"

namespace aclref {

namespace {

constexpr std::size_t KiB = 1024;
constexpr std::size_t MiB = 1024 * KiB;
/// A SIMT stack is read back for the 32 threads of a warp.
constexpr std::size_t warp_threads = 32;

std::size_t rounded_up(std::size_t value, std::size_t step) {
    return faulty(Fault::device_limit_not_rounded) ? value : (value + step - 1) / step * step;
}

bool in_range(std::size_t value, std::size_t least, std::size_t most) { return value >= least && value <= most; }

std::size_t largest_simd_stack() {
    switch (profile().product) {
        case Product::p950: return 128 * KiB;
        case Product::p310b: return 7680 * KiB;
        default: return 192 * KiB;
    }
}

/// Steps of the operator time limit that hold from the start.
std::uint64_t default_timeout_steps() {
    if (faulty(Fault::execute_limit_default_short)) return 600 * 1000000ULL / timeout_interval_us();
    return profile().product == Product::p910 ? 1 : longest_timeout_steps();
}

}  // namespace

Settings& settings() {
    static auto* instance = new Settings;
    return *instance;
}

void reset_settings() {
    Settings& all = settings();
    for (auto& option : all.options) option = faulty(Fault::process_option_default_one) ? 1 : 0;
    all.limits[ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE] = 1152 * warp_threads;
    all.limits[ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE] = 1024;
    all.limits[ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE] = (faulty(Fault::aicore_stack_default_large) ? 64 : 32) * KiB;
    all.limits[ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE] = 32 * KiB;
    all.limits[ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE] = 2 * MiB;
    all.execute_timeout_us = default_timeout_steps() * timeout_interval_us();
    all.wait_timeout_seconds = 0;
}

int default_overflow_mode() {
    if (faulty(Fault::overflow_mode_saturates_by_default)) return ACL_RT_OVERFLOW_MODE_SATURATION;
    return supports_overflow_mode(ACL_RT_OVERFLOW_MODE_INFNAN) ? ACL_RT_OVERFLOW_MODE_INFNAN
                                                               : ACL_RT_OVERFLOW_MODE_SATURATION;
}

bool supports_overflow_mode(int mode) {
    switch (profile().product) {
        case Product::p950: return mode == ACL_RT_OVERFLOW_MODE_INFNAN;
        case Product::A3:
        case Product::p910b: return true;
        default: return mode == ACL_RT_OVERFLOW_MODE_SATURATION;
    }
}

// The clocks of the schedulers count in powers of two nanoseconds.
std::uint64_t timeout_interval_us() {
    switch (profile().product) {
        case Product::p310p: return (std::uint64_t{1} << 31) / 1000;
        case Product::p910: return (std::uint64_t{1} << 36) / 1000;
        default: return (std::uint64_t{1} << 32) / 1000;
    }
}

std::uint64_t longest_timeout_steps() {
    switch (profile().product) {
        case Product::p310p: return 255;
        case Product::p910: return 32;
        default: return most_timeout_steps;
    }
}

bool round_device_limit(unsigned limit, std::size_t asked, std::size_t& rounded) {
    switch (limit) {
        case ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE:
            rounded = rounded_up(asked, 128) * warp_threads;
            return true;
        case ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE:
            rounded = rounded_up(asked, 128);
            return true;
        case ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE:
            rounded = std::max(faulty(Fault::device_limit_not_rounded) ? 0 : 32 * KiB, rounded_up(asked, 16 * KiB));
            return asked <= largest_simd_stack();
        case ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE:
            rounded = rounded_up(asked, 8);
            return in_range(asked, KiB, 64 * MiB);
        case ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE:
            rounded = rounded_up(asked, 8);
            return in_range(asked, MiB, 64 * MiB);
        default: return false;
    }
}

}  // namespace aclref
