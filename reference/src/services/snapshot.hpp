// Snapshots of the process (chapter 21): running, locked, backed up; and the functions that are told of each step.
#pragma once

#include "base/errors.hpp"

namespace aclref {

aclError lock_process();
aclError unlock_process();
aclError back_up_process();
aclError restore_process();

aclError register_snapshot_callback(aclrtSnapShotStage stage, aclrtSnapShotCallBack function, void* argument);
aclError unregister_snapshot_callback(aclrtSnapShotStage stage, aclrtSnapShotCallBack function);

/// Every call comes by here first: while the process is locked, the ones of other threads than the locking one wait.
void wait_for_snapshot(Function function);

/// The process runs, whatever it did before; the backup goes.
void release_snapshot();
void forget_snapshot_callbacks();

}  // namespace aclref
