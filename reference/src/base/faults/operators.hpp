// Faults of single operators, by name; their sentences stand in operators.def.
#pragma once

#include "base/fault.hpp"

namespace aclref::Fault {

enum Operators : unsigned {
    operators_first_ = static_cast<unsigned>(FaultArea::operators) * faults_per_area,
#define ACLREF_FAULT(name, sentence) name,
#include "base/faults/operators.def"
#undef ACLREF_FAULT
};

}  // namespace aclref::Fault
