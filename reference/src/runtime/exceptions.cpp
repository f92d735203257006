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
    callbacks().set = callback;
}

void register_exception_callback(aclrtExceptionInfoCallback callback) {
    std::lock_guard lock(callbacks().mutex);
    auto& list = callbacks().registered;
    if (std::find(list.begin(), list.end(), callback) == list.end()) list.push_back(callback);
}

void unregister_exception_callback(aclrtExceptionInfoCallback callback) {
    std::lock_guard lock(callbacks().mutex);
    if (faulty(Fault::exception_unregister_takes_all)) callbacks().registered.clear();
    std::erase(callbacks().registered, callback);
}

void report_exception(aclrtExceptionInfo info) {
    std::vector<aclrtExceptionInfoCallback> wanted;
    {
        std::lock_guard lock(callbacks().mutex);
        if (callbacks().set) wanted.push_back(callbacks().set);
        wanted.insert(wanted.end(), callbacks().registered.begin(), callbacks().registered.end());
    }
    for (aclrtExceptionInfoCallback callback : wanted) callback(&info);
}

void forget_exception_callbacks() {
    std::lock_guard lock(callbacks().mutex);
    callbacks().set = nullptr;
    callbacks().registered.clear();
}

}  // namespace aclref
