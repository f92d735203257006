#include "services/services.hpp"

#include "services/buffer.hpp"
#include "services/channel.hpp"
#include "services/dump.hpp"
#include "services/log_output.hpp"
#include "services/profiling.hpp"
#include "services/queue.hpp"
#include "services/queue_objects.hpp"
#include "services/snapshot.hpp"
#include "services/step_info.hpp"
#include "services/subscription.hpp"
#include "services/tensors.hpp"

namespace aclref {

void release_device_services(int device) { release_queues(device); }

void finish_services() {
    release_snapshot();
    release_channels();
    release_queues(-1);
    release_buffers();
    finish_profiling();
    forget_subscriptions();
    finish_dump();
}

void forget_services() {
    finish_services();
    forget_tensors();
    forget_queue_objects();
    forget_profiling_objects();
    forget_step_objects();
    forget_dump_callback();
    forget_snapshot_callbacks();
    forget_log_callbacks();
}

}  // namespace aclref
