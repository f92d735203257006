"""aclrtCreateEvent, its forms with flags, and aclrtDestroyEvent."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.runtime.crowd import most_events

SYNC, PROGRESS, TIME_LINE, IPC = 0x1, 0x2, 0x8, 0x40


@covers("create_event.handle")
def test_create(acl, desk, stream, expect):
    """Two events give the time between them, and can be waited for."""
    first, second = (desk.took_event(expect.success(acl.aclrtCreateEvent())) for _ in range(2))
    desk.done(desk.record(first, stream), stream)
    desk.done(second, stream)
    result = desk.must("aclrtEventElapsedTime", startEvent=first, endEvent=second)
    expect.within("milliseconds between the events", result.ms, 0, 10000)


@covers("create_event.no_resource_until_record")
def test_takes_nothing(acl, desk, expect):
    """An event takes nothing of the device before it is recorded."""
    before = desk.events_left()
    desk.took_event(expect.success(acl.aclrtCreateEvent()))
    expect.true("events left", desk.events_left(), before)


@covers("create_event.no_context")
def test_no_context(desk, expect):
    """A thread without a context gets no event."""
    result = desk.without_context("aclrtCreateEvent")
    expect.refused(result)


@covers("create_event.no_reset")
def test_reset(acl, desk, stream, event, expect):
    """What resetting an event without flags gives is recorded; its stream goes on."""
    desk.done(event, stream)
    result = acl.call("aclrtResetEvent", event=event, stream=stream)
    desk.sync(stream)
    expect.observed(result)


@covers("create_event_with_flag.no_sync_no_wait")
@pytest.mark.parametrize("api", ["aclrtStreamWaitEvent", "aclrtResetEvent"])
def test_without_sync(acl, desk, stream, other_stream, expect, api):
    """An event without the flag for it can be neither waited for nor reset."""
    event = desk.done(desk.event(TIME_LINE), stream)
    result = acl.call(api, event=event, stream=other_stream)
    expect.refused(result)


@covers("create_event_with_flag.sync_count_limited")
def test_takes_one(acl, desk, expect):
    """An event for waits takes one of the device's."""
    before = desk.events_left()
    desk.took_event(expect.success(acl.aclrtCreateEventWithFlag(flag=SYNC)))
    expect.true("events left", desk.events_left(), before - 1)


@covers("create_event_with_flag.sync_count_limited", uses=["aclrtDestroyEvent"])
def test_given_back(acl, desk, expect):
    """An event for waits that is destroyed can be had again."""
    before = desk.events_left()
    made = expect.success(acl.aclrtCreateEventWithFlag(flag=SYNC)).event
    desk.must("aclrtDestroyEvent", event=made)
    expect.true("events left", desk.events_left(), before)


@covers("create_event_with_flag.sync_count_limited")
def test_takes_one_of_second_device(acl, desk, second_device, expect):
    """An event for waits takes one of the current device's, whichever device it is."""
    with desk.second(second_device):
        before = desk.events_left()
        made = expect.success(acl.aclrtCreateEventWithFlag(flag=SYNC)).event
        after = desk.events_left()
        desk.must("aclrtDestroyEvent", event=made)
    expect.true("events left", after, before - 1)


@covers("create_event_ex_with_flag.re_record")
def test_second_record(acl, desk, stream, other_stream, blocked_stream, expect):
    """A record replaces the one before."""
    event = desk.took_event(expect.success(acl.aclrtCreateEventExWithFlag(flag=SYNC)))
    with blocked_stream(stream):
        desk.record(event, stream)
        desk.record(event, other_stream)
        result = acl.call("aclrtSynchronizeEventWithTimeout", event=event, timeout=5000)
        expect.success(result)


@covers("create_event_ex_with_flag.re_record")
def test_wait_after_second_record(acl, desk, stream, other_stream, blocked_stream, expect):
    """A stream that waits after the second record waits for that one."""
    event = desk.done(desk.took_event(expect.success(acl.aclrtCreateEventExWithFlag(flag=SYNC))), stream)
    with blocked_stream(stream) as hold:
        desk.record(event, stream)
        desk.must("aclrtStreamWaitEvent", stream=other_stream, event=event)
        waits = desk.held(other_stream)
        hold.release()
        expect.true("it waits, and goes on", (waits, desk.through(other_stream)), (True, True))


@covers("create_event_ex_with_flag.wait_uses_latest")
def test_wait_before_a_record(acl, desk, case, stream, other_stream, blocked_stream, expect):
    """A wait is for the record before it, not for one after."""
    event = desk.took_event(expect.success(acl.aclrtCreateEventExWithFlag(flag=SYNC)))
    third = case.resources.stream()
    desk.done(event, stream)
    desk.must("aclrtStreamWaitEvent", stream=other_stream, event=event)
    with blocked_stream(third):
        desk.record(event, third)
        expect.true("the stream goes on", desk.through(other_stream))


@covers("create_event_ex_with_flag.unsupported_calls")
@pytest.mark.parametrize("api", ["aclrtResetEvent", "aclrtQueryEvent", "aclrtQueryEventWaitStatus"])
def test_refused_calls(acl, desk, stream, expect, api):
    """An event of this kind is no event for these functions."""
    event = desk.done(desk.event_ex(SYNC), stream)
    args = {"stream": stream} if api == "aclrtResetEvent" else {}
    result = acl.call(api, event=event, **args)
    expect.refused(result)


@covers("create_event_ex_with_flag.ipc_unsupported_calls")
@pytest.mark.parametrize("api", ["aclrtEventGetTimestamp", "aclrtGetEventId"])
def test_refused_for_ipc(acl, desk, stream, expect, api):
    """An event for other processes has neither time nor number."""
    event = desk.done(desk.event_ex(IPC), stream)
    result = acl.call(api, event=event)
    expect.refused(result)


@covers("create_event_ex_with_flag.ipc_unsupported_calls", uses=["aclrtEventElapsedTime"])
def test_no_distance_for_ipc(acl, desk, stream, expect):
    """Between events for other processes there is no time to ask for."""
    first, second = (desk.done(desk.event_ex(IPC), stream) for _ in range(2))
    result = acl.aclrtEventElapsedTime(startEvent=first, endEvent=second)
    expect.refused(result)


@covers("create_event_ex_with_flag.no_sync_no_wait", uses=["aclrtStreamWaitEvent"])
def test_ex_without_sync(acl, desk, stream, other_stream, expect):
    """An event without the flag for it cannot be waited for."""
    event = desk.done(desk.event_ex(PROGRESS), stream)
    result = acl.aclrtStreamWaitEvent(stream=other_stream, event=event)
    expect.refused(result)


@covers("destroy_event.before_completion")
def test_destroy_pending(desk, case, stream, event, blocked_stream, expect):
    """An event can be destroyed before it is complete, and its stream goes on."""
    with blocked_stream(stream) as hold:
        desk.record(event, stream)
        result, seconds = desk.timed("aclrtDestroyEvent", event=event)
        case.resources.forget(event)
        expect.success(result)
        expect.within("seconds it took", seconds, 0, 5)
        expect.true("the stream still has work", desk.held(stream))
        hold.release()
        expect.true("the stream goes on", desk.through(stream))


@covers("destroy_event.before_completion", uses=["aclrtStreamWaitEvent"])
def test_destroy_while_waited_for(acl, desk, case, stream, other_stream, event, blocked_stream, expect):
    """A stream that waits for an event waits on when that is destroyed, until the work before it is done."""
    with blocked_stream(stream) as hold:
        desk.record(event, stream)
        desk.must("aclrtStreamWaitEvent", stream=other_stream, event=event)
        expect.success(acl.aclrtDestroyEvent(event=event))
        case.resources.forget(event)
        waits = desk.held(other_stream)
        hold.release()
        expect.true("it waits, and goes on", (waits, desk.through(other_stream)), (True, True))


@covers("destroy_event.never_recorded")
def test_destroy_unused(acl, case, event, expect):
    """An event that was never recorded can be destroyed."""
    result = acl.aclrtDestroyEvent(event=event)
    case.resources.forget(event)
    expect.success(result)


@covers("get_event_id.id")
def test_id(acl, desk, expect):
    """An event for waits has a number."""
    result = acl.aclrtGetEventId(event=desk.event(SYNC))
    expect.success(result)


@covers("get_event_id.no_id")
def test_no_id(acl, desk, expect):
    """An event for times only has no number."""
    result = acl.aclrtGetEventId(event=desk.event(TIME_LINE))
    expect.refused(result)


@covers("get_event_avail_num.number")
def test_left(acl, case, expect):
    """The events left are no more than the product has."""
    result = acl.aclrtGetEventAvailNum()
    expect.within("events left", expect.success(result).eventCount, 0, most_events(case))


@covers("ipc_get_event_handle.size")
def test_handle(acl, desk, expect):
    """The handle of an event for other processes is 64 bytes."""
    result = acl.aclrtIpcGetEventHandle(event=desk.event_ex(IPC))
    expect.success(result)
