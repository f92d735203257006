// Steps of a training loop (chapter 19-04): where each began and ended on its stream.
#pragma once

#include <atomic>

#include "acl/acl_prof.h"
#include "base/handle_table.hpp"

namespace aclref {

struct StepInfo {
    std::atomic<bool> tagged[ACL_STEP_END + 1] = {false, false};
};

HandleTable<StepInfo>& step_infos();
void forget_step_objects();

}  // namespace aclref
