// Chapter 21: snapshots.
#include "services/snapshot.hpp"

#include <unistd.h>

#include "services/require.hpp"

using namespace aclref;

namespace {

/// What the product says to the call, unless a fault has it on every one.
aclError admit(Function function) {
    const aclError code = enter(function);
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
    if (aclError code = admit(Function::aclrtSnapShotProcessLock)) return code;
    if (aclError code = check_target(pid, reserve)) return code;
    return lock_process();
}

aclError aclrtSnapShotProcessUnlock(int pid, void* reserve) {
    if (aclError code = admit(Function::aclrtSnapShotProcessUnlock)) return code;
    if (aclError code = check_target(pid, reserve)) return code;
    return unlock_process();
}

aclError aclrtSnapShotProcessBackup(int pid, aclrtSnapShotBackupArgs* args) {
    if (aclError code = admit(Function::aclrtSnapShotProcessBackup)) return code;
    if (aclError code = check_target(pid, args)) return code;
    return back_up_process();
}

aclError aclrtSnapShotProcessRestore(int pid, aclrtSnapShotRestoreArgs* args) {
    if (aclError code = admit(Function::aclrtSnapShotProcessRestore)) return code;
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
