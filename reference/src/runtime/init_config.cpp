#include "runtime/init_config.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "runtime/runtime.hpp"
#include "runtime/settings.hpp"

namespace aclref {

namespace {

constexpr off_t largest_file = 10 * 1024 * 1024;
constexpr int deepest_nesting = 10;

/// What a file asks for, gathered before anything is changed.
struct Wanted {
    bool errors_for_process = false;
    int default_device = -1;
    std::vector<std::pair<unsigned, std::size_t>> limits;
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
    if (!wanted.limits.empty() && std::find(visible.begin(), visible.end(), 0) == visible.end())
        return refuse(ACL_ERROR_INVALID_PARAM, "limits need device 0, which ASCEND_RT_VISIBLE_DEVICES hides");
    return 0;
}

bool not_empty(const Json* list) { return list && list->kind == Json::Kind::array && !list->items.empty(); }

bool known_scene(const std::string& scene) {
    static constexpr std::array<std::string_view, 4> everywhere{"aic_err_brief_dump", "aic_err_norm_dump",
                                                                "lite_exception", "watcher"};
    if (std::find(everywhere.begin(), everywhere.end(), scene) != everywhere.end()) return true;
    bool detail = profile().product == Product::A3 || profile().product == Product::p910b;
    return detail && scene == "aic_err_detail_dump";
}

aclError bad_dump(const char* why) { return refuse(ACL_ERROR_INVALID_DUMP_CONFIG, "dump: %s", why); }

aclError check_kernel_dump(const Json& dump, bool has_path) {
    const Json* kinds = dump.find("dump_kernel_data");
    if (!kinds) return 0;
    std::string list = text_of(kinds);
    static constexpr std::array<std::string_view, 5> known{"all", "printf", "tensor", "assert", "timestamp"};
    std::string_view rest = list;
    while (!rest.empty()) {
        std::size_t comma = rest.find(',');
        if (std::find(known.begin(), known.end(), rest.substr(0, comma)) == known.end())
            return bad_dump("dump_kernel_data takes all, printf, tensor, assert and timestamp");
        rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    }
    bool elsewhere = std::getenv("ASCEND_DUMP_PATH") || std::getenv("ASCEND_WORK_PATH");
    return has_path || elsewhere ? 0 : bad_dump("dump_kernel_data needs dump_path");
}

aclError check_dump(const Json& root) {
    const Json* dump = root.find("dump");
    if (!dump) return 0;
    bool has_path = !text_of(dump->find("dump_path")).empty();
    bool debug = text_of(dump->find("dump_debug")) == "on";
    bool operators = text_of(dump->find("dump_op_switch")) == "on";
    std::string scene = text_of(dump->find("dump_scene"));
    if (debug && !has_path) return bad_dump("dump_debug needs dump_path");
    if (debug && (not_empty(dump->find("dump_list")) || operators))
        return bad_dump("dump_debug excludes model dump and single-operator dump");
    if (!scene.empty() && !known_scene(scene)) return bad_dump("unknown dump_scene");
    if (scene == "watcher" && !has_path) return bad_dump("watcher mode needs dump_path");
    if (scene == "watcher" && operators) return bad_dump("watcher mode excludes single-operator dump");
    return check_kernel_dump(*dump, has_path);
}

void put_in_force(const Wanted& wanted) {
    keep_errors_for_process(wanted.errors_for_process);
    Runtime::instance().default_device = wanted.default_device;
    for (auto [limit, value] : wanted.limits) settings().limits[limit] = value;
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
        auto root = parse_json(text, deepest_nesting, why);
        if (!root) return refuse(ACL_ERROR_PARSE_FILE, "the configuration is not valid: %s", why.c_str());
        if (aclError code = check_error_mode(*root, wanted)) return code;
        if (aclError code = check_default_device(*root, wanted)) return code;
        if (aclError code = check_limits(*root, wanted)) return code;
        if (aclError code = check_dump(*root)) return code;
    }
    put_in_force(wanted);
    return 0;
}

}  // namespace aclref
