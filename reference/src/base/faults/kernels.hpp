// Faults of kernels: loading, asking, arguments, launching, by name; their sentences stand in kernels.def.
#pragma once

#include "base/fault.hpp"

namespace aclref::Fault {

enum Kernels : unsigned {
    kernels_first_ = static_cast<unsigned>(FaultArea::kernels) * faults_per_area,
#define ACLREF_FAULT(name, sentence) name,
#include "base/faults/kernels.def"
#undef ACLREF_FAULT
};

}  // namespace aclref::Fault
