// Faults of memory: allocation, host, virtual, IPC, pools, stream values, unified addressing, by name; their sentences stand in memory.def.
#pragma once

#include "base/fault.hpp"

namespace aclref::Fault {

enum Memory : unsigned {
    memory_first_ = static_cast<unsigned>(FaultArea::memory) * faults_per_area,
#define ACLREF_FAULT(name, sentence) name,
#include "base/faults/memory.def"
#undef ACLREF_FAULT
};

}  // namespace aclref::Fault
