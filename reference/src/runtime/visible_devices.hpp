// ASCEND_RT_VISIBLE_DEVICES: which devices of the machine the process sees, and under which numbers.
//
// Three numbers name a device. The user id is what the interface takes: the place in the list. The logical id is the
// device of the machine or container: the entry of the list. The physical id is the card; outside a container, and
// the reference device is never in one, it equals the logical id.
#pragma once

#include <optional>
#include <vector>

namespace aclref {

/// Reads the list as it stands in the environment, for a machine with `devices` devices: digits and commas; reading
/// stops at the first other character, unknown or repeated id. Without the variable every device is visible.
std::vector<int> read_visible_devices(int devices);

}  // namespace aclref
