#include "operators/call.hpp"

#include <algorithm>

#include "base/faults/operators.hpp"

namespace aclref {

bool is_left_out(const TensorDesc& desc) { return desc.type == ACL_DT_UNDEFINED; }

bool has_host_input(const OperatorCall& call) {
    return std::any_of(call.inputs.descs.begin(), call.inputs.descs.end(), [](const auto& desc) {
        return desc->placement == ACL_MEMTYPE_HOST && desc->constant.empty();
    });
}

aclError read_attributes(const aclopAttr* given, std::map<std::string, AttributeValue>& out) {
    out.clear();
    if (given == nullptr) return faulty(Fault::operator_attributes_needed) ? refuse(ACL_ERROR_INVALID_PARAM, "attr is NULL") : 0;
    auto found = operator_attributes().find(given);
    if (!found) return refuse(ACL_ERROR_INVALID_PARAM, "attr does not exist");
    std::lock_guard lock(found->mutex);
    out = found->values;
    return 0;
}

}  // namespace aclref
