#include "operators/attributes.hpp"

#include "base/errors.hpp"
#include "base/faults/services.hpp"
#include "base/live_objects.hpp"

namespace aclref {

namespace {

const LiveCounter live{"operator_attributes", [] { return static_cast<std::uint64_t>(operator_attributes().size()); }};

}  // namespace

HandleTable<OperatorAttributes>& operator_attributes() {
    static auto* table = new HandleTable<OperatorAttributes>;
    return *table;
}

aclError set_attribute(aclopAttr* handle, const char* name, AttributeValue value) {
    if (faulty(Fault::attribute_refused)) return refuse(ACL_ERROR_INVALID_PARAM, "no attribute can be set");
    auto found = operator_attributes().find(handle);
    if (!found) return refuse(ACL_ERROR_INVALID_PARAM, "attr does not exist");
    std::lock_guard lock(found->mutex);
    if (found->values.contains(name) && faulty(Fault::attribute_name_used_once))
        return refuse(ACL_ERROR_INVALID_PARAM, "the attribute %s is set already", name);
    found->values.insert_or_assign(name, std::move(value));
    return 0;
}

}  // namespace aclref
