#include "services/queue_objects.hpp"

#include "base/live_objects.hpp"

namespace aclref {

namespace {

template <class Object>
HandleTable<Object>& table() {
    static auto* instance = new HandleTable<Object>;
    return *instance;
}

const LiveCounter live[] = {
    {"queue_attributes", [] { return static_cast<std::uint64_t>(queue_attributes().size()); }},
    {"queue_routes", [] { return static_cast<std::uint64_t>(queue_routes().size()); }},
    {"queue_route_lists", [] { return static_cast<std::uint64_t>(queue_route_lists().size()); }},
    {"queue_route_queries", [] { return static_cast<std::uint64_t>(queue_route_queries().size()); }},
};

}  // namespace

bool QueueRouteQuery::complete() const {
    if (!mode) return false;
    if (*mode == ACL_TDT_QUEUE_ROUTE_QUERY_ABNORMAL) return true;
    const bool by_source = *mode != ACL_TDT_QUEUE_ROUTE_QUERY_DST;
    const bool by_destination = *mode != ACL_TDT_QUEUE_ROUTE_QUERY_SRC;
    return (!by_source || source) && (!by_destination || destination);
}

HandleTable<QueueAttr>& queue_attributes() { return table<QueueAttr>(); }
HandleTable<LockedRoute>& queue_routes() { return table<LockedRoute>(); }
HandleTable<QueueRouteList>& queue_route_lists() { return table<QueueRouteList>(); }
HandleTable<QueueRouteQuery>& queue_route_queries() { return table<QueueRouteQuery>(); }

void forget_queue_objects() {
    queue_attributes().clear();
    queue_routes().clear();
    queue_route_lists().clear();
    queue_route_queries().clear();
}

}  // namespace aclref
