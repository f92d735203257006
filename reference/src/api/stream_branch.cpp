// Chapters 06 and 10: branches between streams of a model instance. Outside an instance there is nothing to branch to.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/faults/runtime.hpp"
#include "capture/capture.hpp"
#include "memory/address_space.hpp"
#include "runtime/labels.hpp"
#include "runtime/runtime.hpp"
#include "runtime/stream.hpp"

using namespace aclref;

namespace {

/// A number in device memory, as the stream finds it when the branch is taken.
template <class Number>
std::int64_t read_number(const void* address) {
    Number value = 0;
    return AddressSpace::instance().copy(&value, address, sizeof(value)) == 0 ? value : 0;
}

std::int64_t read_number(const void* address, aclrtCompareDataType type) {
    bool narrow = type == ACL_RT_SWITCH_INT32;
    if (faulty(Fault::switch_reads_eight_bytes)) narrow = false;
    if (faulty(Fault::switch_reads_four_bytes)) narrow = true;
    return narrow ? read_number<std::int32_t>(address) : read_number<std::int64_t>(address);
}

bool holds(std::int64_t left, aclrtCondition condition, std::int64_t right) {
    switch (condition) {
        case ACL_RT_EQUAL: return left == right;
        case ACL_RT_NOT_EQUAL: return faulty(Fault::switch_not_equal_inverted) ? left == right : left != right;
        case ACL_RT_GREATER: return left > right;
        case ACL_RT_GREATER_OR_EQUAL: return faulty(Fault::switch_greater_excludes_equal) ? left > right : left >= right;
        case ACL_RT_LESS: return faulty(Fault::switch_less_includes_equal) ? left <= right : left < right;
        default: return left <= right;
    }
}

/// The two streams of a branch.
struct Streams {
    std::shared_ptr<Stream> from;
    std::shared_ptr<Stream> to;
};

aclError require_streams(aclrtStream from, aclrtStream to, Streams& streams) {
    aclError code = 0;
    streams.from = require_stream(from, code, current_function());
    if (streams.from) streams.to = require_stream(to, code, current_function());
    return code;
}

}  // namespace

extern "C" {

aclError aclrtActiveStream(aclrtStream activeStream, aclrtStream stream) {
    ACLREF_ENTER(aclrtActiveStream);
    ACLREF_REQUIRE(activeStream);
    ACLREF_REQUIRE(stream);
    Streams streams;
    if (aclError code = require_streams(stream, activeStream, streams)) return code;
    return capture::activate(*streams.from, *streams.to);
}

aclError aclrtSwitchStream(void* leftValue, aclrtCondition cond, void* rightValue, aclrtCompareDataType dataType,
                           aclrtStream trueStream, aclrtStream falseStream, aclrtStream stream) {
    ACLREF_ENTER(aclrtSwitchStream);
    ACLREF_REQUIRE(leftValue);
    ACLREF_REQUIRE(rightValue);
    ACLREF_REQUIRE(trueStream);
    ACLREF_REQUIRE(stream);
    if (falseStream) return refuse(ACL_ERROR_INVALID_PARAM, "falseStream is reserved and has to be NULL");
    if (static_cast<unsigned>(cond) > ACL_RT_LESS_OR_EQUAL)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "cond %d does not exist", cond);
    if (dataType != ACL_RT_SWITCH_INT32 && dataType != ACL_RT_SWITCH_INT64)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "dataType %d does not exist", dataType);
    Streams streams;
    if (aclError code = require_streams(stream, trueStream, streams)) return code;
    return capture::switch_to(*streams.from, *streams.to, [leftValue, cond, rightValue, dataType] {
        return holds(read_number(leftValue, dataType), cond, read_number(rightValue, dataType));
    });
}

aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream) {
    ACLREF_ENTER(aclrtSetLabel);
    ACLREF_REQUIRE(label);
    ACLREF_REQUIRE(stream);
    if (!is_label(label)) return refuse(ACL_ERROR_RT_INVALID_HANDLE, "the label does not exist");
    aclError code = 0;
    auto found = require_stream(stream, code, current_function());
    return found ? capture::set_label(*found, label) : code;
}

aclError aclrtSwitchLabelByIndex(void* ptr, uint32_t maxValue, aclrtLabelList labelList, aclrtStream stream) {
    ACLREF_ENTER(aclrtSwitchLabelByIndex);
    ACLREF_REQUIRE(ptr);
    ACLREF_REQUIRE(labelList);
    ACLREF_REQUIRE(stream);
    std::vector<void*> labels = label_list(labelList);
    if (labels.empty()) return refuse(ACL_ERROR_RT_INVALID_HANDLE, "the label list does not exist");
    if (maxValue == 0 || maxValue > labels.size())
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "maxValue %u is not between 1 and the %zu labels", maxValue, labels.size());
    aclError code = 0;
    auto found = require_stream(stream, code, current_function());
    if (!found) return code;
    const auto early = static_cast<std::uint32_t>(read_number<std::uint32_t>(ptr));
    return capture::switch_label(*found, [ptr, early, maxValue, labels = std::move(labels)] {
        auto index = static_cast<std::uint32_t>(read_number<std::uint32_t>(ptr));
        if (faulty(Fault::label_index_read_early)) index = early;
        if (faulty(Fault::label_index_wraps)) index %= maxValue;
        if (faulty(Fault::label_first_only)) index = 0;
        return labels[std::min(index, maxValue - 1)];
    });
}

aclError aclrtCreateLabel(aclrtLabel* label) {
    ACLREF_ENTER(aclrtCreateLabel);
    ACLREF_REQUIRE(label);
    aclError code = 0;
    if (!require_context(code, current_function())) return code;
    void* made = create_label();
    if (!made) return refuse(ACL_ERROR_RT_INTERNAL_ERROR, "the process has %zu labels, which is the limit", most_labels);
    *label = made;
    return 0;
}

aclError aclrtDestroyLabel(aclrtLabel label) {
    ACLREF_ENTER(aclrtDestroyLabel);
    ACLREF_REQUIRE(label);
    return destroy_label(label) ? 0 : refuse(ACL_ERROR_RT_INVALID_HANDLE, "the label does not exist");
}

aclError aclrtCreateLabelList(aclrtLabel* labels, size_t num, aclrtLabelList* labelList) {
    ACLREF_ENTER(aclrtCreateLabelList);
    ACLREF_REQUIRE(labels);
    ACLREF_REQUIRE(labelList);
    if (num == 0 || num > most_labels)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "num %zu is not between 1 and %zu", num, most_labels);
    aclError code = 0;
    if (!require_context(code, current_function())) return code;
    std::vector<void*> listed(labels, labels + num);
    for (void* label : listed)
        if (!is_label(label)) return refuse(ACL_ERROR_RT_INVALID_HANDLE, "labels holds one that does not exist");
    *labelList = create_label_list(std::move(listed));
    return 0;
}

aclError aclrtDestroyLabelList(aclrtLabelList labelList) {
    ACLREF_ENTER(aclrtDestroyLabelList);
    ACLREF_REQUIRE(labelList);
    return destroy_label_list(labelList) ? 0 : refuse(ACL_ERROR_RT_INVALID_HANDLE, "the label list does not exist");
}

}  // extern "C"
