// Settings of the whole process: system options, device limits, time limits of operators.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace aclref {

/// Largest number of aclSysParamOpt values.
inline constexpr std::size_t option_count = 4;
/// Number of aclrtDeviceLimit values.
inline constexpr std::size_t limit_count = 5;

struct Settings {
    std::atomic<std::int64_t> options[option_count];
    std::atomic<std::size_t> limits[limit_count];        ///< by aclrtDeviceLimit, as read back
    std::atomic<std::uint64_t> execute_timeout_us;       ///< UINT64_MAX: operators never time out
    std::atomic<std::uint32_t> wait_timeout_seconds;     ///< of waits for events issued from now on; 0: none
};

Settings& settings();
void reset_settings();

/// aclrtFloatOverflowMode a device starts in.
int default_overflow_mode();

/// Whether the product has this float overflow mode.
bool supports_overflow_mode(int mode);

/// Step of the operator time limit in microseconds, and the largest limit of aclrtSetOpExecuteTimeOut in steps.
std::uint64_t timeout_interval_us();
std::uint64_t longest_timeout_steps();
inline constexpr std::uint64_t most_timeout_steps = 254;  ///< of aclrtSetOpExecuteTimeOutV2

/// Bounds and rounding of one device limit. False when the product refuses the value.
bool round_device_limit(unsigned limit, std::size_t asked, std::size_t& rounded);

}  // namespace aclref
