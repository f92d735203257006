#include "operators/handles.hpp"

#include "base/faults/operators.hpp"
#include "base/live_objects.hpp"
#include "operators/registry.hpp"

namespace aclref {

namespace {

const LiveCounter live{"operator_handles", [] { return static_cast<std::uint64_t>(operator_handles().size()); }};

/// A handle keeps descriptions as they are, for the caller may change or destroy them.
Descs copies_of(const Descs& descs) {
    Descs copies;
    for (const auto& desc : descs) copies.push_back(std::make_shared<TensorDesc>(*desc));
    return copies;
}

}  // namespace

HandleTable<OperatorHandle>& operator_handles() {
    static auto* table = new HandleTable<OperatorHandle>;
    return *table;
}

aclError make_operator_handle(const OperatorCall& call, aclopHandle*& out) {
    if (has_host_input(call) && !faulty(Fault::operator_handle_takes_host_inputs))
        return refuse(ACL_ERROR_API_NOT_SUPPORT, "an input of a handle cannot lie on the host");
    auto made = std::make_shared<OperatorHandle>();
    aclError code = 0;
    made->plan = find_operator(call, made->dims, code);
    if (!made->plan && !faulty(Fault::operator_unknown_accepted)) return code;
    if (made->plan && made->plan->is_dynamic) return refuse(ACL_ERROR_API_NOT_SUPPORT, "an operator of dynamic shape has no handle");
    made->inputs = copies_of(call.inputs.descs);
    made->outputs = call.outputs.descs.size();
    out = static_cast<aclopHandle*>(operator_handles().add(std::move(made)));
    return 0;
}

}  // namespace aclref
