// Collecting (chapter 19-01, 19-02): its states, its configurations, the marks of the program, and what is left on disk.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "acl/acl_prof.h"
#include "base/errors.hpp"
#include "base/handle_table.hpp"

namespace aclref {

struct ProfilingConfig {
    std::vector<std::uint32_t> devices;  ///< in ascending order
    aclprofAicoreMetrics metrics{};
    std::uint64_t switches = 0;
    bool operator==(const ProfilingConfig&) const = default;
};

struct Stamp {
    std::mutex mutex;
    std::string message;
};

HandleTable<ProfilingConfig>& profiling_configs();
HandleTable<Stamp>& stamps();

inline constexpr std::size_t longest_profiling_path = 4096;
inline constexpr std::size_t longest_stamp_message = 127;

aclError init_profiling(const std::string& folder);
aclError finalize_profiling();
aclError start_collection(const ProfilingConfig& config);
aclError stop_collection(const ProfilingConfig& config);

/// Between aclprofInit and aclprofFinalize.
bool api_profiling();
/// aclInit's file has switched profiling on: the calls of this chapter are not for the program.
void start_command_line_profiling();
/// A collection with markers is running.
bool marking();

/// One mark or range of the program, into the results. Times are of the monotonic clock.
void note_mark(const char* kind, const std::string& message, std::chrono::steady_clock::time_point begin);

void finish_profiling();
void forget_profiling_objects();

}  // namespace aclref
