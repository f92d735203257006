#include "capture/capture.hpp"
#include "copy/allocator.hpp"
#include "copy/copy.hpp"
#include "copy/peer.hpp"

namespace aclref {

void forget_copy_state() {
    capture::forget_everything();
    forget_allocators();
    for (int device = 0; device < Runtime::instance().device_count(); ++device) forget_peer_access(device);
}

}  // namespace aclref
