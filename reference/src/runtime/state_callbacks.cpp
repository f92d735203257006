#include "runtime/state_callbacks.hpp"

#include <map>
#include <mutex>
#include <vector>

#include "base/faults/runtime.hpp"

namespace aclref {

namespace {

template <class Function>
class Registry {
public:
    struct Entry {
        Function function;
        void* argument;
    };

    bool change(const std::string& name, Function function, void* argument) {
        std::lock_guard lock(mutex_);
        if (!function) {
            if (faulty(Fault::state_function_forgets_all)) entries_.clear();
            entries_.erase(name);
            return true;
        }
        return entries_.try_emplace(name, Entry{function, argument}).second;
    }
    std::vector<Entry> all() const {
        std::lock_guard lock(mutex_);
        std::vector<Entry> out;
        for (const auto& [name, entry] : entries_) out.push_back(entry);
        return out;
    }
    void clear() {
        std::lock_guard lock(mutex_);
        entries_.clear();
    }

private:
    mutable std::mutex mutex_;
    std::map<std::string, Entry> entries_;
};

struct Registries {
    Registry<aclrtDeviceStateCallback> device;
    Registry<aclrtStreamStateCallback> stream;
    Registry<aclrtDeviceTaskAbortCallback> abort;
};

Registries& registries() {
    static auto* instance = new Registries;
    return *instance;
}

}  // namespace

bool register_device_callback(const std::string& name, aclrtDeviceStateCallback callback, void* argument) {
    if (!callback && faulty(Fault::device_state_kept)) return true;
    if (faulty(Fault::device_state_name_replaced)) (void)registries().device.change(name, nullptr, nullptr);
    return registries().device.change(name, callback, argument);
}

bool register_stream_callback(const std::string& name, aclrtStreamStateCallback callback, void* argument) {
    if (!callback && faulty(Fault::stream_state_function_kept)) return true;
    return registries().stream.change(name, callback, argument);
}

bool register_abort_callback(const std::string& name, aclrtDeviceTaskAbortCallback callback, void* argument) {
    if (!callback && faulty(Fault::task_abort_function_kept)) return true;
    if (faulty(Fault::task_abort_name_replaced)) (void)registries().abort.change(name, nullptr, nullptr);
    return registries().abort.change(name, callback, argument);
}

void report_device_state(std::int32_t device, aclrtDeviceState state) {
    bool before = state == ACL_RT_DEVICE_STATE_SET_PRE || state == ACL_RT_DEVICE_STATE_RESET_PRE;
    if (before && faulty(Fault::device_state_only_after)) return;
    if (faulty(Fault::device_state_of_device_zero)) device = 0;
    for (const auto& entry : registries().device.all()) entry.function(device, state, entry.argument);
}

void report_stream_state(aclrtStream stream, aclrtStreamState state) {
    auto told = registries().stream.all();
    if (told.size() > 1 && faulty(Fault::stream_state_last_name_only)) told.erase(told.begin(), told.end() - 1);
    for (const auto& entry : told)
        entry.function(stream, state, faulty(Fault::stream_state_argument_lost) ? nullptr : entry.argument);
}

std::int32_t report_task_abort(std::int32_t device, aclrtDeviceTaskAbortStage stage, std::uint32_t timeout) {
    std::int32_t first = 0;
    if (stage == ACL_RT_DEVICE_TASK_ABORT_PRE && faulty(Fault::task_abort_told_after_only)) return 0;
    for (const auto& entry : registries().abort.all()) {
        std::int32_t answer = entry.function(device, stage, timeout, entry.argument);
        if (first == 0) first = answer;
    }
    return first;
}

void forget_state_callbacks() {
    registries().device.clear();
    registries().stream.clear();
    registries().abort.clear();
}

}  // namespace aclref
