// What the services hold goes with the device, with the initialisation, and with everything.
#pragma once

namespace aclref {

/// Queues of a device go with it (user id).
void release_device_services(int device);

/// aclFinalize: channels, queues, collections and dumps end.
void finish_services();

/// aclrefReset and aclrefConfigure: as if the process had never used a service.
void forget_services();

}  // namespace aclref
