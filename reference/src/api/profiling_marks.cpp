// Chapter 19-02: marks and ranges of the program in what is collected.
#include "services/profiling.hpp"

#include <atomic>
#include <cstring>

#include "runtime/stream.hpp"
#include "services/ranges.hpp"
#include "services/require.hpp"

using namespace aclref;

namespace {

/// Faulty builds only: a refusal is kept back.
aclError judged(aclError code) { return faulty(Fault::marks_unchecked) ? 0 : code; }

aclError refuse_outside() { return judged(refuse(ACL_ERROR_FAILURE, "nothing is collected with markers")); }

/// The message of a live stamp, or why there is none.
aclError message_of(void* handle, std::string& message) {
    if (!handle) return refuse(ACL_ERROR_INVALID_PARAM, "stamp is NULL");
    auto found = stamps().find(handle);
    if (!found) return refuse(ACL_ERROR_INVALID_PARAM, "stamp does not exist");
    std::lock_guard lock(found->mutex);
    message = found->message;
    return 0;
}

aclError pop(Nesting nesting, const char* kind) {
    const auto ended = pop_range(nesting);
    if (!ended) return judged(refuse(ACL_ERROR_FAILURE, "no range of this thread is open"));
    note_mark(kind, ended->message, ended->begin);
    return 0;
}

}  // namespace

void* aclprofCreateStamp() {
    if (enter(Function::aclprofCreateStamp) != 0) return nullptr;
    if (marking() ? faulty(Fault::stamps_unavailable) : !faulty(Fault::marks_unchecked)) return nullptr;
    return stamps().add(std::make_shared<Stamp>());
}

void aclprofDestroyStamp(void* stamp) {
    if (enter(Function::aclprofDestroyStamp) != 0) return;
    (void)stamps().remove(stamp);
}

aclError aclprofSetStampTraceMessage(void* stamp, const char* msg, uint32_t msgLen) {
    ACLREF_ENTER(aclprofSetStampTraceMessage);
    if (!stamp) return judged(refuse(ACL_ERROR_INVALID_PARAM, "stamp is NULL"));
    ACLREF_NEEDS(msg);
    auto found = stamps().find(stamp);
    if (!found) return refuse(ACL_ERROR_INVALID_PARAM, "stamp does not exist");
    if (msgLen > longest_stamp_message)
        return judged(refuse(ACL_ERROR_INVALID_PARAM, "the message is longer than %zu characters", longest_stamp_message));
    std::lock_guard lock(found->mutex);
    found->message.assign(msg, ::strnlen(msg, msgLen));
    return 0;
}

aclError aclprofMark(void* stamp) {
    ACLREF_ENTER(aclprofMark);
    if (!marking()) return refuse_outside();
    std::string message;
    if (aclError code = message_of(stamp, message)) return judged(code);
    note_mark("mark", message, std::chrono::steady_clock::now());
    return 0;
}

aclError aclprofPush(void* stamp) {
    ACLREF_ENTER(aclprofPush);
    if (!marking()) return refuse_outside();
    std::string message;
    if (aclError code = message_of(stamp, message)) return judged(code);
    push_range(Nesting::push, std::move(message));
    return 0;
}

aclError aclprofPop() {
    ACLREF_ENTER(aclprofPop);
    return pop(Nesting::push, "push");
}

aclError aclprofRangeStart(void* stamp, uint32_t* rangeId) {
    ACLREF_ENTER(aclprofRangeStart);
    if (!marking()) return refuse_outside();
    std::string message;
    if (aclError code = message_of(stamp, message)) return judged(code);
    if (!rangeId) return judged(refuse(ACL_ERROR_INVALID_PARAM, "rangeId is NULL"));
    *rangeId = begin_range(std::move(message));
    return 0;
}

aclError aclprofRangeStop(uint32_t rangeId) {
    ACLREF_ENTER(aclprofRangeStop);
    const auto ended = end_range(rangeId);
    if (!ended) return judged(refuse(ACL_ERROR_INVALID_PARAM, "range %u is not open", rangeId));
    note_mark("range", ended->message, ended->begin);
    return 0;
}

aclError aclprofMarkEx(const char* msg, size_t msgLen, aclrtStream stream) {
    ACLREF_ENTER(aclprofMarkEx);
    if (!msg) return judged(refuse(ACL_ERROR_INVALID_PARAM, "msg is NULL"));
    if (!stream) return judged(refuse(ACL_ERROR_INVALID_PARAM, "stream is NULL"));
    if (msgLen > longest_stamp_message)
        return judged(refuse(ACL_ERROR_INVALID_PARAM, "the message is longer than %zu characters", longest_stamp_message));
    if (::strnlen(msg, longest_stamp_message + 1) != msgLen)
        return judged(refuse(ACL_ERROR_INVALID_PARAM, "msgLen %zu is not that of the message", msgLen));
    aclError code = 0;
    auto found = require_any_stream(stream, code, current_function());
    if (!found) return code;
    if (!marking()) return refuse_outside();
    // The mark lies where the stream reaches it.
    Task task;
    task.kind = "profiling mark";
    task.run = [message = std::string(msg)] {
        note_mark("stream mark", message, std::chrono::steady_clock::now());
        return Progress::Done();
    };
    return found->submit(std::move(task));
}

uint64_t aclprofStr2Id(const char* message) {
    if (enter(Function::aclprofStr2Id) != 0 || !message) return UINT64_MAX;
    // Texts with one id are one text to whoever reads the results: FNV-1a, never the value for a failure.
    uint64_t id = 14695981039346656037ULL;
    for (const char* each = message; *each; ++each) id = (id ^ static_cast<unsigned char>(*each)) * 1099511628211ULL;
    if (faulty(Fault::text_ids_change)) {
        static std::atomic<uint64_t> calls{0};
        id += calls.fetch_add(1);
    }
    return id == UINT64_MAX ? 0 : id;
}

aclError aclprofRangePushEx(aclprofEventAttributes* attr) {
    ACLREF_ENTER(aclprofRangePushEx);
    if (!attr) return judged(refuse(ACL_ERROR_INVALID_PARAM, "attr is NULL"));
    if (!marking()) return refuse(ACL_ERROR_FAILURE, "nothing is collected with markers");
    push_range(Nesting::push_ex, std::to_string(attr->messageType));
    return 0;
}

aclError aclprofRangePop() {
    ACLREF_ENTER(aclprofRangePop);
    if (faulty(Fault::range_pop_refused)) return refuse(ACL_ERROR_FAILURE, "no range is open");
    return pop(Nesting::push_ex, "range push");
}
