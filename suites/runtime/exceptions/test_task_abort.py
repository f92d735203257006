"""aclrtDeviceTaskAbort: all work of a device is dropped, and who wants to know of it is told."""

from __future__ import annotations

from harness.plugin import covers, isolated

BEFORE, AFTER = 0, 1
ABORT = {"deviceId": 0, "timeout": 10_000}
STUCK = "streams that are not aborted never end their work"


@covers("device_task_abort.stops_everything")
@isolated(STUCK)
def test_abort(acl, desk, stream, other_stream, expect):
    """Streams that wait for what never comes have nothing left to do afterwards."""
    desk.wait_for([desk.notify()], [stream, other_stream])
    expect.success(acl.aclrtDeviceTaskAbort(**ABORT))
    expect.true("both streams are idle", desk.through(stream, other_stream))
    codes = desk.forget_failures(stream, other_stream)
    expect.observed(f"waiting for the streams returned {codes}")


@covers("device_task_abort.stops_everything", uses=["aclrtMemsetAsync"])
@isolated(STUCK)
def test_dropped(acl, desk, memory, stream, other_stream, expect):
    """Work behind a wait is not done any more, whatever comes later."""
    word, notify = memory.device(64), desk.notify()
    desk.must("aclrtWaitAndResetNotify", notify=notify, stream=stream, timeout=0)
    desk.fill(word, 1, stream)
    expect.success(acl.aclrtDeviceTaskAbort(**ABORT))
    desk.forget_failures(stream)
    desk.must("aclrtRecordNotify", notify=notify, stream=other_stream)
    desk.sync(other_stream)
    expect.unchanged(word, where="after the abort")


@covers("device_task_abort.stops_everything")
@isolated(STUCK)
def test_other_device(acl, desk, second_device, stream, expect):
    """The work of another device is not dropped."""
    notify = desk.notify()
    desk.wait_for([notify], [stream])
    with desk.second(second_device):
        expect.success(acl.aclrtDeviceTaskAbort(**{**ABORT, "deviceId": second_device}))
    waits = desk.held(stream)
    desk.must("aclrtRecordNotify", notify=notify, stream=None)
    expect.true("it still waits, and goes on", (waits, desk.through(stream)), (True, True))


@covers("set_device_task_abort_callback.pre_post", uses=["aclrtDeviceTaskAbort"])
@isolated("a library may keep a function that it was told to forget")
def test_told(acl, desk, memory, expect, afterwards):
    """A function is told before and after the abort, with the device, the time and its own argument."""
    told, own = [], memory.pageable(8)
    afterwards("aclrtSetDeviceTaskAbortCallback", regName="told", callback=None, args=None)
    named = {"regName": "told", "callback": desk.noting(told), "args": own}
    expect.success(acl.aclrtSetDeviceTaskAbortCallback(**named))
    desk.must("aclrtDeviceTaskAbort", **ABORT)
    expect.true("what was told", told, [(0, stage, ABORT["timeout"], own.ptr) for stage in (BEFORE, AFTER)])


@covers("set_device_task_abort_callback.unique_name")
@isolated("a library may keep a function that it was told to forget")
def test_name_taken(acl, desk, expect, afterwards):
    """A name is given once."""
    afterwards("aclrtSetDeviceTaskAbortCallback", regName="taken", callback=None, args=None)
    named = {"regName": "taken", "callback": desk.noting([]), "args": None}
    desk.must("aclrtSetDeviceTaskAbortCallback", **named)
    expect.refused(acl.aclrtSetDeviceTaskAbortCallback(**{**named, "callback": desk.noting([])}))


@covers("set_device_task_abort_callback.null_unregisters", uses=["aclrtDeviceTaskAbort"])
@isolated("a library may keep a function that it was told to forget")
def test_forgotten(acl, desk, expect, afterwards):
    """A function whose name was registered with NULL is not told any more, another one still is."""
    told, kept = [], []
    afterwards("aclrtSetDeviceTaskAbortCallback", regName="kept", callback=None, args=None)
    desk.must("aclrtSetDeviceTaskAbortCallback", regName="kept", args=None, callback=desk.noting(kept))
    named = {"regName": "forgotten", "args": None}
    desk.must("aclrtSetDeviceTaskAbortCallback", **named, callback=desk.noting(told))
    expect.success(acl.aclrtSetDeviceTaskAbortCallback(**named, callback=None))
    desk.must("aclrtDeviceTaskAbort", **ABORT)
    expect.true("how often each was told", (len(told), len(kept)), (0, 2))
