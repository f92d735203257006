// Running captures: which streams they took in, what those streams record, and how they end.
#pragma once

#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "capture/capture.hpp"
#include "capture/instance.hpp"

namespace aclref::capture {

/// aclmdlRICaptureBegin. `body`: record into this body of a conditional task instead of a new instance.
aclError begin(const std::shared_ptr<Stream>& stream, aclmdlRICaptureMode mode, std::shared_ptr<Instance> body,
               const char* api);
/// aclmdlRICaptureEnd. `instance` is set on success only.
aclError end(const std::shared_ptr<Stream>& stream, std::shared_ptr<Instance>& instance, const char* api);

struct Info {
    aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    aclmdlRI instance = nullptr;
};
Info info(const Stream& stream);

/// Gives the calling thread a new mode and returns the one it had.
aclmdlRICaptureMode exchange_mode(aclmdlRICaptureMode mode);
/// Every thread has its first mode again.
void forget_modes();

/// Streams of built instances record until the build is over and stay reserved until they are unbound.
aclError bind(const std::shared_ptr<Instance>& instance, const std::shared_ptr<Stream>& stream, bool starts,
              const char* api);
aclError unbind(const std::shared_ptr<Instance>& instance, const Stream& stream, const char* api);
aclError end_task(const std::shared_ptr<Instance>& instance, const Stream& stream, const char* api);
/// Lets go of every stream bound to the instance.
void unbind_all(const Instance& instance);
/// The built instance a stream is bound to.
std::shared_ptr<Instance> bound_instance(const Stream& stream);

/// Adds a conditional task to a capturing stream.
aclError add_condition(const std::shared_ptr<Stream>& stream, const aclmdlRICondTaskParams& parameters, const char* api);
aclError create_condition(const std::shared_ptr<Instance>& instance, std::uint64_t initial, bool assign_initial,
                          aclmdlRICondHandle& handle, const char* api);
std::shared_ptr<Condition> find_condition(aclmdlRICondHandle handle);

// Task groups: nodes of a capture that can be given new contents later.
aclError begin_group(const Stream& stream, const char* api);
aclError end_group(const Stream& stream, aclrtTaskGrp& handle, const char* api);
aclError begin_update(const std::shared_ptr<Stream>& stream, aclrtTaskGrp handle, const char* api);
aclError end_update(const std::shared_ptr<Stream>& stream, const char* api);

/// For a fault: the stream of the newest execution, until something looks at it.
std::atomic<const Stream*>& last_executed();

}  // namespace aclref::capture
