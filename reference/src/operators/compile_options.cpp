#include "operators/compile_options.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "base/faults/operators.hpp"
#include "base/profile.hpp"

namespace aclref {

namespace {

/// The values an option takes, any text where none are listed; the first is the default.
struct Known {
    std::vector<std::string> values;
    bool has_default = true;
};

const std::map<aclCompileOpt, Known>& known_options() {
    static const auto* all = new std::map<aclCompileOpt, Known>{
        {ACL_PRECISION_MODE,
         {{"allow_fp32_to_fp16", "force_fp16", "force_fp32", "cube_fp16in_fp32out", "must_keep_origin_dtype", "allow_mix_precision",
           "allow_mix_precision_fp16", "allow_mix_precision_bf16", "allow_fp32_to_bf16"}}},
        {ACL_AICORE_NUM, {{}, false}},
        {ACL_OP_SELECT_IMPL_MODE, {{"high_performance", "high_precision"}}},
        {ACL_OPTYPELIST_FOR_IMPLMODE, {{}, false}},
        {ACL_OP_DEBUG_LEVEL, {{"0", "1", "2", "3", "4"}}},
        {ACL_DEBUG_DIR, {{}, false}},
        {ACL_OP_COMPILER_CACHE_MODE, {{"disable", "enable", "force"}}},
        {ACL_OP_COMPILER_CACHE_DIR, {{}, false}},
        {ACL_OP_PERFORMANCE_MODE, {{"normal", "high"}}},
        {ACL_OP_JIT_COMPILE, {{"enable", "disable"}}},
        {ACL_OP_DETERMINISTIC, {{"0", "1"}}},
        {ACL_CUSTOMIZE_DTYPES, {{}, false}},
        {ACL_OP_PRECISION_MODE, {{}, false}},
        {ACL_ALLOW_HF32, {{"true", "false"}, false}},
        {ACL_PRECISION_MODE_V2,
         {{"fp16", "origin", "cube_fp16in_fp32out", "mixed_float16", "mixed_bfloat16", "cube_hif8", "mixed_hif8"}}},
        {ACL_OP_DEBUG_OPTION, {{"oom"}, false}},
    };
    return *all;
}

struct Options {
    std::mutex mutex;
    std::map<aclCompileOpt, std::string> set;
    std::map<aclCompileOpt, const char*> borrowed;  ///< the caller's own memory, kept by a fault only
};

Options& process_options() {
    static auto* instance = new Options;
    return *instance;
}

Options& options() {
    if (!faulty(Fault::compile_option_of_thread)) return process_options();
    static thread_local Options mine;
    return mine;
}

/// Operators that are compiled beforehand come with these products.
bool has_binary_operators() { return profile().product == Product::A3 || profile().product == Product::p910b; }

std::string default_of(aclCompileOpt option, const Known& known) {
    if (option != ACL_OP_JIT_COMPILE) return known.values.front();
    return has_binary_operators() != faulty(Fault::compile_option_other_default) ? "disable" : "enable";
}

}  // namespace

aclError set_compile_option(aclCompileOpt option, const char* value) {
    if (option == ACL_AUTO_TUNE_MODE && !faulty(Fault::compile_option_tunes))
        return refuse(ACL_ERROR_FEATURE_UNSUPPORTED, "there is no automatic tuning any more");
    auto known = known_options().find(option);
    if (known == known_options().end()) {
        if (faulty(Fault::compile_option_unchecked) || option == ACL_AUTO_TUNE_MODE) return 0;
        return refuse(ACL_ERROR_INTERNAL_ERROR, "opt %d does not exist", option);
    }
    const auto& values = known->second.values;
    if (faulty(Fault::compile_option_refused)) return refuse(ACL_ERROR_INTERNAL_ERROR, "no option can be set");
    if (!values.empty() && std::find(values.begin(), values.end(), value) == values.end())
        return refuse(ACL_ERROR_INVALID_PARAM, "opt %d cannot be '%s'", option, value);
    if (faulty(Fault::compile_option_lost)) return 0;
    Options& all = options();
    std::lock_guard lock(all.mutex);
    if (faulty(Fault::compile_options_share)) option = ACL_PRECISION_MODE;
    if (faulty(Fault::compile_option_borrows)) all.borrowed[option] = value;
    if (faulty(Fault::compile_option_first_wins)) all.set.try_emplace(option, value);
    else all.set[option] = value;
    return 0;
}

std::optional<std::string> compile_option(aclCompileOpt option) {
    Options& all = options();
    {
        std::lock_guard lock(all.mutex);
        const aclCompileOpt place = faulty(Fault::compile_options_share) ? ACL_PRECISION_MODE : option;
        if (faulty(Fault::compile_option_borrows) && all.borrowed.contains(place)) return all.borrowed[place];
        if (auto found = all.set.find(place); found != all.set.end()) return found->second;
    }
    auto known = known_options().find(option);
    if (known == known_options().end() || !known->second.has_default) return std::nullopt;
    return default_of(option, known->second);
}

void forget_compile_options() {
    Options& all = process_options();
    std::lock_guard lock(all.mutex);
    all.set.clear();
}

}  // namespace aclref
