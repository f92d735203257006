// Peer access: which device may reach the memory of which other one.
#pragma once

#include "base/errors.hpp"

namespace aclref {

/// Opens / closes the way from `device` to `peer`. Both are logical ids in range and different.
void open_peer_access(int device, int peer);
void close_peer_access(int device, int peer);

/// Whether `device` opened the way to the memory of `peer`; always true for a device and itself.
bool peer_access_open(int device, int peer);

/// Whether a copy may move bytes between the memory of two devices: one of them opened the way to the other, or the
/// product asks for no opening (A3).
bool devices_may_copy(int first, int second);

/// Closes every way from or to the device (it was reset).
void forget_peer_access(int device);

}  // namespace aclref
