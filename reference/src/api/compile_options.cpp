// Graph engine: options of the online compiler.
#include <cstring>

#include "base/faults/operators.hpp"
#include "operators/compile_options.hpp"
#include "operators/compiler.hpp"
#include "services/require.hpp"

using namespace aclref;

extern "C" {

aclError aclSetCompileopt(aclCompileOpt opt, const char* value) {
    ACLREF_ENTER(aclSetCompileopt);
    ACLREF_NEEDS(value);
    return set_compile_option(opt, value);
}

aclError aclGetCompileopt(aclCompileOpt opt, char* value, size_t length) {
    ACLREF_ENTER(aclGetCompileopt);
    ACLREF_NEEDS(value);
    const auto found = compile_option(opt);
    if (!found && faulty(Fault::compile_option_unknown_read)) return 0;
    if (!found) return refuse(ACL_ERROR_API_NOT_SUPPORT, "opt %d does not exist, or has no value", opt);
    const std::size_t needed = found->size() + 1;
    if (length < needed && faulty(Fault::compile_option_cut)) {
        std::memcpy(value, found->c_str(), length);
        return 0;
    }
    if (length < needed && !faulty(Fault::compile_option_overruns))
        return refuse(ACL_ERROR_FAILURE, "room for %zu bytes, the value needs %zu", length, needed);
    std::memcpy(value, found->c_str(), needed);
    return length < needed ? ACL_ERROR_FAILURE : 0;
}

size_t aclGetCompileoptSize(aclCompileOpt opt) {
    if (enter(Function::aclGetCompileoptSize) != 0) return 0;
    const auto found = compile_option(opt);
    if (!found) return faulty(Fault::compile_option_size_made_up) ? 1 : 0;
    return found->size() + (faulty(Fault::compile_option_size_short) ? 0 : 1);
}

aclError aclopSetCompileFlag(aclOpCompileFlag flag) {
    ACLREF_ENTER(aclopSetCompileFlag);
    if (faulty(Fault::compile_flag_gone)) return refuse(ACL_ERROR_API_NOT_SUPPORT, "the call is gone");
    if (flag != ACL_OP_COMPILE_DEFAULT && flag != ACL_OP_COMPILE_FUZZ)
        return refuse(ACL_ERROR_INVALID_PARAM, "flag %d does not exist", flag);
    compile_for_any_dims(flag == ACL_OP_COMPILE_FUZZ);
    return 0;
}

}  // extern "C"
