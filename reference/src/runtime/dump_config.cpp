#include "runtime/dump_config.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "base/faults/services.hpp"
#include "base/profile.hpp"

namespace aclref {

namespace {

std::string text_of(const Json* value) { return value ? value->scalar().value_or("") : ""; }

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
        const auto last = known.end() - (faulty(Fault::dump_kernel_timestamp_unknown) ? 1 : 0);
        if (std::find(known.begin(), last, rest.substr(0, comma)) == last)
            return bad_dump("dump_kernel_data takes all, printf, tensor, assert and timestamp");
        rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    }
    bool elsewhere = std::getenv("ASCEND_DUMP_PATH") || std::getenv("ASCEND_WORK_PATH");
    return has_path || elsewhere ? 0 : bad_dump("dump_kernel_data needs dump_path");
}

void read_models(const Json* list, DumpConfig& out) {
    if (!list || list->kind != Json::Kind::array) return;
    for (const Json& entry : list->items) {
        const std::string name = text_of(entry.find("model_name"));
        if (!name.empty()) out.models.insert(name);
        // An entry without a name is one of the watcher's, or stands for every model.
        else if (!entry.find("watcher_nodes")) out.every_model = true;
    }
}

}  // namespace

aclError read_dump_config(const Json& dump, DumpConfig& out) {
    DumpConfig made;
    made.path = text_of(dump.find("dump_path"));
    made.scene = text_of(dump.find("dump_scene"));
    made.operators = text_of(dump.find("dump_op_switch")) == "on";
    made.overflow = text_of(dump.find("dump_debug")) == "on";
    const std::string mode = text_of(dump.find("dump_mode"));
    made.inputs = mode.empty() || mode == "all" || mode == "input";
    made.outputs = mode != "input";
    read_models(dump.find("dump_list"), made);

    const Json* list = dump.find("dump_list");
    const bool listed = list && list->kind == Json::Kind::array && !list->items.empty();
    const bool has_path = !made.path.empty();
    const bool lite = made.scene == "lite_exception" && faulty(Fault::dump_lite_exception_unknown);
    if (!made.scene.empty() && (!known_scene(made.scene) || lite)) return bad_dump("unknown dump_scene");
    if (!faulty(Fault::dump_config_unchecked)) {
        if (made.overflow && !has_path) return bad_dump("dump_debug needs dump_path");
        if (made.overflow && (listed || made.operators) && !faulty(Fault::dump_overflow_beside_model))
            return bad_dump("dump_debug excludes model dump and single-operator dump");
        if (made.watches() && !has_path) return bad_dump("watcher mode needs dump_path");
        if (made.watches() && made.operators && !faulty(Fault::dump_watcher_beside_operators)) return bad_dump("watcher mode excludes single-operator dump");
        if (made.dumps_exceptions() && (listed || made.operators))
            return bad_dump("exception dump excludes model dump and single-operator dump");
        if ((listed || made.operators) && !has_path) return bad_dump("model and single-operator dump need dump_path");
    }
    if (aclError code = check_kernel_dump(dump, has_path)) return code;
    out = std::move(made);
    return 0;
}

}  // namespace aclref
