// The control interface of the reference device, see aclref_control.h.
#include "aclref_control.h"

#include <cstdio>
#include <cstring>
#include <string>

#include "base/inject.hpp"
#include "base/live_objects.hpp"
#include "capture/capture.hpp"
#include "copy/allocator.hpp"
#include "kernels/binary.hpp"
#include "memory/device_variables.hpp"
#include "models/reset.hpp"
#include "operators/reset.hpp"
#include "runtime/event.hpp"
#include "runtime/groups.hpp"
#include "runtime/labels.hpp"
#include "runtime/lifecycle.hpp"
#include "runtime/notify.hpp"
#include "runtime/reports.hpp"
#include "runtime/runtime.hpp"
#include "runtime/stream.hpp"

using namespace aclref;

namespace {

thread_local constinit char complaint[256] = "";

int complain(const std::string& why) {
    std::snprintf(complaint, sizeof(complaint), "%s", why.c_str());
    return 1;
}

void drop_everything() {
    forget_lifecycle();
    Runtime::instance().reset();
    forget_labels();
    forget_model_objects();
    kernels::forget_kernels();
    forget_operator_objects();
}

// What the caller made, less what the library makes for a device by itself.

std::uint64_t explicit_contexts() {
    std::uint64_t count = 0;
    for (const auto& context : Runtime::instance().contexts().all()) count += context->is_default() ? 0 : 1;
    return count;
}

std::uint64_t explicit_streams() {
    std::uint64_t count = 0;
    for (const auto& stream : Runtime::instance().streams().all()) count += stream->is_default() ? 0 : 1;
    return count;
}

std::uint64_t pending_errors() {
    std::uint64_t count = 0;
    for (const auto& stream : Runtime::instance().streams().all()) count += stream->peek_error() ? 1 : 0;
    return count;
}

std::uint64_t devices_set() {
    Runtime& runtime = Runtime::instance();
    std::uint64_t count = 0;
    for (int id = 0; id < runtime.device_count(); ++id) count += runtime.device_is_set(*runtime.device(id)) ? 1 : 0;
    return count;
}

const LiveCounter counters[] = {
    {"contexts", explicit_contexts},
    {"streams", explicit_streams},
    {"events", [] { return static_cast<std::uint64_t>(Runtime::instance().events().size()); }},
    {"notifies", [] {
         Runtime& runtime = Runtime::instance();
         return static_cast<std::uint64_t>(runtime.notifies().size() + runtime.count_notifies().size());
     }},
    {"devices_set", devices_set},
    {"pending_errors", pending_errors},
    {"report_threads", report_thread_count},
    {"initialised", [] { return static_cast<std::uint64_t>(Runtime::instance().initialised() ? 1 : 0); }},
    {"allocator_descs", [] { return static_cast<std::uint64_t>(allocator_descriptor_count()); }},
    {"allocators", [] { return static_cast<std::uint64_t>(registered_allocator_count()); }},
    {"instances", [] { return static_cast<std::uint64_t>(capture::instance_count()); }},
};

}  // namespace

extern "C" {

const char* aclrefVersion() { return ACLREF_VERSION; }

int aclrefConfigure(const char* spec) {
    std::string why;
    // Refused before anything is dropped: a wrong text changes nothing.
    if (!profile_is_valid(spec ? spec : "", why)) return complain(why);
    drop_everything();
    (void)configure_profile(spec ? spec : "", why);
    Runtime::instance().reset();
    return 0;
}

int aclrefReset() {
    drop_everything();
    return 0;
}

int aclrefSetFault(const char* names) {
    if (select_faults(names ? names : "")) return 0;
    return complain(std::string("unknown fault in '") + names + "'");
}

const char* aclrefFaultList() { return fault_list(); }

int aclrefLiveObjects(char* buffer, size_t size) {
    std::string text = live_objects_json();
    if (buffer && size > 0) std::snprintf(buffer, size, "%s", text.c_str());
    return static_cast<int>(text.size());
}

int aclrefInjectTaskError(void* stream, unsigned k, int code) {
    aclError wrong = 0;
    auto found = stream ? Runtime::instance().streams().find(stream) : require_any_stream(nullptr, wrong, __func__);
    if (!found) return complain("the stream does not exist");
    found->inject_error(k, code);
    return 0;
}

int aclrefInjectCallError(const char* function, unsigned count, int code) {
    if (function && inject_call_error(function, count, code)) return 0;
    return complain(std::string("unknown function '") + (function ? function : "") + "'");
}

int aclrefAddVariable(const void* symbol, size_t size, const void* initial) {
    if (add_device_variable(symbol, size, initial)) return 0;
    return complain("the variable has no symbol, no size, or is known already");
}

int aclrefRemoveVariable(const void* symbol) {
    return remove_device_variable(symbol) ? 0 : complain("there is no variable of this symbol");
}

int aclrefSetGroups(unsigned count) {
    if (count > most_groups) return complain("a device has no so many groups");
    set_group_count(count);
    return 0;
}

int aclrefSetSeed(uint64_t seed) {
    set_profile_seed(seed);
    return 0;
}

const char* aclrefLastError() { return complaint; }

}  // extern "C"
