// Chapter 17-02: message queues and their routes.
#include "services/queue.hpp"

#include <cstring>

#include "memory/address_space.hpp"
#include "services/caller_bytes.hpp"
#include "services/require.hpp"

using namespace aclref;

namespace {

/// Bytes of the caller's as a part of a message.
aclError take_part(std::vector<std::byte>& to, const void* from, size_t bytes) {
    if (aclError code = check_bytes(from, bytes, false)) return code;
    to.resize(bytes);
    return take_bytes(to.data(), from, bytes);
}

std::chrono::milliseconds wait_of(int32_t timeout) { return std::chrono::milliseconds(timeout); }

aclError check_sizes(size_t data_size, const void* user_data, size_t user_size) {
    if (faulty(Fault::queue_sizes_unchecked)) return 0;
    if (data_size == 0) return refuse(ACL_ERROR_INVALID_PARAM, "dataSize is 0");
    if (user_size > most_user_data)
        return refuse(ACL_ERROR_INVALID_PARAM, "userDataSize %zu is above %zu", user_size, most_user_data);
    if (user_size > 0 && !user_data) return refuse(ACL_ERROR_INVALID_PARAM, "userData is NULL and userDataSize %zu", user_size);
    return 0;
}

}  // namespace

aclError acltdtCreateQueue(const acltdtQueueAttr* attr, uint32_t* qid) {
    ACLREF_ENTER(acltdtCreateQueue);
    ACLREF_NEEDS(qid);
    auto given = attr ? queue_attributes().find(attr) : std::make_shared<QueueAttr>();
    if (!given) return refuse(ACL_ERROR_INVALID_PARAM, "attr does not exist");
    aclError code = 0;
    auto context = require_context(code, current_function());
    if (!context && !faulty(Fault::queue_without_device)) return code;
    std::lock_guard lock(given->mutex);
    *qid = create_queue(context ? context->device().id() : 0, *given);
    return 0;
}

aclError acltdtDestroyQueue(uint32_t qid) {
    ACLREF_ENTER(acltdtDestroyQueue);
    return destroy_queue(qid);
}

aclError acltdtEnqueueData(uint32_t qid, const void* data, size_t dataSize, const void* userData, size_t userDataSize,
                           int32_t timeout, uint32_t) {
    ACLREF_ENTER(acltdtEnqueueData);
    ACLREF_NEEDS(data);
    if (faulty(Fault::queue_needs_user_data) && !userData) return refuse(ACL_ERROR_INVALID_PARAM, "userData is NULL");
    if (aclError code = check_sizes(dataSize, userData, userDataSize)) return code;
    if (faulty(Fault::queue_device_memory_refused) && !AddressSpace::instance().locate(data).on_host())
        return refuse(ACL_ERROR_INVALID_PARAM, "data is device memory");
    Message message;
    if (aclError code = take_part(message.data, data, dataSize)) return code;
    if (userData) {
        if (aclError code = take_part(message.user, userData, userDataSize)) return code;
    }
    return enqueue(qid, std::move(message), wait_of(timeout));
}

aclError acltdtDequeueData(uint32_t qid, void* data, size_t dataSize, size_t* retDataSize, void* userData,
                           size_t userDataSize, int32_t timeout) {
    ACLREF_ENTER(acltdtDequeueData);
    ACLREF_NEEDS(data);
    ACLREF_NEEDS(retDataSize);
    if (dataSize == 0 && faulty(Fault::queue_sizes_unchecked)) return 0;
    if (aclError code = check_sizes(dataSize, userData, userDataSize)) return code;
    Message message;
    if (aclError code = dequeue(qid, message, dataSize, wait_of(timeout))) return code;
    if (faulty(Fault::queue_loses_user_data)) message.user.assign(message.user.size(), std::byte{0});
    if (aclError code = give_bytes(data, message.data.data(), message.data.size())) return code;
    if (userData) {
        const size_t user = std::min(userDataSize, message.user.size());
        if (aclError code = give_bytes(userData, message.user.data(), user)) return code;
    }
    *retDataSize = faulty(Fault::queue_tells_room_as_size) ? dataSize : message.data.size();
    return 0;
}

// Buffers go through queues on the device only, and other processes are let in there.

aclError acltdtEnqueue(uint32_t, acltdtBuf, int32_t) {
    ACLREF_ENTER(acltdtEnqueue);
    return refuse(ACL_ERROR_FEATURE_UNSUPPORTED, "not for host programs");
}

aclError acltdtDequeue(uint32_t, acltdtBuf*, int32_t) {
    ACLREF_ENTER(acltdtDequeue);
    return refuse(ACL_ERROR_FEATURE_UNSUPPORTED, "not for host programs");
}

aclError acltdtGrantQueue(uint32_t, int32_t, uint32_t, int32_t) {
    ACLREF_ENTER(acltdtGrantQueue);
    return refuse(ACL_ERROR_FEATURE_UNSUPPORTED, "not for host programs");
}

aclError acltdtAttachQueue(uint32_t, int32_t, uint32_t*) {
    ACLREF_ENTER(acltdtAttachQueue);
    return refuse(ACL_ERROR_FEATURE_UNSUPPORTED, "not for host programs");
}

// Routes

aclError acltdtBindQueueRoutes(acltdtQueueRouteList* qRouteList) {
    ACLREF_ENTER(acltdtBindQueueRoutes);
    ACLREF_NEEDS(qRouteList);
    auto list = queue_route_lists().find(qRouteList);
    if (!list) return refuse(ACL_ERROR_INVALID_PARAM, "qRouteList does not exist");
    std::lock_guard lock(list->mutex);
    return bind_routes(list->routes);
}

aclError acltdtUnbindQueueRoutes(acltdtQueueRouteList* qRouteList) {
    ACLREF_ENTER(acltdtUnbindQueueRoutes);
    ACLREF_NEEDS(qRouteList);
    auto list = queue_route_lists().find(qRouteList);
    if (!list) return refuse(ACL_ERROR_INVALID_PARAM, "qRouteList does not exist");
    std::lock_guard lock(list->mutex);
    return unbind_routes(list->routes);
}

aclError acltdtQueryQueueRoutes(const acltdtQueueRouteQueryInfo* queryInfo, acltdtQueueRouteList* qRouteList) {
    ACLREF_ENTER(acltdtQueryQueueRoutes);
    ACLREF_NEEDS(queryInfo);
    ACLREF_NEEDS(qRouteList);
    auto query = queue_route_queries().find(queryInfo);
    auto list = queue_route_lists().find(qRouteList);
    if (!query || !list) return refuse(ACL_ERROR_INVALID_PARAM, "queryInfo or qRouteList does not exist");
    std::scoped_lock lock(query->mutex, list->mutex);
    if (!query->complete()) {
        if (faulty(Fault::route_query_incomplete_accepted)) return 0;
        return refuse(ACL_ERROR_INVALID_PARAM, "the query lacks its mode, or the queue that the mode asks for");
    }
    list->routes = bound_routes(*query);
    return 0;
}
