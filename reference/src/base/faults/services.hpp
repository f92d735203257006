// Faults of data transfer, dumps, profiling, snapshots, logs, by name; their sentences stand in services.def.
#pragma once

#include "base/fault.hpp"

namespace aclref::Fault {

enum Services : unsigned {
    services_first_ = static_cast<unsigned>(FaultArea::services) * faults_per_area,
#define ACLREF_FAULT(name, sentence) name,
#include "base/faults/services.def"
#undef ACLREF_FAULT
};

}  // namespace aclref::Fault
