"""The steps of a snapshot of this process; whatever a case does, the process runs again at its end."""

from __future__ import annotations

import os
from typing import Any

from harness.device import require
from harness.plugin import Case, Resources
from suites.tracked import Caller


class Snapshots:
    """Locks, backs up, restores and unlocks this process."""

    def __init__(self, acl: Caller, resources: Resources) -> None:
        self._acl = acl
        resources.at_end(self.release)

    def lock(self) -> Any:
        """Stop the runtime calls of other threads."""
        return self._acl.call("aclrtSnapShotProcessLock", pid=os.getpid(), reserve=None)

    def unlock(self) -> Any:
        """Let them go on."""
        return self._acl.call("aclrtSnapShotProcessUnlock", pid=os.getpid(), reserve=None)

    def back_up(self) -> Any:
        """Take the state of the devices down."""
        return self._acl.call("aclrtSnapShotProcessBackup", pid=os.getpid(), args=None)

    def restore(self) -> Any:
        """Bring the state of the devices back."""
        return self._acl.call("aclrtSnapShotProcessRestore", pid=os.getpid(), args=None)

    def cycle(self) -> list[int]:
        """All four steps; what each returned."""
        return [int(step().code) for step in (self.lock, self.back_up, self.restore, self.unlock)]

    def lock_here(self, case: Case) -> None:
        """Lock where the product has snapshots; nothing elsewhere. DeviceError where that fails."""
        if case.supports("aclrtSnapShotProcessLock"):
            require(self.lock(), "locking the process")

    def back_up_here(self, case: Case) -> None:
        """Back up where the product has snapshots; nothing elsewhere. DeviceError where that fails."""
        if case.supports("aclrtSnapShotProcessBackup"):
            require(self.back_up(), "backing up the process")

    def release(self) -> None:
        """The process runs; harmless when it does already."""
        self.unlock()
