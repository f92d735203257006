#include "runtime/exceptions.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/faults/runtime.hpp"

namespace aclref {

namespace {

struct Callbacks {
    std::mutex mutex;
    aclrtExceptionInfoCallback set = nullptr;
    std::vector<aclrtExceptionInfoCallback> registered;
};

Callbacks& callbacks() {
    static auto* instance = new Callbacks;
    return *instance;
}

}  // namespace

void set_exception_callback(aclrtExceptionInfoCallback callback) {
    std::lock_guard lock(callbacks().mutex);
    if (callback && callbacks().set && faulty(Fault::exception_first_set_wins)) return;
    if (!callback && faulty(Fault::exception_clearing_ignored)) return;
    if (!callback && faulty(Fault::exception_clearing_takes_registered)) callbacks().registered.clear();
    callbacks().set = callback;
}

void register_exception_callback(aclrtExceptionInfoCallback callback) {
    std::lock_guard lock(callbacks().mutex);
    auto& list = callbacks().registered;
    bool known = std::find(list.begin(), list.end(), callback) != list.end();
    if (!known || faulty(Fault::exception_registered_twice)) list.push_back(callback);
}

void unregister_exception_callback(aclrtExceptionInfoCallback callback) {
    std::lock_guard lock(callbacks().mutex);
    if (faulty(Fault::exception_unregister_ignored)) return;
    if (faulty(Fault::exception_unregister_takes_all)) callbacks().registered.clear();
    if (callbacks().set == callback && faulty(Fault::exception_unregister_takes_set_one)) callbacks().set = nullptr;
    std::erase(callbacks().registered, callback);
}

void report_exception(aclrtExceptionInfo info) {
    std::vector<aclrtExceptionInfoCallback> wanted;
    {
        std::lock_guard lock(callbacks().mutex);
        if (callbacks().set) wanted.push_back(callbacks().set);
        wanted.insert(wanted.end(), callbacks().registered.begin(), callbacks().registered.end());
    }
    if (wanted.size() > 1 && faulty(Fault::exception_told_once)) wanted.resize(1);
    for (aclrtExceptionInfoCallback callback : wanted) callback(&info);
}

void forget_exception_callbacks() {
    std::lock_guard lock(callbacks().mutex);
    callbacks().set = nullptr;
    callbacks().registered.clear();
}

}  // namespace aclref
