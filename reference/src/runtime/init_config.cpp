#include "runtime/init_config.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/faults/runtime.hpp"
#include "base/json.hpp"
#include "runtime/dump_config.hpp"
#include "runtime/runtime.hpp"
#include "runtime/settings.hpp"
#include "services/dump.hpp"
#include "services/profiling.hpp"

namespace aclref {

namespace {

constexpr off_t largest_file = 10 * 1024 * 1024;
constexpr int deepest_nesting = 10;

/// What a file asks for, gathered before anything is changed.
struct Wanted {
    bool errors_for_process = false;
    int default_device = -1;
    std::vector<std::pair<unsigned, std::size_t>> limits;
    std::optional<DumpConfig> dump;
    bool profiling = false;
};

std::string text_of(const Json* value) { return value ? value->scalar().value_or("") : ""; }

bool whole_number(const std::string& text, long long& out) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

aclError check_error_mode(const Json& root, Wanted& wanted) {
    const Json* mode = root.find("err_msg_mode");
    if (!mode) return 0;
    std::string value = text_of(mode);
    if (value != "0" && value != "1")
        return refuse(ACL_ERROR_INVALID_PARAM, "err_msg_mode is '%s', it can be \"0\" or \"1\"", value.c_str());
    wanted.errors_for_process = value == "1";
    return 0;
}

aclError check_default_device(const Json& root, Wanted& wanted) {
    const Json* group = root.find("defaultDevice");
    const Json* given = group ? group->find("default_device") : nullptr;
    if (!given) return 0;
    std::string value = text_of(given);
    long long id = 0;
    if (!whole_number(value, id) || id < 0)
        return refuse(ACL_ERROR_FAILURE, "default_device is '%s', it has to be a device number", value.c_str());
    int count = Runtime::instance().device_count();
    if (id >= count)
        return refuse(ACL_ERROR_RT_INVALID_DEVICEID, "default_device is %lld, there are %d devices", id, count);
    wanted.default_device = static_cast<int>(id);
    return 0;
}

struct LimitKey {
    const char* name;
    bool in_stack_group;
    unsigned limit;
};
constexpr std::array<LimitKey, 5> limit_keys{{
    {"aicore_stack_size", true, ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE},
    {"simt_stack_size", true, ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE},
    {"simt_divergence_stack_size", true, ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE},
    {"simd_printf_fifo_size_per_core", false, ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE},
    {"simt_printf_fifo_size", false, ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE},
}};

/// Which limits the product takes from the file; the others are read over.
bool takes_limit(unsigned limit) {
    switch (profile().product) {
        case Product::p950: return true;
        case Product::A3:
        case Product::p910b:
            return limit == ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE || limit == ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE;
        case Product::p310b: return limit == ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE;
        default: return false;
    }
}

aclError check_limits(const Json& root, Wanted& wanted) {
    const Json* stacks = root.find("StackSize");
    for (const LimitKey& key : limit_keys) {
        const Json* given = key.in_stack_group ? (stacks ? stacks->find(key.name) : nullptr) : root.find(key.name);
        if (!given || !takes_limit(key.limit)) continue;
        long long value = 0;
        std::size_t rounded = 0;
        if (!whole_number(text_of(given), value) || value < 0 || value > UINT32_MAX ||
            !round_device_limit(key.limit, static_cast<std::size_t>(value), rounded))
            return refuse(ACL_ERROR_INVALID_PARAM, "%s is '%s', which is out of range", key.name, text_of(given).c_str());
        wanted.limits.emplace_back(key.limit, rounded);
    }
    const auto& visible = Runtime::instance().visible_devices();
    if (!wanted.limits.empty() && std::find(visible.begin(), visible.end(), 0) == visible.end() &&
        !faulty(Fault::hidden_device_zero_accepted))
        return refuse(ACL_ERROR_INVALID_PARAM, "limits need device 0, which ASCEND_RT_VISIBLE_DEVICES hides");
    return 0;
}

/// What the services have to know: the dump that the file switches on, and whether it switches profiling on.
aclError check_services(const Json& root, Wanted& wanted) {
    if (const Json* dump = root.find("dump")) {
        if (aclError code = read_dump_config(*dump, wanted.dump.emplace())) return code;
    }
    const Json* profiler = root.find("profiler");
    wanted.profiling = profiler && text_of(profiler->find("switch")) == "on";
    return 0;
}

void put_in_force(const Wanted& wanted) {
    keep_errors_for_process((wanted.errors_for_process || faulty(Fault::recent_error_of_process)) && !faulty(Fault::config_error_mode_ignored));
    if (!faulty(Fault::config_default_device_ignored)) Runtime::instance().default_device = wanted.default_device;
    for (auto [limit, value] : wanted.limits) settings().limits[limit] = value;
    start_initial_dump(wanted.dump);
    if (wanted.profiling) start_command_line_profiling();
}

}  // namespace

aclError read_init_config(const char* path, std::string& text) {
    text.clear();
    if (!path || !*path) return 0;
    struct stat about;
    if (::stat(path, &about) != 0) return refuse(ACL_ERROR_INVALID_FILE, "the file %s does not exist", path);
    if (!S_ISREG(about.st_mode)) return refuse(ACL_ERROR_INVALID_FILE, "%s is not a regular file", path);
    if (about.st_size > largest_file) return refuse(ACL_ERROR_INVALID_FILE, "the file %s is larger than 10 MiB", path);
    std::ifstream file(path, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    return file ? 0 : refuse(ACL_ERROR_INVALID_FILE, "the file %s cannot be read", path);
}

aclError apply_init_config(const std::string& text) {
    Wanted wanted;
    if (!text.empty()) {
        std::string why;
        auto root = parse_json(text, faulty(Fault::config_depth_unchecked) ? 10 * deepest_nesting : deepest_nesting, why);
        if (!root) return refuse(ACL_ERROR_PARSE_FILE, "the configuration is not valid: %s", why.c_str());
        if (faulty(Fault::init_empty_object_refused) && text.size() < 8)
            return refuse(ACL_ERROR_PARSE_FILE, "nothing is configured");
        if (aclError code = check_error_mode(*root, wanted)) return code;
        if (aclError code = check_default_device(*root, wanted)) return code;
        if (aclError code = check_limits(*root, wanted)) return code;
        if (aclError code = check_services(*root, wanted)) return code;
    }
    put_in_force(wanted);
    return 0;
}

}  // namespace aclref
