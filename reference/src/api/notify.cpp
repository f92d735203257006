// Chapter 08: notifies.
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "runtime/limits.hpp"
#include "base/faults/runtime.hpp"
#include "runtime/notify.hpp"
#include "runtime/runtime.hpp"

using namespace aclref;

namespace {

constexpr std::size_t key_bytes = 65;

std::shared_ptr<Notify> require_notify(aclrtNotify handle, aclError& code) {
    auto notify = Runtime::instance().notifies().find(handle);
    if (!notify) code = refuse(ACL_ERROR_RT_INVALID_HANDLE, "the notify does not exist");
    return notify;
}

bool take_slot(Device& device) {
    int used = device.notifies.load(std::memory_order_relaxed);
    do {
        if (used >= max_notifies()) return false;
    } while (!device.notifies.compare_exchange_weak(used, used + 1, std::memory_order_relaxed));
    return true;
}

void publish(const std::shared_ptr<Notify>& notify, aclrtNotify* out) {
    notify->handle = Runtime::instance().notifies().add(notify);
    *out = notify->handle;
}

aclError share(Notify& notify, std::shared_ptr<SharedWord>& shared) {
    shared = notify.share();
    return shared ? 0 : refuse(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, "no memory to share with other processes");
}

}  // namespace

extern "C" {

aclError aclrtCreateNotify(aclrtNotify* notify, uint64_t flag) {
    ACLREF_ENTER(aclrtCreateNotify);
    ACLREF_REQUIRE(notify);
    if (flag != ACL_NOTIFY_DEFAULT && flag != ACL_NOTIFY_DEVICE_USE_ONLY)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "flag %llu is neither 0 nor 1", static_cast<unsigned long long>(flag));
    aclError code = 0;
    auto context = require_context(code, current_function());
    if (!context) return code;
    if (!take_slot(context->device())) return refuse(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, "the device has no notify left");
    publish(std::make_shared<Notify>(context->device()), notify);
    return 0;
}

aclError aclrtDestroyNotify(aclrtNotify notify) {
    ACLREF_ENTER(aclrtDestroyNotify);
    ACLREF_REQUIRE(notify);
    auto found = Runtime::instance().notifies().remove(notify);
    if (!found) return refuse(ACL_ERROR_RT_INVALID_HANDLE, "the notify does not exist");
    found->retire();
    return 0;
}

aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream) {
    ACLREF_ENTER(aclrtRecordNotify);
    ACLREF_REQUIRE(notify);
    aclError code = 0;
    auto found = require_notify(notify, code);
    if (!found) return code;
    auto on = require_stream(stream, code, current_function());
    if (on && on->is_default() && faulty(Fault::notify_record_on_default_stream_at_once))
        return found->record_task(on).run().code;
    return on ? on->submit(found->record_task(on)) : code;
}

aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout) {
    ACLREF_ENTER(aclrtWaitAndResetNotify);
    ACLREF_REQUIRE(notify);
    aclError code = 0;
    auto found = require_notify(notify, code);
    if (!found) return code;
    if (found->imported() && !faulty(Fault::notify_importer_waits)) return refuse(ACL_ERROR_RT_PARAM_INVALID, "only the process that made the notify can wait");
    auto on = require_stream(stream, code, current_function());
    if (!on || faulty(Fault::notify_wait_ignored)) return code;
    if (on->is_default() && faulty(Fault::notify_wait_of_default_stream_ignored)) return 0;
    return on->submit(found->wait_task(faulty(Fault::notify_bound_ignored) ? 0 : timeout));
}

aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t* notifyId) {
    ACLREF_ENTER(aclrtGetNotifyId);
    ACLREF_REQUIRE(notify);
    ACLREF_REQUIRE(notifyId);
    aclError code = 0;
    auto found = require_notify(notify, code);
    if (!found) return code;
    *notifyId = found->id();
    return 0;
}

aclError aclrtNotifyBatchReset(aclrtNotify* notifies, size_t num) {
    ACLREF_ENTER(aclrtNotifyBatchReset);
    ACLREF_REQUIRE(notifies);
    if (num == 0) return refuse(ACL_ERROR_RT_PARAM_INVALID, "num is 0");
    std::vector<std::shared_ptr<Notify>> found;
    for (std::size_t index = 0; index < num; ++index) {
        aclError code = 0;
        found.push_back(require_notify(notifies[index], code));
        if (!found.back()) return code;
    }
    if (faulty(Fault::notify_batch_resets_first)) found.resize(1);
    if (found.size() > 2 && faulty(Fault::notify_batch_resets_two)) found.resize(2);
    for (const auto& notify : found) notify->clear();
    return 0;
}

aclError aclrtNotifyGetExportKey(aclrtNotify notify, char* key, size_t len, uint64_t flags) {
    ACLREF_ENTER(aclrtNotifyGetExportKey);
    ACLREF_REQUIRE(notify);
    ACLREF_REQUIRE(key);
    if (len < key_bytes) return refuse(ACL_ERROR_RT_PARAM_INVALID, "len %zu is below %zu", len, key_bytes);
    if (flags != ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT && flags != ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "flags %llu is neither 0 nor 2", static_cast<unsigned long long>(flags));
    aclError code = 0;
    auto found = require_notify(notify, code);
    if (!found) return code;
    std::shared_ptr<SharedWord> shared;
    if ((code = share(*found, shared))) return code;
    if (flags == ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION) shared->block().anyone.store(1);
    std::string text = shared->key();
    std::memcpy(key, text.c_str(), text.size() + 1);
    return 0;
}

aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t* pid, size_t num) {
    ACLREF_ENTER(aclrtNotifySetImportPid);
    ACLREF_REQUIRE(notify);
    ACLREF_REQUIRE(pid);
    if (num == 0) return refuse(ACL_ERROR_RT_PARAM_INVALID, "num is 0");
    aclError code = 0;
    auto found = require_notify(notify, code);
    if (!found) return code;
    std::shared_ptr<SharedWord> shared;
    if ((code = share(*found, shared))) return code;
    for (std::size_t index = 0; index < num && !faulty(Fault::notify_list_ignored); ++index)
        if (index > 0 && faulty(Fault::notify_list_first_only)) break;
        else if (!shared->allow(pid[index])) return refuse(ACL_ERROR_RT_OVER_LIMIT, "the list of processes is full");
    return 0;
}

aclError aclrtNotifySetImportPidInterServer(aclrtNotify notify, aclrtServerPid* serverPids, size_t num) {
    ACLREF_ENTER(aclrtNotifySetImportPidInterServer);
    ACLREF_REQUIRE_AS(ACL_ERROR_RT_PARAM_INVALID, notify);
    ACLREF_REQUIRE_AS(ACL_ERROR_RT_PARAM_INVALID, serverPids);
    if (num == 0) return refuse(ACL_ERROR_RT_PARAM_INVALID, "num is 0");
    for (std::size_t index = 0; index < num; ++index)
        if (serverPids[index].num != 1 || !serverPids[index].pid)
            return refuse(ACL_ERROR_RT_PARAM_INVALID, "entry %zu does not hold exactly one process", index);
    // The reference device is one server: a process of another one can never turn up.
    return refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the device is not part of a super node");
}

aclError aclrtNotifyImportByKey(aclrtNotify* notify, const char* key, uint64_t flags) {
    ACLREF_ENTER(aclrtNotifyImportByKey);
    ACLREF_REQUIRE(notify);
    ACLREF_REQUIRE(key);
    if (flags != ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT && flags != ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "flags %llu is neither 0 nor 2", static_cast<unsigned long long>(flags));
    aclError code = 0;
    auto context = require_context(code, current_function());
    if (!context) return code;
    auto shared = SharedWord::open(key);
    if (!shared) return refuse(ACL_ERROR_RT_PARAM_INVALID, "the key names no notify that is alive");
    if (!shared->allows(static_cast<std::int32_t>(::getpid())) && !faulty(Fault::notify_list_unchecked))
        return refuse(ACL_ERROR_RT_NO_PERMISSION, "the process is not on the notify's list");
    publish(std::make_shared<Notify>(context->device(), std::move(shared)), notify);
    return 0;
}

}  // extern "C"
