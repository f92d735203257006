// How many of each thing a product has.
#pragma once

#include <cstdint>

namespace aclref {

int max_streams();    ///< per device, default streams included
int max_events();     ///< per device
int max_notifies();   ///< per device

/// Streams of the budget that a default stream takes.
int default_stream_slots();

/// Cores of a device by aclrtDevResLimitType: AI or cube cores, vector cores.
std::uint32_t core_count(unsigned type);

}  // namespace aclref
