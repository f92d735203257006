// Chapter 25-03: the objects that describe queues and routes.
#include "services/queue_objects.hpp"

#include <cstring>
#include <string_view>

#include "services/caller_bytes.hpp"
#include "services/require.hpp"

using namespace aclref;

namespace {

/// Makes an object and its handle; null where the product has none.
template <class Handle, class Object>
Handle* made(Function function, HandleTable<Object>& table, std::shared_ptr<Object> object) {
    if (enter(function) != 0) return nullptr;
    if (faulty(Fault::queue_objects_need_device) && !Runtime::instance().current_context()) return nullptr;
    static Handle* first = nullptr;
    if (faulty(Fault::queue_object_made_once) && table.find(first)) return first;
    return first = static_cast<Handle*>(table.add(std::move(object)));
}

template <class Object>
aclError destroyed(HandleTable<Object>& table, const void* handle, const char* what) {
    return table.remove(handle) ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "%s does not exist", what);
}

/// Writes a value of the library's into the caller's `length` bytes.
aclError give(const void* value, size_t size, size_t length, size_t* told, void* to) {
    if (length < size) {
        if (faulty(Fault::queue_value_cut)) size = length;
        else return refuse(ACL_ERROR_INVALID_PARAM, "the value takes %zu bytes, there is room for %zu", size, length);
    }
    if (aclError code = give_bytes(to, value, size)) return code;
    *told = size;
    return 0;
}

aclError unknown_type(int type) {
    return faulty(Fault::queue_type_unchecked) ? 0 : refuse(ACL_ERROR_INVALID_PARAM, "there is no type %d", type);
}

aclError set_name(QueueAttr& attributes, size_t length, const void* value) {
    if (length != sizeof(char*)) return refuse(ACL_ERROR_INVALID_PARAM, "a name is given by a pointer to it");
    const char* name = nullptr;
    if (aclError code = take_bytes(&name, value, sizeof(name))) return code;
    if (!name) return refuse(ACL_ERROR_INVALID_PARAM, "the name is NULL");
    if (std::strlen(name) > longest_queue_name && !faulty(Fault::queue_type_unchecked))
        return refuse(ACL_ERROR_INVALID_PARAM, "the name is longer than %zu characters", longest_queue_name);
    attributes.name = name;
    return 0;
}

aclError set_number(std::optional<std::uint32_t>& number, size_t length, const void* value) {
    if (length != sizeof(std::uint32_t)) return refuse(ACL_ERROR_INVALID_PARAM, "the value has %zu bytes and not 4", length);
    std::uint32_t given = 0;
    if (aclError code = take_bytes(&given, value, sizeof(given))) return code;
    number = given;
    return 0;
}

/// Faulty builds only: a route that goes is gone from the lists too.
void lose_copies(const acltdtQueueRoute* handle) {
    if (!faulty(Fault::route_list_refers)) return;
    auto gone = queue_routes().find(handle);
    for (const auto& list : queue_route_lists().all())
        for (QueueRoute& kept : list->routes)
            if (gone && kept.source == gone->route.source && kept.destination == gone->route.destination) kept = {};
}

}  // namespace

// Attributes

acltdtQueueAttr* acltdtCreateQueueAttr() {
    return made<acltdtQueueAttr>(Function::acltdtCreateQueueAttr, queue_attributes(), std::make_shared<QueueAttr>());
}

aclError acltdtDestroyQueueAttr(const acltdtQueueAttr* attr) {
    ACLREF_ENTER(acltdtDestroyQueueAttr);
    ACLREF_NEEDS(attr);
    return destroyed(queue_attributes(), attr, "attr");
}

aclError acltdtSetQueueAttr(acltdtQueueAttr* attr, acltdtQueueAttrType type, size_t len, const void* param) {
    ACLREF_ENTER(acltdtSetQueueAttr);
    ACLREF_NEEDS(attr);
    ACLREF_NEEDS(param);
    auto found = queue_attributes().find(attr);
    if (!found) return refuse(ACL_ERROR_INVALID_PARAM, "attr does not exist");
    std::lock_guard lock(found->mutex);
    if (type == ACL_TDT_QUEUE_NAME_PTR) return set_name(*found, len, param);
    if (type != ACL_TDT_QUEUE_DEPTH_UINT32) return unknown_type(type);
    if (faulty(Fault::queue_type_unchecked) && len > sizeof(std::uint32_t)) len = sizeof(std::uint32_t);
    std::optional<std::uint32_t> depth;
    if (aclError code = set_number(depth, len, param)) return code;
    if (!faulty(Fault::queue_depth_not_kept)) found->depth = *depth;
    return 0;
}

aclError acltdtGetQueueAttr(const acltdtQueueAttr* attr, acltdtQueueAttrType type, size_t len, size_t* paramRetSize,
                            void* param) {
    ACLREF_ENTER(acltdtGetQueueAttr);
    ACLREF_NEEDS(attr);
    ACLREF_NEEDS(paramRetSize);
    ACLREF_NEEDS(param);
    auto found = queue_attributes().find(attr);
    if (!found) return refuse(ACL_ERROR_INVALID_PARAM, "attr does not exist");
    std::lock_guard lock(found->mutex);
    // The name belongs to the attributes; a pointer to it is given out.
    const char* name = found->name.c_str();
    if (type == ACL_TDT_QUEUE_NAME_PTR) return give(&name, sizeof(name), len, paramRetSize, param);
    if (type != ACL_TDT_QUEUE_DEPTH_UINT32) return unknown_type(type);
    return give(&found->depth, sizeof(found->depth), len, paramRetSize, param);
}

// Routes

acltdtQueueRoute* acltdtCreateQueueRoute(uint32_t srcId, uint32_t dstId) {
    auto made_route = std::make_shared<LockedRoute>();
    made_route->route = {srcId, dstId, route_unbound};
    if (faulty(Fault::route_ends_turned)) std::swap(made_route->route.source, made_route->route.destination);
    return made<acltdtQueueRoute>(Function::acltdtCreateQueueRoute, queue_routes(), std::move(made_route));
}

aclError acltdtDestroyQueueRoute(const acltdtQueueRoute* route) {
    ACLREF_ENTER(acltdtDestroyQueueRoute);
    ACLREF_NEEDS(route);
    lose_copies(route);
    return destroyed(queue_routes(), route, "route");
}

aclError acltdtGetQueueRouteParam(const acltdtQueueRoute* route, acltdtQueueRouteParamType type, size_t len,
                                  size_t* paramRetSize, void* param) {
    ACLREF_ENTER(acltdtGetQueueRouteParam);
    ACLREF_NEEDS(route);
    ACLREF_NEEDS(paramRetSize);
    ACLREF_NEEDS(param);
    auto found = queue_routes().find(route);
    if (!found) return refuse(ACL_ERROR_INVALID_PARAM, "route does not exist");
    std::lock_guard lock(found->mutex);
    const QueueRoute& kept = found->route;
    switch (type) {
        case ACL_TDT_QUEUE_ROUTE_SRC_UINT32: return give(&kept.source, sizeof(kept.source), len, paramRetSize, param);
        case ACL_TDT_QUEUE_ROUTE_DST_UINT32:
            return give(&kept.destination, sizeof(kept.destination), len, paramRetSize, param);
        case ACL_TDT_QUEUE_ROUTE_STATUS_INT32: return give(&kept.status, sizeof(kept.status), len, paramRetSize, param);
    }
    return unknown_type(type);
}

// Lists of routes

acltdtQueueRouteList* acltdtCreateQueueRouteList() {
    auto list = std::make_shared<QueueRouteList>();
    if (faulty(Fault::route_list_starts_with_one)) list->routes.emplace_back();
    return made<acltdtQueueRouteList>(Function::acltdtCreateQueueRouteList, queue_route_lists(), std::move(list));
}

aclError acltdtDestroyQueueRouteList(const acltdtQueueRouteList* routeList) {
    ACLREF_ENTER(acltdtDestroyQueueRouteList);
    ACLREF_NEEDS(routeList);
    return destroyed(queue_route_lists(), routeList, "routeList");
}

aclError acltdtAddQueueRoute(acltdtQueueRouteList* routeList, const acltdtQueueRoute* route) {
    ACLREF_ENTER(acltdtAddQueueRoute);
    ACLREF_NEEDS(routeList);
    ACLREF_NEEDS(route);
    auto list = queue_route_lists().find(routeList);
    auto added = queue_routes().find(route);
    if (!list || !added) return refuse(ACL_ERROR_INVALID_PARAM, "routeList or route does not exist");
    std::scoped_lock lock(list->mutex, added->mutex);
    if (faulty(Fault::route_list_keeps_one)) list->routes.clear();
    list->routes.push_back(added->route);
    return 0;
}

aclError acltdtGetQueueRoute(const acltdtQueueRouteList* routeList, size_t index, acltdtQueueRoute* route) {
    ACLREF_ENTER(acltdtGetQueueRoute);
    ACLREF_NEEDS(routeList);
    ACLREF_NEEDS(route);
    auto list = queue_route_lists().find(routeList);
    auto into = queue_routes().find(route);
    if (!list || !into) return refuse(ACL_ERROR_INVALID_PARAM, "routeList or route does not exist");
    std::scoped_lock lock(list->mutex, into->mutex);
    if (index >= list->routes.size()) {
        if (faulty(Fault::route_list_index_unchecked)) return 0;
        return refuse(ACL_ERROR_INVALID_PARAM, "index %zu, the list has %zu routes", index, list->routes.size());
    }
    into->route = list->routes[index];
    return 0;
}

size_t acltdtGetQueueRouteNum(const acltdtQueueRouteList* routeList) {
    if (enter(Function::acltdtGetQueueRouteNum) != 0) return 0;
    auto list = queue_route_lists().find(routeList);
    if (!list) return faulty(Fault::tdt_null_getters_made_up) ? 1 : 0;
    std::lock_guard lock(list->mutex);
    return list->routes.size();
}

// Queries

acltdtQueueRouteQueryInfo* acltdtCreateQueueRouteQueryInfo() {
    return made<acltdtQueueRouteQueryInfo>(Function::acltdtCreateQueueRouteQueryInfo, queue_route_queries(),
                                           std::make_shared<QueueRouteQuery>());
}

aclError acltdtDestroyQueueRouteQueryInfo(const acltdtQueueRouteQueryInfo* info) {
    ACLREF_ENTER(acltdtDestroyQueueRouteQueryInfo);
    ACLREF_NEEDS(info);
    return destroyed(queue_route_queries(), info, "info");
}

aclError acltdtSetQueueRouteQueryInfo(acltdtQueueRouteQueryInfo* param, acltdtQueueRouteQueryInfoParamType type,
                                      size_t len, const void* value) {
    ACLREF_ENTER(acltdtSetQueueRouteQueryInfo);
    ACLREF_NEEDS(param);
    ACLREF_NEEDS(value);
    auto query = queue_route_queries().find(param);
    if (!query) return refuse(ACL_ERROR_INVALID_PARAM, "param does not exist");
    std::lock_guard lock(query->mutex);
    switch (type) {
        case ACL_TDT_QUEUE_ROUTE_QUERY_SRC_ID_UINT32: return set_number(query->source, len, value);
        case ACL_TDT_QUEUE_ROUTE_QUERY_DST_ID_UINT32: return set_number(query->destination, len, value);
        case ACL_TDT_QUEUE_ROUTE_QUERY_MODE_ENUM: {
            std::optional<std::uint32_t> mode;
            if (aclError code = set_number(mode, len, value)) return code;
            query->mode = static_cast<acltdtQueueRouteQueryMode>(*mode);
            return 0;
        }
    }
    return unknown_type(type);
}
