#include "services/step_info.hpp"

#include "base/live_objects.hpp"

namespace aclref {

namespace {

const LiveCounter live{"step_infos", [] { return static_cast<std::uint64_t>(step_infos().size()); }};

}  // namespace

HandleTable<StepInfo>& step_infos() {
    static auto* table = new HandleTable<StepInfo>;
    return *table;
}

void forget_step_objects() { step_infos().clear(); }

}  // namespace aclref
