// Chapter 06: what streams are set to.
#include "capture/capture.hpp"
#include "capture/recorder.hpp"
#include "base/faults/runtime.hpp"
#include "runtime/runtime.hpp"
#include "runtime/stream.hpp"

using namespace aclref;

namespace {

bool newer_product() {
    Product product = profile().product;
    return product == Product::p950 || product == Product::A3 || product == Product::p910b;
}

/// The stream of a setting; older products take no default stream here.
std::shared_ptr<Stream> settable(aclrtStream handle, aclError& code) {
    if (!handle && !newer_product()) {
        code = refuse(ACL_ERROR_RT_PARAM_INVALID, "the default stream cannot be set on this product");
        return nullptr;
    }
    return require_any_stream(handle, code, current_function());
}

aclError set_failure_mode(Stream& stream, std::uint64_t mode) {
    if (capture::bound_instance(stream) && !faulty(Fault::failure_mode_of_bound_stream))
        return refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the stream is bound to a model");
    // Only the lowest bit of the mode is looked at.
    bool stops = (mode & 1) != 0;
    if (stream.stops_on_failure && !stops && !faulty(Fault::failure_mode_set_again))
        return refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the stream stops on failure already, which stays so");
    if (faulty(Fault::failure_mode_of_default_ignored) && stream.is_default()) return 0;
    stream.stops_on_failure = stops;
    auto context = stream.context();
    if (stops && context) context->stops_on_failure = true;
    return 0;
}

aclError set_overflow_switch(Stream& stream, std::uint32_t flag) {
    if (aclError code = capture::check_stream(stream, current_function())) return code;
    if (faulty(Fault::overflow_switch_ignored)) return 0;
    stream.overflow_switch = flag;
    if (faulty(Fault::overflow_switch_of_all_streams))
        for (const auto& other : Runtime::instance().streams().all()) other->overflow_switch = flag;
    return 0;
}

aclError set_priority(Stream& stream, std::uint32_t priority) {
    if (!newer_product()) return refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the product has no attribute for priorities");
    if (stream.is_default()) return refuse(ACL_ERROR_RT_PARAM_INVALID, "the priority of a default stream is fixed");
    if (priority > 7) return refuse(ACL_ERROR_RT_PARAM_INVALID, "priority %u is above 7", priority);
    if (stream.priority != 0 && faulty(Fault::priority_attribute_first_wins)) return 0;
    stream.priority = priority;
    return 0;
}

aclError set_attribute(Stream& stream, aclrtStreamAttr attribute, const aclrtStreamAttrValue& value) {
    switch (attribute) {
        case ACL_STREAM_ATTR_FAILURE_MODE:
            if (faulty(Fault::failure_mode_attribute_stops_nothing)) {
                stream.stops_on_failure = (value.failureMode & 1) != 0;
                return 0;
            }
            return set_failure_mode(stream, value.failureMode);
        case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
            if (value.overflowSwitch > 1) return refuse(ACL_ERROR_RT_PARAM_INVALID, "overflowSwitch can be 0 or 1");
            if (value.overflowSwitch == 0 && faulty(Fault::overflow_attribute_stays_on)) return 0;
            return set_overflow_switch(stream, value.overflowSwitch);
        case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
            if (stream.user_tag != 0 && faulty(Fault::user_tag_first_wins)) return 0;
            stream.user_tag = value.userCustomTag;
            if (faulty(Fault::user_tag_of_all_streams))
                for (const auto& other : Runtime::instance().streams().all()) other->user_tag = value.userCustomTag;
            return 0;
        case ACL_STREAM_ATTR_CACHE_OP_INFO:
            if (value.cacheOpInfoSwitch > 1) return refuse(ACL_ERROR_RT_PARAM_INVALID, "cacheOpInfoSwitch can be 0 or 1");
            stream.caches_op_info = value.cacheOpInfoSwitch == 1 &&
                                    (capture::capturing(stream) || faulty(Fault::op_info_without_capture));
            return 0;
        case ACL_STREAM_ATTR_PRIORITY: return set_priority(stream, value.streamPriority);
        default: return refuse(ACL_ERROR_RT_PARAM_INVALID, "attribute %d does not exist", attribute);
    }
}

aclError get_attribute(const Stream& stream, aclrtStreamAttr attribute, aclrtStreamAttrValue& value) {
    switch (attribute) {
        case ACL_STREAM_ATTR_FAILURE_MODE: value.failureMode = stream.stops_on_failure ? 1 : 0; return 0;
        case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
            value.overflowSwitch = faulty(Fault::overflow_attribute_reads_zero) ? 0 : stream.overflow_switch.load();
            return 0;
        case ACL_STREAM_ATTR_USER_CUSTOM_TAG: value.userCustomTag = stream.user_tag; return 0;
        case ACL_STREAM_ATTR_CACHE_OP_INFO:
            // Read as on only while the stream is being captured.
            value.cacheOpInfoSwitch = stream.caches_op_info && (capture::capturing(stream) || faulty(Fault::op_info_without_capture));
            return 0;
        case ACL_STREAM_ATTR_PRIORITY:
            if (!newer_product())
                return refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the product has no attribute for priorities");
            value.streamPriority = faulty(Fault::priority_attribute_reads_zero) ? 0 : stream.priority.load();
            return 0;
        default: return refuse(ACL_ERROR_RT_PARAM_INVALID, "attribute %d does not exist", attribute);
    }
}

}  // namespace

extern "C" {

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag) {
    ACLREF_ENTER(aclrtSetStreamOverflowSwitch);
    if (flag > 1) return refuse(ACL_ERROR_INVALID_PARAM, "flag %u is neither 0 nor 1", flag);
    aclError code = 0;
    auto found = require_any_stream(stream, code, current_function());
    return found ? set_overflow_switch(*found, flag) : code;
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag) {
    ACLREF_ENTER(aclrtGetStreamOverflowSwitch);
    ACLREF_REQUIRE(flag);
    aclError code = 0;
    auto found = require_any_stream(stream, code, current_function());
    if (!found) return code;
    *flag = found->overflow_switch;
    return 0;
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode) {
    ACLREF_ENTER(aclrtSetStreamFailureMode);
    aclError code = 0;
    auto found = settable(stream, code);
    return found ? set_failure_mode(*found, mode) : code;
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue* value) {
    ACLREF_ENTER(aclrtSetStreamAttribute);
    ACLREF_REQUIRE(value);
    aclError code = 0;
    auto found = settable(stream, code);
    return found ? set_attribute(*found, stmAttrType, *value) : code;
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue* value) {
    ACLREF_ENTER(aclrtGetStreamAttribute);
    ACLREF_REQUIRE(value);
    aclError code = 0;
    auto found = require_any_stream(stream, code, current_function());
    return found ? get_attribute(*found, stmAttrType, *value) : code;
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId) {
    ACLREF_ENTER(aclrtStreamGetId);
    ACLREF_REQUIRE(streamId);
    aclError code = 0;
    auto found = require_any_stream(stream, code, current_function());
    if (!found) return code;
    *streamId = faulty(Fault::stream_ids_equal) ? 1 : found->id();
    return 0;
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority) {
    ACLREF_ENTER(aclrtStreamGetPriority);
    ACLREF_REQUIRE(priority);
    aclError code = 0;
    auto found = require_any_stream(stream, code, current_function());
    if (!found) return code;
    *priority = found->priority;
    return 0;
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags) {
    ACLREF_ENTER(aclrtStreamGetFlags);
    ACLREF_REQUIRE(flags);
    aclError code = 0;
    auto found = require_any_stream(stream, code, current_function());
    if (!found) return code;
    *flags = faulty(Fault::stream_flags_lost) ? 0 : found->flags();
    bool fast_alone = *flags == ACL_STREAM_FAST_LAUNCH || *flags == ACL_STREAM_FAST_SYNC;
    if (fast_alone && faulty(Fault::stream_flag_alone_lost)) *flags = 0;
    return 0;
}

}  // extern "C"
