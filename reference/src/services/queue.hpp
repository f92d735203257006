// Message queues of the devices (acltdtCreateQueue and its kin) and the routes between them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/errors.hpp"
#include "services/queue_objects.hpp"

namespace aclref {

inline constexpr std::size_t most_user_data = 96;

struct Message {
    std::vector<std::byte> data;
    std::vector<std::byte> user;
};

/// Makes a queue on a device (user id).
std::uint32_t create_queue(int device, const QueueAttr& attributes);
aclError destroy_queue(std::uint32_t id);
/// Waits for room no longer than `timeout`; negative: without end.
aclError enqueue(std::uint32_t id, Message message, std::chrono::milliseconds timeout);
/// Takes the oldest message; one that does not fit `room` bytes stays, and the call is refused.
aclError dequeue(std::uint32_t id, Message& message, std::size_t room, std::chrono::milliseconds timeout);

/// Binds or unbinds every route and notes the status of each; nothing is bound where one is refused.
aclError bind_routes(std::vector<QueueRoute>& routes);
aclError unbind_routes(std::vector<QueueRoute>& routes);
/// The bound routes that a complete query asks for.
std::vector<QueueRoute> bound_routes(const QueueRouteQuery& query);

/// The queues of a device go, with their routes; all of them for -1.
void release_queues(int device);

}  // namespace aclref
