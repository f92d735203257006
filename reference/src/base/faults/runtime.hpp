// Faults of init, devices, contexts, streams, events, notifies, callbacks, by name; their sentences stand in runtime.def.
#pragma once

#include "base/fault.hpp"

namespace aclref::Fault {

enum Runtime : unsigned {
    runtime_first_ = static_cast<unsigned>(FaultArea::runtime) * faults_per_area,
#define ACLREF_FAULT(name, sentence) name,
#include "base/faults/runtime.def"
#undef ACLREF_FAULT
};

}  // namespace aclref::Fault
