// Faults of models: loading, describing, executing, by name; their sentences stand in models.def.
#pragma once

#include "base/fault.hpp"

namespace aclref::Fault {

enum Models : unsigned {
    models_first_ = static_cast<unsigned>(FaultArea::models) * faults_per_area,
#define ACLREF_FAULT(name, sentence) name,
#include "base/faults/models.def"
#undef ACLREF_FAULT
};

}  // namespace aclref::Fault
