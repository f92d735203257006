"""Valid calls of chapter 13: errors of the thread, failing tasks, faulty memory, tasks that are aborted."""

from __future__ import annotations

from typing import Any

from suites.recipes import Bench, Call, recipe

_LEVEL = "ACL_RT_THREAD_LEVEL"
_ENTRIES = 128
"""More entries than any product repairs at once, so that a large number never reads past them."""


def _heard(info: int) -> None:
    """A callback that does nothing."""


def _aborted(device: int, stage: int, timeout: int, args: int) -> int:
    """A callback that agrees to the abort."""
    return 0


@recipe("aclrtPeekAtLastError", "aclrtGetLastError")
def last_error(bench: Bench) -> Call:
    """The thread's error, when there is none."""
    bench.case.engine.c.call("aclrtGetLastError", level=_LEVEL)
    return Call({"level": _LEVEL})


@recipe("aclrtExceptionInfoCallbackRegister")
def register(bench: Bench) -> Call:
    """A function that hears of failing tasks."""
    undo = bench.case.engine.c
    return Call(
        {"callback": _heard},
        undo=lambda result: undo.call("aclrtExceptionInfoCallbackUnregister", callback=_heard),
    )


@recipe("aclrtExceptionInfoCallbackUnregister")
def unregister(bench: Bench) -> Call:
    """A function that was never registered."""
    return Call({"callback": _heard})


@recipe(
    "aclrtGetTaskIdFromExceptionInfo",
    "aclrtGetStreamIdFromExceptionInfo",
    "aclrtGetThreadIdFromExceptionInfo",
    "aclrtGetDeviceIdFromExceptionInfo",
    "aclrtGetErrorCodeFromExceptionInfo",
)
def of_exception(bench: Bench) -> Call:
    """No exception: there is one only inside a callback."""
    return Call({"info": None}, control=False)


@recipe("aclrtGetMemUceInfo")
def faulty_memory(bench: Bench) -> Call:
    """The faulty memory of device 0, with room for 20 places."""
    room: list[dict[str, Any]] = [{} for _ in range(20)]
    return Call({"deviceId": 0, "memUceInfoArray": room, "arraySize": len(room)})


@recipe("aclrtMemUceRepair")
def repair_memory(bench: Bench) -> Call:
    """One place that holds nothing; whether that can be repaired is left open."""
    places: list[dict[str, Any]] = [{"reserved": [0] * 14} for _ in range(_ENTRIES)]
    return Call({"deviceId": 0, "memUceInfoArray": places, "arraySize": 1}, control=False)


@recipe("aclrtDeviceTaskAbort")
def abort(bench: Bench) -> Call:
    """Everything that runs on device 0; not tried as it is, because it ends other work too."""
    return Call({"deviceId": 0, "timeout": 1000}, control=False)


@recipe("aclrtGetErrorVerbose")
def error_verbose(bench: Bench) -> Call:
    """What is wrong with device 0."""
    return Call({"deviceId": 0})


@recipe("aclrtRepairError")
def repair_error(bench: Bench) -> Call:
    """An error that there is not."""
    return Call({"deviceId": 0, "errorInfo": {"tryRepair": 0}}, control=False)


@recipe("aclrtSetDeviceTaskAbortCallback")
def abort_callback(bench: Bench) -> Call:
    """A function that hears of an abort, taken back."""
    name = b"aclcts_recipe"
    c = bench.case.engine.c
    return Call(
        {"regName": name, "callback": _aborted, "args": None},
        undo=lambda result: c.call("aclrtSetDeviceTaskAbortCallback", regName=name, callback=None, args=None),
    )
