#include "operators/handles.hpp"

#include "base/live_objects.hpp"

namespace aclref {

namespace {

const LiveCounter live{"operator_handles", [] { return static_cast<std::uint64_t>(operator_handles().size()); }};

}  // namespace

HandleTable<OperatorHandle>& operator_handles() {
    static auto* table = new HandleTable<OperatorHandle>;
    return *table;
}

}  // namespace aclref
