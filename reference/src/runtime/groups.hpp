// Groups of compute units: on a device a tool of the driver makes them, here the harness orders them.
#pragma once

namespace aclref {

inline constexpr unsigned most_groups = 8;

/// How many groups every device has; none from the start.
unsigned group_count();
void set_group_count(unsigned count);

}  // namespace aclref
