#include "runtime/lifecycle.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/faults/runtime.hpp"
#include "runtime/init_config.hpp"
#include "runtime/runtime.hpp"
#include "services/services.hpp"

namespace aclref {

namespace {

/// Functions by type: one each, any number for ACL_REG_TYPE_OTHER.
template <class Function>
class Callbacks {
public:
    struct Entry {
        aclRegisterCallbackType type;
        Function function;
        void* argument;
    };

    bool add(aclRegisterCallbackType type, Function function, void* argument) {
        bool taken = type != ACL_REG_TYPE_OTHER &&
                     std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.type == type; });
        if (!taken) entries_.push_back({type, function, argument});
        return !taken;
    }
    bool remove(aclRegisterCallbackType type, Function function) {
        auto it = std::find_if(entries_.begin(), entries_.end(),
                               [&](const Entry& entry) { return entry.type == type && entry.function == function; });
        if (it == entries_.end()) return false;
        if (!faulty(Fault::callback_unregister_ignored)) entries_.erase(it);
        return true;
    }
    std::vector<Entry> entries() const { return entries_; }
    void clear() { entries_.clear(); }

private:
    std::vector<Entry> entries_;
};

struct Lifecycle {
    std::recursive_mutex mutex;  ///< callbacks run under it and may ask the interface
    std::uint64_t count = 0;
    bool finalised = false;      ///< and not initialised again
    std::optional<std::string> config;  ///< of the first initialisation
    Callbacks<aclInitCallbackFunc> on_init;
    Callbacks<aclFinalizeCallbackFunc> on_finalise;
};

Lifecycle& lifecycle() {
    static auto* instance = new Lifecycle;
    return *instance;
}

/// Faulty builds only: the process is in its exit handlers.
constinit std::atomic<bool> exiting{false};

void watch_for_exit() {
    if (!faulty(Fault::finalize_at_exit_aborts)) return;
    static const int registered = std::atexit([] { exiting = true; });
    (void)registered;
}

bool nests() { return profile().product == Product::IPV350; }

aclError call_on_init(const Callbacks<aclInitCallbackFunc>::Entry& entry, const std::string& text) {
    if (faulty(Fault::init_callback_not_called)) return 0;
    return entry.function(text.data(), faulty(Fault::init_callback_length_lost) ? 0 : text.size(), entry.argument);
}

aclError start(Lifecycle& all, const char* path) {
    if (!environment_complaint().empty()) return refuse(ACL_ERROR_INVALID_PARAM, "%s", environment_complaint().c_str());
    std::string text;
    if (aclError code = read_init_config(path, text)) return code;
    if (nests() && all.config && faulty(Fault::init_ipv350_first_config_for_good)) text = *all.config;
    if (all.config && *all.config != text && !nests())
        return refuse(ACL_ERROR_INVALID_PARAM, "the process was initialised with another configuration before");
    if (aclError code = apply_init_config(text)) return code;
    for (const auto& entry : all.on_init.entries())
        if (aclError code = call_on_init(entry, text))
            return refuse(code, "a registered function failed");
    all.config = std::move(text);
    return 0;
}

void tear_down(Lifecycle& all) {
    for (const auto& entry : all.on_finalise.entries())
        if (!faulty(Fault::finalize_callback_not_called)) entry.function(entry.argument);
    all.count = 0;
    all.finalised = true;
    finish_services();
    Runtime::instance().set_initialised(false);
    Runtime::instance().default_device = -1;
    Runtime::instance().release_devices();
}

aclError refuse_repeat() { return refuse(ACL_ERROR_REPEAT_FINALIZE, "the process is not initialised"); }

}  // namespace

aclError initialise(const char* path) {
    Lifecycle& all = lifecycle();
    std::lock_guard lock(all.mutex);
    if (all.count > 0) {
        ++all.count;
        if (nests() || faulty(Fault::init_repeat_accepted)) return 0;
        return refuse(ACL_ERROR_REPEAT_INITIALIZE, "the process is initialised already");
    }
    if (all.finalised && faulty(Fault::init_after_finalize_refused))
        return refuse(ACL_ERROR_REPEAT_INITIALIZE, "the process was initialised before");
    if (faulty(Fault::init_failure_marks_initialised)) all.count = 1;
    if (aclError code = start(all, path)) return code;
    all.count = 1;
    all.finalised = false;
    Runtime::instance().set_initialised(true);
    watch_for_exit();
    return 0;
}

void note_failed_initialisation() {
    std::lock_guard lock(lifecycle().mutex);
    if (faulty(Fault::init_failure_marks_initialised)) lifecycle().count = 1;
}

aclError finalise() {
    if (exiting && faulty(Fault::finalize_at_exit_aborts)) std::abort();
    Lifecycle& all = lifecycle();
    std::lock_guard lock(all.mutex);
    if (nests()) {
        if (all.count == 0 && faulty(Fault::finalize_ipv350_extra_refused)) return refuse_repeat();
        if (all.count > 0 && faulty(Fault::finalize_ipv350_at_once)) all.count = 1;
        if (all.count > 0 && --all.count == 0) tear_down(all);
        return 0;
    }
    if (all.count == 0 && all.finalised && !faulty(Fault::finalize_repeat_accepted)) return refuse_repeat();
    if (faulty(Fault::finalize_takes_one) && all.count > 1) return --all.count, 0;
    tear_down(all);
    return 0;
}

aclError finalise_reference(std::uint64_t& remaining) {
    Lifecycle& all = lifecycle();
    std::lock_guard lock(all.mutex);
    remaining = 0;
    if (all.count == 0 && faulty(Fault::finalize_reference_below_zero_accepted)) return 0;
    if (all.count == 0) return refuse_repeat();
    if (faulty(Fault::finalize_reference_at_once)) all.count = 1;
    remaining = --all.count;
    if (remaining == 0) tear_down(all);
    return 0;
}

aclError register_init_callback(aclRegisterCallbackType type, aclInitCallbackFunc function, void* argument) {
    Lifecycle& all = lifecycle();
    std::lock_guard lock(all.mutex);
    if (!all.on_init.add(type, function, argument))
        return refuse(ACL_ERROR_INTERNAL_ERROR, "type %d has a function already", type);
    if (all.count > 0) {
        std::string text = all.config.value_or("");
        (void)call_on_init({type, function, argument}, text);
    }
    return 0;
}

aclError unregister_init_callback(aclRegisterCallbackType type, aclInitCallbackFunc function) {
    Lifecycle& all = lifecycle();
    std::lock_guard lock(all.mutex);
    if (all.on_init.remove(type, function)) return 0;
    return refuse(ACL_ERROR_INTERNAL_ERROR, "the function is not registered for type %d", type);
}

aclError register_finalise_callback(aclRegisterCallbackType type, aclFinalizeCallbackFunc function, void* argument) {
    Lifecycle& all = lifecycle();
    std::lock_guard lock(all.mutex);
    if (all.on_finalise.add(type, function, argument)) return 0;
    return refuse(ACL_ERROR_INTERNAL_ERROR, "type %d has a function already", type);
}

aclError unregister_finalise_callback(aclRegisterCallbackType type, aclFinalizeCallbackFunc function) {
    Lifecycle& all = lifecycle();
    std::lock_guard lock(all.mutex);
    if (all.on_finalise.remove(type, function)) return 0;
    return refuse(ACL_ERROR_INTERNAL_ERROR, "the function is not registered for type %d", type);
}

void forget_lifecycle() {
    Lifecycle& all = lifecycle();
    std::lock_guard lock(all.mutex);
    all.count = 0;
    all.finalised = false;
    all.config.reset();
    all.on_init.clear();
    all.on_finalise.clear();
}

}  // namespace aclref
