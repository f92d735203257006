// Chapter 03, system options: of the process and of a context.
#include <set>
#include <utility>

#include "runtime/runtime.hpp"
#include "base/faults/runtime.hpp"
#include "runtime/settings.hpp"

using namespace aclref;

namespace {

/// Faulty builds only: the contexts and options that this thread has set.
thread_local std::set<std::pair<aclrtContext, aclSysParamOpt>> set_here;

/// DETERMINISTIC takes 0 to 3, the other options are switches.
bool value_allowed(aclSysParamOpt option, std::int64_t value) {
    if (faulty(Fault::process_option_unchecked)) return true;
    bool wide = option == ACL_OPT_DETERMINISTIC && !faulty(Fault::context_option_switch_only);
    return value >= 0 && value <= (wide ? 3 : 1);
}

aclError check_option(aclSysParamOpt option, aclSysParamOpt last) {
    if (option >= 0 && option <= last) return 0;
    return refuse(ACL_ERROR_INVALID_PARAM, "opt %d does not exist", option);
}

aclError check_value(aclSysParamOpt option, std::int64_t value) {
    if (value_allowed(option, value)) return 0;
    return refuse(ACL_ERROR_RT_PARAM_INVALID, "value %lld is not allowed for opt %d", static_cast<long long>(value), option);
}

}  // namespace

extern "C" {

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
    ACLREF_ENTER(aclrtSetSysParamOpt);
    if (aclError code = check_option(opt, ACL_OPT_ENABLE_KERNEL_EARLY_START)) return code;
    if (opt == ACL_OPT_STRONG_CONSISTENCY && faulty(Fault::strong_consistency_gone))
        return refuse(ACL_ERROR_INVALID_PARAM, "opt %d does not exist", opt);
    if (aclError code = check_value(opt, value)) return code;
    if (!faulty(Fault::process_option_set_ignored)) settings().options[opt] = value;
    return 0;
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
    ACLREF_ENTER(aclrtGetSysParamOpt);
    ACLREF_REQUIRE(value);
    if (aclError code = check_option(opt, ACL_OPT_ENABLE_KERNEL_EARLY_START)) return code;
    *value = settings().options[opt];
    return 0;
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
    ACLREF_ENTER(aclrtCtxSetSysParamOpt);
    if (aclError code = check_option(opt, ACL_OPT_STRONG_CONSISTENCY)) return code;
    if (aclError code = check_value(opt, value)) return code;
    aclError code = 0;
    auto context = require_context(code, current_function());
    if (!context) return code;
    std::lock_guard lock(context->options_mutex);
    if (faulty(Fault::context_option_of_thread)) set_here.insert({context->handle, opt});
    if (faulty(Fault::context_option_first_wins)) context->options.try_emplace(opt, value);
    else context->options[opt] = value;
    for (int each = 0; each <= ACL_OPT_STRONG_CONSISTENCY && faulty(Fault::context_options_all_set); ++each)
        context->options[static_cast<aclSysParamOpt>(each)] = value;
    if (faulty(Fault::context_option_of_process)) settings().options[opt] = value;
    return 0;
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
    ACLREF_ENTER(aclrtCtxGetSysParamOpt);
    ACLREF_REQUIRE(value);
    if (aclError code = check_option(opt, ACL_OPT_STRONG_CONSISTENCY)) return code;
    aclError code = 0;
    auto context = require_context(code, current_function());
    if (!context) return code;
    std::lock_guard lock(context->options_mutex);
    auto it = context->options.find(opt);
    if (faulty(Fault::context_option_of_thread) && !set_here.contains({context->handle, opt})) it = context->options.end();
    if (faulty(Fault::context_option_of_process) ||
        (faulty(Fault::context_option_unset_reads_zero) && it == context->options.end())) {
        *value = settings().options[opt];
        return 0;
    }
    if (it == context->options.end())
        return (faulty(Fault::context_option_unset_kept_as_error) ? refuse : refuse_quietly)(
            ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "opt %d was never set in this context", opt);
    *value = it->second;
    return 0;
}

}  // extern "C"
