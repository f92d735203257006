// Faults: one promise broken on purpose, off by default. Each area has its names in a header of its own,
// base/faults/<area>.hpp, so that a new fault rebuilds its area only.
#pragma once

#include <string_view>
#include <type_traits>

namespace aclref {

/// The areas that have faults; base/fault.cpp lists their files.
enum class FaultArea : unsigned { runtime, copy, memory, models, services, operators, kernels, count_ };

/// Room for the faults of an area; the numbers of its faults start at its place in `FaultArea` times this.
inline constexpr unsigned faults_per_area = 1024;

/// True while the fault of this number is selected.
bool fault_selected(unsigned number) noexcept;

/// True while this fault is selected (ACLREF_FAULT in the environment, or aclrefSetFault).
template <typename Name>
    requires std::is_enum_v<Name>
bool faulty(Name fault) noexcept {
    return fault_selected(static_cast<unsigned>(fault));
}

/// Selects faults by name, comma separated; an empty text selects none. False on an unknown name (nothing changes).
bool select_faults(std::string_view names);

/// "name\tsentence" lines of every fault.
const char* fault_list();

}  // namespace aclref
