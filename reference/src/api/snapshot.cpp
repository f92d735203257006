// Chapter 21: snapshots.
#include "services/snapshot.hpp"

#include <unistd.h>

#include <optional>

#include "services/require.hpp"

using namespace aclref;

namespace {

/// What a product without snapshots answers; nothing where there are snapshots.
std::optional<aclError> answer_without(Function function) {
    const aclError code = enter(function);
    if (!code) return std::nullopt;
    return faulty(Fault::snapshot_on_every_product) ? 0 : code;
}

/// Only the process itself, and no argument that is reserved.
aclError check_target(int pid, const void* reserved) {
    if (faulty(Fault::snapshot_arguments_unchecked)) return 0;
    if (pid != ::getpid()) return refuse(ACL_ERROR_INVALID_PARAM, "process %d is not the calling one", pid);
    if (reserved) return refuse(ACL_ERROR_INVALID_PARAM, "the second argument has to be NULL");
    return 0;
}

}  // namespace

aclError aclrtSnapShotProcessLock(int pid, void* reserve) {
    if (auto answer = answer_without(Function::aclrtSnapShotProcessLock)) return *answer;
    if (aclError code = check_target(pid, reserve)) return code;
    return lock_process();
}

aclError aclrtSnapShotProcessUnlock(int pid, void* reserve) {
    if (auto answer = answer_without(Function::aclrtSnapShotProcessUnlock)) return *answer;
    if (aclError code = check_target(pid, reserve)) return code;
    return unlock_process();
}

aclError aclrtSnapShotProcessBackup(int pid, aclrtSnapShotBackupArgs* args) {
    if (auto answer = answer_without(Function::aclrtSnapShotProcessBackup)) return *answer;
    if (aclError code = check_target(pid, args)) return code;
    return back_up_process();
}

aclError aclrtSnapShotProcessRestore(int pid, aclrtSnapShotRestoreArgs* args) {
    if (auto answer = answer_without(Function::aclrtSnapShotProcessRestore)) return *answer;
    if (aclError code = check_target(pid, args)) return code;
    return restore_process();
}

aclError aclrtSnapShotCallbackRegister(aclrtSnapShotStage stage, aclrtSnapShotCallBack callback, void* args) {
    ACLREF_ENTER(aclrtSnapShotCallbackRegister);
    ACLREF_NEEDS_AS(ACL_ERROR_RT_PARAM_INVALID, callback);
    return register_snapshot_callback(stage, callback, args);
}

aclError aclrtSnapShotCallbackUnregister(aclrtSnapShotStage stage, aclrtSnapShotCallBack callback) {
    ACLREF_ENTER(aclrtSnapShotCallbackUnregister);
    ACLREF_NEEDS_AS(ACL_ERROR_RT_PARAM_INVALID, callback);
    return unregister_snapshot_callback(stage, callback);
}
