// Faults of single operators, by name; their sentences stand in operators.def.
#pragma once

#include "base/fault.hpp"

namespace aclref::Fault {

/// They have the second half of the services' numbers.
enum Operators : unsigned {
    operators_first_ = static_cast<unsigned>(FaultArea::services) * faults_per_area + faults_per_area / 2,
#define ACLREF_FAULT(name, sentence) name,
#include "base/faults/operators.def"
#undef ACLREF_FAULT
};

}  // namespace aclref::Fault
