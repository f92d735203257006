#include "services/queue.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>

#include "base/faults/services.hpp"
#include "base/live_objects.hpp"

namespace aclref {

namespace {

struct Queue {
    int device = 0;
    std::size_t depth = 0;
    std::deque<Message> messages;
};

using Route = std::pair<std::uint32_t, std::uint32_t>;  ///< source, destination

/// All queues of the process. One lock: routes tie any of them together.
struct Queues {
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::uint32_t, Queue> queues;
    std::set<Route> routes;
    std::uint32_t next = 0;

    Queue* find(std::uint32_t id) {
        auto it = queues.find(id);
        return it == queues.end() ? nullptr : &it->second;
    }
};

Queues& all() {
    static auto* instance = new Queues;
    return *instance;
}

const LiveCounter live{"queues", [] {
                           std::lock_guard lock(all().mutex);
                           return static_cast<std::uint64_t>(all().queues.size());
                       }};

std::vector<std::uint32_t> destinations(const Queues& every, std::uint32_t source) {
    std::vector<std::uint32_t> out;
    for (const Route& route : every.routes)
        if (route.first == source) out.push_back(route.second);
    if (faulty(Fault::route_serves_first_only) && out.size() > 1) out.resize(1);
    return out;
}

bool has_room(const Queue& queue) {
    return queue.messages.size() < queue.depth || faulty(Fault::queue_never_full);
}

/// Forwards what stands in a queue with routes, as long as every destination has room; then what that has moved on.
void forward(Queues& every, std::uint32_t source) {
    const std::vector<std::uint32_t> to = destinations(every, source);
    if (to.empty()) return;
    Queue& from = every.queues.at(source);
    bool moved = false;
    while (!from.messages.empty() &&
           std::all_of(to.begin(), to.end(), [&](std::uint32_t id) { return has_room(every.queues.at(id)); })) {
        for (std::uint32_t id : to) every.queues.at(id).messages.push_back(from.messages.front());
        from.messages.pop_front();
        moved = true;
    }
    if (!moved) return;
    for (std::uint32_t id : to) forward(every, id);
}

/// Room has appeared in a queue: whoever leads to it may forward again.
void forward_into(Queues& every, std::uint32_t destination) {
    std::vector<std::uint32_t> sources;
    for (const Route& route : every.routes)
        if (route.second == destination) sources.push_back(route.first);
    for (std::uint32_t source : sources) forward(every, source);
}

bool leads_to(const std::set<Route>& routes, std::uint32_t from, std::uint32_t to) {
    if (from == to) return true;
    return std::any_of(routes.begin(), routes.end(), [&](const Route& route) {
        return route.first == from && leads_to(routes, route.second, to);
    });
}

/// Waits until `ready` holds for the queue. False when the time is over; null when the queue is gone.
template <class Ready>
Queue* wait_for(Queues& every, std::unique_lock<std::mutex>& lock, std::uint32_t id, std::chrono::milliseconds timeout,
                Ready ready, bool& late) {
    auto settled = [&] {
        Queue* queue = every.find(id);
        return !queue || ready(*queue);
    };
    late = false;
    if (timeout.count() < 0) every.changed.wait(lock, settled);
    else late = !every.changed.wait_for(lock, timeout, settled);
    return every.find(id);
}

aclError unknown(std::uint32_t id) { return refuse(ACL_ERROR_INVALID_QUEUE_ID, "there is no queue %u", id); }

/// Puts the route into `routes`, or says why not.
aclError add_route(Queues& every, std::set<Route>& routes, const QueueRoute& route) {
    if (!every.find(route.source)) return unknown(route.source);
    if (!every.find(route.destination)) return unknown(route.destination);
    if (leads_to(routes, route.destination, route.source) && !faulty(Fault::route_cycle_accepted))
        return refuse(ACL_ERROR_INVALID_PARAM, "a route from %u to %u would close a circle", route.source, route.destination);
    routes.insert({route.source, route.destination});
    return 0;
}

}  // namespace

std::uint32_t create_queue(int device, const QueueAttr& attributes) {
    Queues& every = all();
    std::lock_guard lock(every.mutex);
    if (faulty(Fault::queue_ids_repeat) && !every.queues.empty()) return every.queues.begin()->first;
    const std::uint32_t id = every.next++;
    std::size_t depth = attributes.depth;
    if (faulty(Fault::queue_default_depth_wrong) && depth == default_queue_depth) ++depth;
    every.queues[id] = {device, depth, {}};
    return id;
}

aclError destroy_queue(std::uint32_t id) {
    Queues& every = all();
    std::lock_guard lock(every.mutex);
    if (!every.find(id)) return faulty(Fault::queue_unknown_accepted) ? 0 : unknown(id);
    const bool bound = std::any_of(every.routes.begin(), every.routes.end(), [&](const Route& route) {
        return route.first == id || route.second == id;
    });
    if (bound && !faulty(Fault::queue_destroyed_while_bound))
        return refuse(ACL_ERROR_FAILURE, "queue %u is part of a route", id);
    std::erase_if(every.routes, [&](const Route& route) { return route.first == id || route.second == id; });
    every.queues.erase(id);
    every.changed.notify_all();
    return 0;
}

aclError enqueue(std::uint32_t id, Message message, std::chrono::milliseconds timeout) {
    Queues& every = all();
    std::unique_lock lock(every.mutex);
    if (!every.find(id)) return faulty(Fault::queue_unknown_accepted) ? 0 : unknown(id);
    bool late = false;
    Queue* queue = wait_for(every, lock, id, timeout, has_room, late);
    if (!queue) return unknown(id);
    if (late) return refuse(ACL_ERROR_RT_QUEUE_FULL, "queue %u is full", id);
    if (faulty(Fault::queue_newest_first)) queue->messages.push_front(std::move(message));
    else queue->messages.push_back(std::move(message));
    forward(every, id);
    every.changed.notify_all();
    return 0;
}

aclError dequeue(std::uint32_t id, Message& message, std::size_t room, std::chrono::milliseconds timeout) {
    Queues& every = all();
    std::unique_lock lock(every.mutex);
    if (!every.find(id)) return faulty(Fault::queue_unknown_accepted) ? 0 : unknown(id);
    bool late = false;
    Queue* queue = wait_for(every, lock, id, timeout, [](const Queue& each) { return !each.messages.empty(); }, late);
    if (!queue) return unknown(id);
    if (late) return faulty(Fault::queue_empty_succeeds) ? 0 : refuse(ACL_ERROR_RT_QUEUE_EMPTY, "queue %u is empty", id);
    const std::size_t size = queue->messages.front().data.size();
    if (size > room) return refuse(ACL_ERROR_INVALID_PARAM, "the message has %zu bytes, the buffer %zu", size, room);
    message = std::move(queue->messages.front());
    queue->messages.pop_front();
    forward_into(every, id);
    every.changed.notify_all();
    return 0;
}

aclError bind_routes(std::vector<QueueRoute>& routes) {
    Queues& every = all();
    std::lock_guard lock(every.mutex);
    std::set<Route> wanted = every.routes;
    aclError first = 0;
    for (QueueRoute& route : routes) {
        const aclError code = add_route(every, wanted, route);
        route.status = code ? route_refused : route_bound;
        if (code && !first) first = code;
    }
    if (first && !faulty(Fault::route_bad_one_ignored)) return first;
    every.routes = std::move(wanted);
    for (const QueueRoute& route : routes)
        if (route.status == route_bound) forward(every, route.source);
    every.changed.notify_all();
    return 0;
}

aclError unbind_routes(std::vector<QueueRoute>& routes) {
    Queues& every = all();
    std::lock_guard lock(every.mutex);
    aclError first = 0;
    for (QueueRoute& route : routes) {
        const Route known{route.source, route.destination};
        if (every.routes.count(known) == 0) {
            const aclError code = refuse(ACL_ERROR_INVALID_PARAM, "no route leads from %u to %u", known.first, known.second);
            if (!first) first = code;
            continue;
        }
        if (!faulty(Fault::route_unbind_forwards_on)) every.routes.erase(known);
        route.status = route_unbound;
    }
    return first;
}

std::vector<QueueRoute> bound_routes(const QueueRouteQuery& query) {
    Queues& every = all();
    std::lock_guard lock(every.mutex);
    std::vector<QueueRoute> out;
    if (query.mode == ACL_TDT_QUEUE_ROUTE_QUERY_ABNORMAL || faulty(Fault::route_query_finds_nothing)) return out;
    for (const Route& route : every.routes) {
        const bool source = query.mode == ACL_TDT_QUEUE_ROUTE_QUERY_DST || route.first == query.source;
        const bool destination = query.mode == ACL_TDT_QUEUE_ROUTE_QUERY_SRC || route.second == query.destination;
        if (source && destination) out.push_back({route.first, route.second, route_bound});
    }
    return out;
}

void release_queues(int device) {
    Queues& every = all();
    std::lock_guard lock(every.mutex);
    std::erase_if(every.queues, [&](const auto& entry) { return device < 0 || entry.second.device == device; });
    std::erase_if(every.routes, [&](const Route& route) { return !every.find(route.first) || !every.find(route.second); });
    every.changed.notify_all();
}

}  // namespace aclref
