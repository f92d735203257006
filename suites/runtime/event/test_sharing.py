"""Events of one process in another: waits there, and who destroys what."""

from __future__ import annotations

from harness.plugin import covers

IPC = 0x40


@covers("ipc_open_event_handle.sync_between_processes", uses=["aclrtIpcGetEventHandle"])
def test_wait_there(desk, exports, stream, blocked_stream, expect):
    """A wait in the process that has opened an event ends with the record of the other one."""
    event, process = desk.event_ex(IPC), exports.process()
    handle = exports.handle(event)
    with blocked_stream(stream) as hold:
        desk.record(event, stream)
        opened = expect.success(process.open(handle)).event
        there = process.stream()
        process.must("aclrtStreamWaitEvent", stream=there, event=opened)
        desk.pause()
        before = process.must("aclrtStreamQuery", stream=there).status
        hold.release()
        expect.true("the stream there still has work", before, 1)
        expect.success(process.call("aclrtSynchronizeStream", stream=there))


@covers("ipc_open_event_handle.destroyed_early", uses=["aclrtIpcGetEventHandle"])
def test_destroyed_before(desk, exports, expect):
    """An event that is destroyed cannot be opened any more."""
    made = desk.must("aclrtCreateEventExWithFlag", flag=IPC).event
    handle = exports.handle(made)
    desk.must("aclrtDestroyEvent", event=made)
    expect.refused(exports.process().open(handle))


@covers("ipc_open_event_handle.each_destroys", uses=["aclrtIpcGetEventHandle"])
def test_destroyed_there(acl, desk, exports, stream, expect):
    """The process that has opened an event destroys its own; that of the other one goes on working."""
    event, process = desk.event_ex(IPC), exports.process()
    opened = expect.success(process.open(exports.handle(event))).event
    expect.success(process.call("aclrtDestroyEvent", event=opened))
    expect.true("the event completes", desk.recorded(desk.done(event, stream)))
