// Faults of copies, fills, peer access, allocators, capture, by name; their sentences stand in copy.def.
#pragma once

#include "base/fault.hpp"

namespace aclref::Fault {

enum Copy : unsigned {
    copy_first_ = static_cast<unsigned>(FaultArea::copy) * faults_per_area,
#define ACLREF_FAULT(name, sentence) name,
#include "base/faults/copy.def"
#undef ACLREF_FAULT
};

}  // namespace aclref::Fault
