// What describes queues and routes: acltdtQueueAttr, acltdtQueueRoute, acltdtQueueRouteList, acltdtQueueRouteQueryInfo.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "acl/acl_tdt_queue.h"
#include "base/handle_table.hpp"

namespace aclref {

inline constexpr std::uint32_t default_queue_depth = 8;
inline constexpr std::size_t longest_queue_name = 127;

inline constexpr std::int32_t route_unbound = 0;
inline constexpr std::int32_t route_bound = 1;
inline constexpr std::int32_t route_refused = 2;

/// Objects may be used by several threads; each has a lock of its own.
struct QueueAttr {
    std::mutex mutex;
    std::string name;
    std::uint32_t depth = default_queue_depth;
};

struct QueueRoute {
    std::uint32_t source = 0;
    std::uint32_t destination = 0;
    std::int32_t status = route_unbound;
};

struct LockedRoute {
    std::mutex mutex;
    QueueRoute route;
};

struct QueueRouteList {
    std::mutex mutex;
    std::vector<QueueRoute> routes;
};

struct QueueRouteQuery {
    std::mutex mutex;
    std::optional<acltdtQueueRouteQueryMode> mode;
    std::optional<std::uint32_t> source;
    std::optional<std::uint32_t> destination;
    /// Whether everything that the mode needs has been set.
    bool complete() const;
};

HandleTable<QueueAttr>& queue_attributes();
HandleTable<LockedRoute>& queue_routes();
HandleTable<QueueRouteList>& queue_route_lists();
HandleTable<QueueRouteQuery>& queue_route_queries();

void forget_queue_objects();

}  // namespace aclref
