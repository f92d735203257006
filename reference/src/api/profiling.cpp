// Chapter 19-01: collecting.
#include "services/profiling.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "services/require.hpp"

using namespace aclref;

namespace {

/// Faulty builds only: a refusal of an argument is kept back.
aclError judged(aclError code) { return faulty(Fault::profiling_arguments_unchecked) ? 0 : code; }

/// Length of a text that is told along with its length; `most` and one more when it is longer.
size_t length_of(const char* text, size_t most) { return ::strnlen(text, most + 1); }

bool is_number(std::string_view text, long low, long high) {
    long value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && value >= low && value <= high;
}

bool each_of(std::string_view list, std::initializer_list<std::string_view> known) {
    while (!list.empty()) {
        const size_t comma = list.find(',');
        if (std::find(known.begin(), known.end(), list.substr(0, comma)) == known.end()) return false;
        list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    }
    return true;
}

/// Whether a setting knows the value. Settings of free text take any.
bool knows(aclprofConfigType type, std::string_view value) {
    switch (type) {
        case ACL_PROF_STORAGE_LIMIT: return value.ends_with("MB") && is_number(value.substr(0, value.size() - 2), 200, 1L << 32);
        case ACL_PROF_LLC_MODE: return value == "read" || value == "write";
        case ACL_PROF_HOST_SYS: return each_of(value, {"cpu", "mem", "disk", "network", "osrt"});
        case ACL_PROF_HOST_SYS_USAGE: return each_of(value, {"cpu", "mem"});
        case ACL_PROF_SYS_HARDWARE_MEM_FREQ:
        case ACL_PROF_SYS_IO_FREQ:
        case ACL_PROF_DVPP_FREQ:
        case ACL_PROF_LOW_POWER_FREQ: return is_number(value, 1, 100);
        case ACL_PROF_SYS_INTERCONNECTION_FREQ:
        case ACL_PROF_HOST_SYS_USAGE_FREQ:
        case ACL_PROF_SYS_CPU_FREQ: return is_number(value, 1, 50);
        default: return true;
    }
}

bool setting_exists(aclprofConfigType type) {
    // 2 has gone; the first and the last name only the bounds.
    return type > ACL_PROF_ARGS_MIN && type < ACL_PROF_ARGS_MAX && static_cast<int>(type) != 2;
}

/// Why a configuration cannot be made; null where it can.
const char* wrong_config(const uint32_t* devices, uint32_t count, const aclprofAicoreEvents* events, uint64_t switches) {
    if (events) return "aicoreEvents has to be NULL";
    if (count == 0) return switches & ACL_PROF_MSPROFTX ? nullptr : "there is no device, and no marker is asked for";
    if (!devices) return "deviceIdList is NULL";
    if (count > static_cast<uint32_t>(Runtime::instance().device_count())) return "there are not so many devices";
    for (uint32_t index = 0; index < count; ++index) {
        if (devices[index] >= static_cast<uint32_t>(Runtime::instance().device_count())) return "a device does not exist";
        if (std::find(devices, devices + index, devices[index]) != devices + index) return "a device stands there twice";
    }
    return nullptr;
}

std::shared_ptr<ProfilingConfig> live_config(const aclprofConfig* handle, aclError& code) {
    auto found = profiling_configs().find(handle);
    code = found ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "profilerConfig does not exist");
    return found;
}

}  // namespace

aclError aclprofInit(const char* profilerResultPath, size_t length) {
    ACLREF_ENTER(aclprofInit);
    ACLREF_NEEDS(profilerResultPath);
    if (length == 0 || length > longest_profiling_path)
        return judged(refuse(ACL_ERROR_INVALID_PARAM, "length %zu is not 1 to %zu", length, longest_profiling_path));
    if (length_of(profilerResultPath, longest_profiling_path) != length)
        return judged(refuse(ACL_ERROR_INVALID_PARAM, "length %zu is not that of the path", length));
    return init_profiling(profilerResultPath);
}

aclError aclprofFinalize() {
    ACLREF_ENTER(aclprofFinalize);
    return finalize_profiling();
}

aclError aclprofStart(const aclprofConfig* profilerConfig) {
    ACLREF_ENTER(aclprofStart);
    if (!profilerConfig && !api_profiling()) return start_collection({});
    aclError code = 0;
    auto config = live_config(profilerConfig, code);
    return config ? start_collection(*config) : code;
}

aclError aclprofStop(const aclprofConfig* profilerConfig) {
    ACLREF_ENTER(aclprofStop);
    if (!profilerConfig && !api_profiling()) return stop_collection({});
    aclError code = 0;
    auto config = live_config(profilerConfig, code);
    return config ? stop_collection(*config) : code;
}

aclprofConfig* aclprofCreateConfig(uint32_t* deviceIdList, uint32_t deviceNums, aclprofAicoreMetrics aicoreMetrics,
                                   const aclprofAicoreEvents* aicoreEvents, uint64_t dataTypeConfig) {
    if (enter(Function::aclprofCreateConfig) != 0) return nullptr;
    const char* why = wrong_config(deviceIdList, deviceNums, aicoreEvents, dataTypeConfig);
    if (why && !faulty(Fault::profiling_config_unchecked)) {
        (void)refuse(ACL_ERROR_INVALID_PARAM, "%s", why);
        return nullptr;
    }
    auto made = std::make_shared<ProfilingConfig>();
    if (!why) made->devices.assign(deviceIdList, deviceIdList + deviceNums);
    std::sort(made->devices.begin(), made->devices.end());
    made->metrics = aicoreMetrics;
    made->switches = dataTypeConfig;
    return static_cast<aclprofConfig*>(profiling_configs().add(std::move(made)));
}

aclError aclprofDestroyConfig(const aclprofConfig* profilerConfig) {
    ACLREF_ENTER(aclprofDestroyConfig);
    ACLREF_NEEDS(profilerConfig);
    return profiling_configs().remove(profilerConfig) ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "profilerConfig does not exist");
}

aclError aclprofSetConfig(aclprofConfigType configType, const char* config, size_t configLength) {
    ACLREF_ENTER(aclprofSetConfig);
    ACLREF_NEEDS(config);
    constexpr size_t longest = 256;
    if (!setting_exists(configType)) return judged(refuse(ACL_ERROR_INVALID_PARAM, "there is no setting %d", configType));
    if (configLength == 0 || configLength > longest)
        return judged(refuse(ACL_ERROR_INVALID_PARAM, "configLength %zu is not 1 to %zu", configLength, longest));
    if (length_of(config, longest) != configLength)
        return judged(refuse(ACL_ERROR_INVALID_PARAM, "configLength %zu is not that of the text", configLength));
    if (!knows(configType, config))
        return judged(refuse(ACL_ERROR_INVALID_PROFILING_CONFIG, "setting %d does not know this value", configType));
    return 0;
}
