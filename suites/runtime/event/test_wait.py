"""aclrtStreamWaitEvent and its forms: streams that go on when an event is complete."""

from __future__ import annotations

from harness.plugin import covers, deadline
from suites.threads import elsewhere

SYNC = 0x1


@covers("stream_wait_event.orders_streams")
def test_order(acl, desk, memory, stream, other_stream, event, blocked_stream, expect):
    """Work after the wait sees what was done before the event."""
    source, target = memory.device(64).fill(0), memory.device(64).fill(0)
    with blocked_stream(stream) as hold:
        desk.fill(source, 1, stream)
        desk.record(event, stream)
        expect.success(acl.aclrtStreamWaitEvent(stream=other_stream, event=event))
        desk.copy(target, source, other_stream)
        expect.true("the stream waits", desk.held(other_stream))
        hold.release()
    desk.sync(other_stream)
    expect.data(target, 1)


@covers("stream_wait_event.orders_streams")
def test_second_record(acl, desk, stream, other_stream, event, blocked_stream, expect):
    """A stream waits for the second record of an event, though the first one is complete."""
    desk.done(event, stream)
    with blocked_stream(stream) as hold:
        desk.record(event, stream)
        expect.success(acl.aclrtStreamWaitEvent(stream=other_stream, event=event))
        waits = desk.held(other_stream)
        hold.release()
        expect.true("it waits, and goes on", (waits, desk.through(other_stream)), (True, True))


@covers("stream_wait_event.orders_streams")
@deadline(10)
def test_two_events(acl, desk, case, stream, other_stream, event, blocked_stream, expect):
    """A stream that waits for two events, one recorded by another thread, waits for both in any order."""
    late, (one, other) = case.resources.event(), (case.resources.stream() for _ in range(2))
    with blocked_stream(stream) as early_hold, blocked_stream(other_stream) as late_hold:
        desk.record(event, stream)
        elsewhere(acl, lambda: desk.record(late, other_stream))
        pairs = (one, event), (one, late), (other, late), (other, event)
        results = [acl.aclrtStreamWaitEvent(stream=waiting, event=each) for waiting, each in pairs]
        expect.true("answers", [result.code for result in results], [0] * 4)
        early_hold.release()
        desk.sync(stream)
        expect.true("both of them wait", desk.held(one, other))
        late_hold.release()
        expect.true("both of them go on", desk.through(one, other))


@covers("stream_wait_event.orders_streams")
def test_default_stream(acl, desk, stream, event, blocked_stream, expect):
    """The default stream waits like any other."""
    with blocked_stream(stream) as hold:
        desk.record(event, stream)
        expect.success(acl.aclrtStreamWaitEvent(stream=None, event=event))
        waits = desk.held(None)
        hold.release()
        expect.true("it waits, and goes on", (waits, desk.through(None)), (True, True))


@covers("stream_wait_event.asynchronous")
def test_asynchronous(desk, stream, other_stream, event, blocked_stream, expect):
    """The call comes back while the event is pending."""
    with blocked_stream(stream):
        desk.record(event, stream)
        result, seconds = desk.timed("aclrtStreamWaitEvent", stream=other_stream, event=event)
        expect.success(result)
        expect.within("seconds it took", seconds, 0, 5)


@covers("stream_wait_event.many_waiters")
def test_many(acl, desk, case, stream, event, blocked_stream, expect):
    """Nine streams wait for one record, and all of them go on."""
    streams = [case.resources.stream() for _ in range(9)]
    with blocked_stream(stream) as hold:
        desk.record(event, stream)
        results = [acl.aclrtStreamWaitEvent(stream=each, event=event) for each in streams]
        expect.true("answers", [result.code for result in results], [0] * 9)
        expect.true("all of them wait", desk.held(*streams))
        hold.release()
        expect.true("all of them go on", desk.through(*streams))


@covers("stream_wait_event.earlier_tasks_unaffected")
def test_earlier(acl, desk, case, memory, stream, other_stream, event, blocked_stream, expect):
    """Work before the wait is not held back."""
    word, before = memory.device(64).fill(0), case.resources.event()
    with blocked_stream(stream):
        desk.record(event, stream)
        desk.fill(word, 1, other_stream)
        desk.record(before, other_stream)
        expect.success(acl.aclrtStreamWaitEvent(stream=other_stream, event=event))
        desk.must("aclrtSynchronizeEventWithTimeout", event=before, timeout=5000)
        expect.data(word, 1)


@covers("stream_wait_event.before_record_ex")
def test_unrecorded_ex(acl, desk, stream, expect):
    """An event of the other kind that was never recorded holds nothing up."""
    expect.success(acl.aclrtStreamWaitEvent(stream=stream, event=desk.event_ex(SYNC)))
    expect.true("the stream goes on", desk.through(stream))


@covers("stream_wait_event.before_record_plain")
def test_unrecorded(acl, stream, event, expect):
    """An event without flags that was never recorded is refused."""
    result = acl.aclrtStreamWaitEvent(stream=stream, event=event)
    expect.refused(result)


@covers("stream_wait_event.before_record_flag")
def test_unrecorded_flag(acl, desk, stream, other_stream, expect):
    """An event for waits holds a stream up until it is recorded."""
    event = desk.event(SYNC)
    expect.success(acl.aclrtStreamWaitEvent(stream=other_stream, event=event))
    waits = desk.held(other_stream)
    desk.record(event, stream)
    expect.true("it waits, and goes on", (waits, desk.through(other_stream)), (True, True))


@covers("stream_wait_event.same_stream")
def test_same_stream(acl, desk, stream, event, expect):
    """A stream may wait for its own record."""
    desk.record(event, stream)
    expect.success(acl.aclrtStreamWaitEvent(stream=stream, event=event))
    expect.true("the stream goes on", desk.through(stream))


@covers("stream_wait_event.cross_device")
def test_other_device(acl, desk, second_device, stream, event, expect):
    """A stream of another device cannot wait for an event."""
    desk.done(event, stream)
    with desk.second(second_device):
        other = desk.must("aclrtCreateStream").stream
        result = acl.aclrtStreamWaitEvent(stream=other, event=event)
        desk.must("aclrtDestroyStream", stream=other)
    expect.refused(result)


@covers("stream_wait_event_with_flag.default_equals_timeout")
def test_plain_flag(acl, desk, stream, other_stream, expect):
    """With flag 0 it is a wait like any other."""
    event = desk.done(desk.event_ex(SYNC), stream)
    expect.success(acl.aclrtStreamWaitEventWithFlag(stream=other_stream, event=event, timeout=0, flag=0))
    expect.true("the stream goes on", desk.through(other_stream))


@covers("stream_wait_event_with_flag.external_timeout_zero")
def test_external_bound(desk, stream, expect):
    """A wait for others in a capture takes no bound."""
    args = {"event": desk.event_ex(SYNC), "timeout": 5, "flag": 1}
    result = desk.captured("aclrtStreamWaitEventWithFlag", stream, stream=stream, **args)
    expect.refused(result)


@covers("stream_wait_event_with_flag.no_subgraph")
def test_external_in_a_body(acl, desk, bodies, stream, other_stream, expect):
    """The body of a conditional task waits for no event of others."""
    args = {"event": desk.event_ex(SYNC), "timeout": 0, "flag": 1}
    with bodies.captured(stream, other_stream):
        result = acl.aclrtStreamWaitEventWithFlag(stream=other_stream, **args)
    expect.refused(result)


@covers("stream_wait_event_with_flag.no_flag_switch")
def test_flag_switch(acl, desk, stream, other_stream, expect):
    """The first wait, even a refused one, decides of which kind the others are."""
    event = desk.done(desk.event_ex(SYNC), stream)
    first = acl.aclrtStreamWaitEventWithFlag(stream=other_stream, event=event, timeout=0, flag=1)
    result = acl.aclrtStreamWaitEventWithFlag(stream=other_stream, event=event, timeout=0, flag=0)
    expect.refused(first)
    expect.refused(result)


@covers("stream_wait_event_with_timeout.zero_never")
def test_no_bound(acl, desk, case, stream, other_stream, event, blocked_stream, expect):
    """A bound of 0 is none, for events of either kind."""
    third, extended = case.resources.stream(), desk.event_ex(SYNC)
    with blocked_stream(stream) as hold:
        desk.record(event, stream)
        desk.record(extended, stream)
        expect.success(acl.aclrtStreamWaitEventWithTimeout(stream=other_stream, event=event, timeout=0))
        expect.success(acl.aclrtStreamWaitEventWithTimeout(stream=third, event=extended, timeout=0))
        expect.true("the streams wait", desk.held(other_stream, third))
        hold.release()
        expect.true("the streams go on", desk.through(other_stream, third))
