"""Valid calls of chapter 21: snapshots of the process."""

from __future__ import annotations

import os
from typing import Any

from suites.recipes import Bench, Call, recipe
from suites.services.snapshots import Snapshots

_STAGE = "ACL_RT_SNAPSHOT_LOCK_PRE"


@recipe("aclrtSnapShotProcessLock")
def lock(bench: Bench) -> Call:
    """The running process."""
    steps = Snapshots(bench.case.engine.c, bench.resources)
    return Call({"pid": os.getpid(), "reserve": None}, undo=lambda result: steps.unlock())


@recipe("aclrtSnapShotProcessUnlock")
def unlock(bench: Bench) -> Call:
    """The locked process."""
    Snapshots(bench.case.engine.c, bench.resources).lock_here(bench.case)
    return Call({"pid": os.getpid(), "reserve": None})


@recipe("aclrtSnapShotProcessBackup")
def back_up(bench: Bench) -> Call:
    """The locked process."""
    Snapshots(bench.case.engine.c, bench.resources).lock_here(bench.case)
    return Call({"pid": os.getpid(), "args": None})


@recipe("aclrtSnapShotProcessRestore")
def restore(bench: Bench) -> Call:
    """The process with a backup."""
    steps = Snapshots(bench.case.engine.c, bench.resources)
    steps.lock_here(bench.case)
    steps.back_up_here(bench.case)
    return Call({"pid": os.getpid(), "args": None})


def _function(device: int, args: int) -> int:
    return 0


def _callback(bench: Bench) -> Any:
    return bench.case.engine.library.callback("aclrtSnapShotCallBack", _function)


@recipe("aclrtSnapShotCallbackRegister")
def register(bench: Bench) -> Call:
    """A function that does nothing."""
    function = _callback(bench)

    def undo(result: Any) -> Any:
        return bench.call("aclrtSnapShotCallbackUnregister", stage=_STAGE, callback=function)

    return Call({"stage": _STAGE, "callback": function, "args": bench.memory.pageable(64)}, undo=undo)


@recipe("aclrtSnapShotCallbackUnregister")
def unregister(bench: Bench) -> Call:
    """A function that is registered."""
    function, held = _callback(bench), [True]

    def remove() -> None:
        if held:
            bench.call("aclrtSnapShotCallbackUnregister", stage=_STAGE, callback=function)

    if bench.case.supports("aclrtSnapShotCallbackRegister"):
        bench.call("aclrtSnapShotCallbackRegister", stage=_STAGE, callback=function, args=None)
        bench.at_end(remove)
    return Call({"stage": _STAGE, "callback": function}, undo=lambda result: held.clear())
