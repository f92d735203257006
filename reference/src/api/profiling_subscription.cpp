// Chapter 19-03: subscribing to what the operators of a model do.
#include "services/subscription.hpp"

#include <cstring>

#include "services/profiling.hpp"
#include "services/require.hpp"

using namespace aclref;

namespace {

/// Faulty builds only: a refusal of data is kept back.
aclError judged(aclError code) { return faulty(Fault::records_unchecked) ? 0 : code; }

/// A text of a record, cut to the caller's room and always ended.
aclError give_text(const void* data, size_t bytes, uint32_t index, bool name, char* to, size_t room) {
    aclError code = 0;
    const auto record = record_at(data, bytes, index, code);
    if (!record) return judged(code);
    if (room == 0) return refuse(ACL_ERROR_INVALID_PARAM, "there is no room for a text");
    const char* text = name ? record->name : record->type;
    const size_t length = std::strlen(text) + 1;
    if (length > room && !faulty(Fault::record_text_overruns))
        return refuse(ACL_ERROR_INVALID_PARAM, "the text takes %zu bytes, there is room for %zu", length, room);
    if (!take_text(*record, name) && !faulty(Fault::record_text_again))
        return refuse(ACL_ERROR_INVALID_PARAM, "the text of this record was fetched already");
    std::memcpy(to, text, length);
    return 0;
}

aclError give_length(const void* data, size_t bytes, uint32_t index, bool name, size_t* length) {
    aclError code = 0;
    const auto record = record_at(data, bytes, index, code);
    if (!record) return judged(code);
    *length = std::strlen(name ? record->name : record->type) + 1;
    return 0;
}

/// A number of a record; 0 where there is no such record.
template <class Number>
uint64_t number_of(const void* data, size_t bytes, uint32_t index, Number number) {
    if (!data) return faulty(Fault::record_null_made_up) ? 1 : 0;
    aclError code = 0;
    const auto record = record_at(data, bytes, index, code);
    return record ? number(*record) : 0;
}

}  // namespace

aclprofSubscribeConfig* aclprofCreateSubscribeConfig(int8_t timeInfoSwitch, aclprofAicoreMetrics aicoreMetrics, void* fd) {
    if (enter(Function::aclprofCreateSubscribeConfig) != 0) return nullptr;
    if (!fd || (timeInfoSwitch != 0 && timeInfoSwitch != 1)) {
        (void)refuse(ACL_ERROR_INVALID_PARAM, fd ? "timeInfoSwitch is not 0 or 1" : "fd is NULL");
        if (!faulty(Fault::subscribe_config_unchecked)) return nullptr;
    }
    auto made = std::make_shared<SubscribeConfig>();
    made->times = timeInfoSwitch == 1;
    made->metrics = aicoreMetrics;
    if (fd) std::memcpy(&made->descriptor, fd, sizeof(made->descriptor));
    return static_cast<aclprofSubscribeConfig*>(subscribe_configs().add(std::move(made)));
}

aclError aclprofDestroySubscribeConfig(const aclprofSubscribeConfig* profSubscribeConfig) {
    ACLREF_ENTER(aclprofDestroySubscribeConfig);
    ACLREF_NEEDS(profSubscribeConfig);
    if (subscribe_configs().remove(profSubscribeConfig)) return 0;
    return refuse(ACL_ERROR_INVALID_PARAM, "profSubscribeConfig does not exist");
}

aclError aclprofModelSubscribe(uint32_t modelId, const aclprofSubscribeConfig* profSubscribeConfig) {
    ACLREF_ENTER(aclprofModelSubscribe);
    ACLREF_NEEDS(profSubscribeConfig);
    auto config = subscribe_configs().find(profSubscribeConfig);
    if (!config) return refuse(ACL_ERROR_INVALID_PARAM, "profSubscribeConfig does not exist");
    if (api_profiling() && !faulty(Fault::profiling_conflict_ignored))
        return refuse(ACL_ERROR_PROF_API_CONFLICT, "a collection through aclprofInit is active");
    return subscribe(modelId, *config);
}

aclError aclprofModelUnSubscribe(uint32_t modelId) {
    ACLREF_ENTER(aclprofModelUnSubscribe);
    return unsubscribe(modelId);
}

aclError aclprofGetOpDescSize(size_t* opDescSize) {
    ACLREF_ENTER(aclprofGetOpDescSize);
    ACLREF_NEEDS(opDescSize);
    static size_t grown = 0;
    *opDescSize = sizeof(OperatorRecord) + (faulty(Fault::record_size_changes) ? ++grown : 0);
    return 0;
}

aclError aclprofGetOpNum(const void* opInfo, size_t opInfoLen, uint32_t* opNumber) {
    ACLREF_ENTER(aclprofGetOpNum);
    ACLREF_NEEDS(opInfo);
    ACLREF_NEEDS(opNumber);
    return judged(count_records(opInfo, opInfoLen, *opNumber));
}

aclError aclprofGetOpTypeLen(const void* opInfo, size_t opInfoLen, uint32_t index, size_t* opTypeLen) {
    ACLREF_ENTER(aclprofGetOpTypeLen);
    ACLREF_NEEDS(opInfo);
    ACLREF_NEEDS(opTypeLen);
    return give_length(opInfo, opInfoLen, index, false, opTypeLen);
}

aclError aclprofGetOpType(const void* opInfo, size_t opInfoLen, uint32_t index, char* opType, size_t opTypeLen) {
    ACLREF_ENTER(aclprofGetOpType);
    ACLREF_NEEDS(opInfo);
    ACLREF_NEEDS(opType);
    return give_text(opInfo, opInfoLen, index, false, opType, opTypeLen);
}

aclError aclprofGetOpNameLen(const void* opInfo, size_t opInfoLen, uint32_t index, size_t* opNameLen) {
    ACLREF_ENTER(aclprofGetOpNameLen);
    ACLREF_NEEDS(opInfo);
    ACLREF_NEEDS(opNameLen);
    return give_length(opInfo, opInfoLen, index, true, opNameLen);
}

aclError aclprofGetOpName(const void* opInfo, size_t opInfoLen, uint32_t index, char* opName, size_t opNameLen) {
    ACLREF_ENTER(aclprofGetOpName);
    ACLREF_NEEDS(opInfo);
    ACLREF_NEEDS(opName);
    return give_text(opInfo, opInfoLen, index, true, opName, opNameLen);
}

uint64_t aclprofGetOpStart(const void* opInfo, size_t opInfoLen, uint32_t index) {
    if (enter(Function::aclprofGetOpStart) != 0) return 0;
    return number_of(opInfo, opInfoLen, index, [](const OperatorRecord& record) { return record.begin; });
}

uint64_t aclprofGetOpEnd(const void* opInfo, size_t opInfoLen, uint32_t index) {
    if (enter(Function::aclprofGetOpEnd) != 0) return 0;
    return number_of(opInfo, opInfoLen, index, [](const OperatorRecord& record) { return record.end; });
}

uint64_t aclprofGetOpDuration(const void* opInfo, size_t opInfoLen, uint32_t index) {
    if (enter(Function::aclprofGetOpDuration) != 0) return 0;
    return number_of(opInfo, opInfoLen, index, [](const OperatorRecord& record) {
        return record.end - record.begin + (faulty(Fault::record_duration_wrong) ? 1 : 0);
    });
}

size_t aclprofGetModelId(const void* opInfo, size_t opInfoLen, uint32_t index) {
    if (enter(Function::aclprofGetModelId) != 0) return ACL_ERROR_INVALID_PARAM;
    aclError code = 0;
    if (!opInfo && faulty(Fault::record_null_made_up)) return 0;
    const auto record = record_at(opInfo, opInfoLen, index, code);
    if (!record) return static_cast<size_t>(ACL_ERROR_INVALID_PARAM);
    return record->model + (faulty(Fault::record_model_wrong) ? 1 : 0);
}

aclprofSubscribeOpFlag aclprofGetOpFlag(const void* opInfo, size_t opInfoLen, uint32_t index) {
    if (enter(Function::aclprofGetOpFlag) != 0) return ACL_SUBSCRIBE_NONE;
    aclError code = 0;
    const auto record = record_at(opInfo, opInfoLen, index, code);
    if (!record) return faulty(Fault::record_null_made_up) ? ACL_SUBSCRIBE_OP : ACL_SUBSCRIBE_NONE;
    return static_cast<aclprofSubscribeOpFlag>(record->flag + (faulty(Fault::record_flag_unknown) ? 100 : 0));
}

const char* aclprofGetOpAttriValue(const void* opInfo, size_t opInfoLen, uint32_t index, aclprofSubscribeOpAttri attri) {
    if (enter(Function::aclprofGetOpAttriValue) != 0) return nullptr;
    if (!opInfo && faulty(Fault::record_null_made_up)) return "";
    aclError code = 0;
    const auto record = record_at(opInfo, opInfoLen, index, code);
    if (!record || attri != ACL_SUBSCRIBE_ATTRI_THREADID) return nullptr;
    static thread_local std::string text;
    text = std::to_string(record->thread);
    return text.c_str();
}
