"""Valid calls of chapter 07: events."""

from __future__ import annotations

from functools import partial
from typing import Any

from suites.recipes import Bench, Call, recipe

SYNC, IPC = 0x1, 0x40
_PATIENCE_MS = 5000


def _flagged(bench: Bench, flag: int, api: str = "aclrtCreateEventWithFlag") -> int:
    """An event made with flags."""
    made = int(bench.call(api, flag=flag).event)
    bench.afterwards("aclrtDestroyEvent", event=made)
    return made


def _ex(bench: Bench, flag: int = SYNC) -> int:
    """An event of the other kind."""
    return _flagged(bench, flag, "aclrtCreateEventExWithFlag")


def _recorded(bench: Bench, event: int, stream: int) -> int:
    """The event is recorded on the stream, and complete."""
    bench.call("aclrtRecordEvent", event=event, stream=stream)
    bench.call("aclrtSynchronizeStream", stream=stream)
    return event


def _done(bench: Bench) -> int:
    """An event that is complete."""
    return _recorded(bench, bench.event(), bench.stream())


def _queued(bench: Bench, args: dict[str, Any]) -> Call:
    """A call that puts something on a stream."""
    wait = partial(bench.case.engine.c.call, "aclrtSynchronizeStream", stream=args["stream"])
    return Call(args, settle=wait)


def _made(bench: Bench, args: dict[str, Any]) -> Call:
    return Call(args, undo=lambda result: bench.call("aclrtDestroyEvent", event=result.event))


@recipe("aclrtCreateEvent")
def create_event(bench: Bench) -> Call:
    """An event."""
    return _made(bench, {})


@recipe("aclrtCreateEventWithFlag", "aclrtCreateEventExWithFlag")
def create_event_with_flag(bench: Bench) -> Call:
    """An event for waits between streams."""
    return _made(bench, {"flag": SYNC})


@recipe("aclrtDestroyEvent")
def destroy_event(bench: Bench) -> Call:
    """An event that was never recorded."""
    event = bench.event()
    return Call({"event": event}, undo=lambda result: bench.forget(event))


@recipe("aclrtRecordEvent")
def record_event(bench: Bench) -> Call:
    """An event on a stream without work."""
    return _queued(bench, {"event": bench.event(), "stream": bench.stream()})


@recipe("aclrtRecordEventWithFlag")
def record_event_with_flag(bench: Bench) -> Call:
    """A plain record."""
    return _queued(bench, {"event": _ex(bench), "stream": bench.stream(), "flag": 0})


@recipe("aclrtResetEvent")
def reset_event(bench: Bench) -> Call:
    """A complete event."""
    stream = bench.stream()
    event = _recorded(bench, _flagged(bench, SYNC), stream)
    return _queued(bench, {"event": event, "stream": stream})


@recipe("aclrtQueryEvent", "aclrtQueryEventStatus", "aclrtQueryEventWaitStatus", "aclrtSynchronizeEvent")
def on_event(bench: Bench) -> Call:
    """A complete event."""
    return Call({"event": _done(bench)})


@recipe("aclrtSynchronizeEventWithTimeout")
def synchronize_event_with_timeout(bench: Bench) -> Call:
    """A complete event, and five seconds."""
    return Call({"event": _done(bench), "timeout": _PATIENCE_MS})


@recipe("aclrtEventElapsedTime")
def event_elapsed_time(bench: Bench) -> Call:
    """Two events of one stream, complete."""
    stream = bench.stream()
    start, end = (_recorded(bench, bench.event(), stream) for _ in range(2))
    return Call({"startEvent": start, "endEvent": end})


@recipe("aclrtEventGetTimestamp")
def event_get_timestamp(bench: Bench) -> Call:
    """A complete event."""
    return Call({"event": _done(bench)})


@recipe("aclrtStreamWaitEvent")
def stream_wait_event(bench: Bench) -> Call:
    """A complete event."""
    return _queued(bench, {"stream": bench.stream(), "event": _done(bench)})


@recipe("aclrtStreamWaitEventWithTimeout")
def stream_wait_event_with_timeout(bench: Bench) -> Call:
    """A complete event, without a bound."""
    return _queued(bench, {"stream": bench.stream(), "event": _done(bench), "timeout": 0})


@recipe("aclrtStreamWaitEventWithFlag")
def stream_wait_event_with_flag(bench: Bench) -> Call:
    """A complete event, without a bound."""
    event = _recorded(bench, _ex(bench), bench.stream())
    return _queued(bench, {"stream": bench.stream(), "event": event, "timeout": 0, "flag": 0})


@recipe("aclrtSetOpWaitTimeout")
def set_op_wait_timeout(bench: Bench) -> Call:
    """No bound, as it is from the start."""
    return Call({"timeout": 0})


@recipe("aclrtGetEventId")
def get_event_id(bench: Bench) -> Call:
    """An event for waits between streams."""
    return Call({"event": _flagged(bench, SYNC)})


@recipe("aclrtGetEventAvailNum")
def get_event_avail_num(bench: Bench) -> Call:
    """A question without arguments."""
    return Call({})


def _ipc(bench: Bench) -> int:
    """An event for other processes; an ordinary one where there is no such thing."""
    return _ex(bench, IPC if bench.case.supports("aclrtIpcGetEventHandle") else SYNC)


@recipe("aclrtIpcGetEventHandle")
def ipc_get_event_handle(bench: Bench) -> Call:
    """An event for other processes."""
    return Call({"event": _ipc(bench)})


@recipe("aclrtIpcOpenEventHandle")
def ipc_open_event_handle(bench: Bench) -> Call:
    """An event of this process, which only another one may open."""
    handle = bench.call("aclrtIpcGetEventHandle", event=_ipc(bench)).handle
    call = _made(bench, {"handle": handle})
    call.control = False
    return call
