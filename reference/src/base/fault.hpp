// Faults: one promise broken on purpose, off by default. The names and sentences stand in faults.def.
#pragma once

#include <string_view>

namespace aclref {

enum class Fault : unsigned {
#define ACLREF_FAULT(name, sentence) name,
#include "base/faults.def"
#undef ACLREF_FAULT
    count_
};

/// True while this fault is selected (ACLREF_FAULT in the environment, or aclrefSetFault).
bool faulty(Fault fault) noexcept;

/// Selects faults by name, comma separated; an empty text selects none. False on an unknown name (nothing changes).
bool select_faults(std::string_view names);

/// "name\tsentence" lines of every fault.
const char* fault_list();

}  // namespace aclref
