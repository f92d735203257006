"""aclrtRecordEvent, waits of the host for events, and what events tell."""

from __future__ import annotations

from harness.plugin import covers

SYNC = 0x1
TIMED = "aclrtSynchronizeEventWithTimeout"


@covers("record_event.captures_prior_tasks")
def test_prior_tasks(acl, desk, memory, stream, event, blocked_stream, expect):
    """An event stands for the work before it, not for that after it."""
    word = memory.device(64).fill(0)
    desk.fill(word, 1, stream)
    expect.success(acl.aclrtRecordEvent(event=event, stream=stream))
    with blocked_stream(stream):
        waited = acl.call(TIMED, event=event, timeout=5000)
        expect.success(waited)
        expect.data(word, 1)


@covers("record_event.captures_prior_tasks")
def test_not_before(acl, desk, case, stream, other_stream, event, blocked_stream, expect):
    """An event is not complete while work before it is not done, be that only a wait for another event."""
    behind = case.resources.event()
    with blocked_stream(stream):
        expect.success(acl.aclrtRecordEvent(event=event, stream=stream))
        desk.must("aclrtStreamWaitEvent", stream=other_stream, event=event)
        expect.success(acl.aclrtRecordEvent(event=behind, stream=other_stream))
        desk.held()
        complete = desk.recorded(event), desk.recorded(behind)
    expect.true("the events are complete", complete, (False, False))


@covers("record_event.null_stream")
def test_default_stream(acl, desk, event, blocked_stream, expect):
    """An event that is recorded on NULL stands for the work of the default stream."""
    with blocked_stream(None) as hold:
        expect.success(acl.aclrtRecordEvent(event=event, stream=None))
        desk.pause()
        before = desk.recorded(event)
        hold.release()
    desk.sync(None)
    expect.true("complete before that work and after it", (before, desk.recorded(event)), (False, True))


@covers("record_event.asynchronous")
def test_asynchronous(desk, stream, event, blocked_stream, expect):
    """A record comes back while work before it is not done."""
    with blocked_stream(stream):
        result, seconds = desk.timed("aclrtRecordEvent", event=event, stream=stream)
        expect.success(result)
        expect.within("seconds it took", seconds, 0, 5)


@covers("record_event.other_device_stream")
def test_other_device(acl, desk, second_device, event, expect):
    """An event of one device cannot be recorded on a stream of another."""
    with desk.second(second_device):
        stream = desk.must("aclrtCreateStream").stream
        result = acl.aclrtRecordEvent(event=event, stream=stream)
        desk.must("aclrtDestroyStream", stream=stream)
    expect.refused(result)


@covers("record_event_with_flag.default_equals_plain")
def test_plain_flag(acl, desk, stream, blocked_stream, expect):
    """With flag 0 it is a record like any other, which stands for the work before it."""
    event = desk.event_ex(SYNC)
    with blocked_stream(stream) as hold:
        expect.success(acl.aclrtRecordEventWithFlag(event=event, stream=stream, flag=0))
        desk.pause()
        before = desk.recorded(event)
        desk.soon(hold.release)
        expect.success(acl.aclrtSynchronizeEvent(event=event))
        after = desk.recorded(event)
    expect.true("complete before that work and after it", (before, after), (False, True))


@covers("record_event_with_flag.no_flag_switch")
def test_flag_switch(acl, desk, stream, expect):
    """The first record, even a refused one, decides of which kind the others are."""
    event = desk.event_ex(SYNC)
    first = acl.aclrtRecordEventWithFlag(event=event, stream=stream, flag=1)
    result = acl.aclrtRecordEventWithFlag(event=event, stream=stream, flag=0)
    expect.refused(first)
    expect.refused(result)


@covers("record_event_with_flag.once_per_graph")
def test_external_twice(acl, desk, stream, expect):
    """A capture records an event for others once."""
    args = {"event": desk.event_ex(SYNC), "stream": stream, "flag": 1}
    with desk.capturing(stream):
        expect.success(acl.aclrtRecordEventWithFlag(**args))
        result = acl.aclrtRecordEventWithFlag(**args)
    expect.refused(result)


@covers("record_event_with_flag.no_subgraph")
def test_external_in_a_body(acl, desk, bodies, stream, other_stream, expect):
    """The body of a conditional task records no event for others."""
    event = desk.event_ex(SYNC)
    with bodies.captured(stream, other_stream):
        result = acl.aclrtRecordEventWithFlag(event=event, stream=other_stream, flag=1)
    expect.refused(result)


@covers("record_event_with_flag.external_needs_ex_sync")
def test_external_plain(desk, stream, event, expect):
    """An event without flags cannot be recorded for others in a capture."""
    result = desk.captured("aclrtRecordEventWithFlag", stream, event=event, stream=stream, flag=1)
    expect.refused(result)


@covers("reset_event.sync_flag_only")
def test_reset_ex(acl, desk, stream, expect):
    """An event of the other kind cannot be reset."""
    event = desk.done(desk.event_ex(SYNC), stream)
    result = acl.aclrtResetEvent(event=event, stream=stream)
    expect.refused(result)


@covers("reset_event.sync_flag_only")
def test_reset(acl, desk, stream, expect):
    """An event for waits can be reset."""
    event = desk.done(desk.event(SYNC), stream)
    result = acl.call("aclrtResetEvent", event=event, stream=stream)
    expect.true("the call succeeded", result.ok)


@covers("reset_event.reuse")
def test_rounds(acl, desk, memory, stream, other_stream, expect):
    """An event that is reset after each wait serves for ten rounds."""
    source, target, event = memory.device(64).fill(0), memory.device(64).fill(0), desk.event(SYNC)
    blocks, streams = (source, target), (stream, other_stream)
    seen = [desk.event_round(acl, event, number, blocks, streams) for number in range(1, 11)]
    expect.true("what each round has copied", seen, [*range(1, 11)])


@covers("reset_event.reuse")
def test_pending_after_reset(acl, desk, stream, other_stream, expect):
    """A stream waits for the record after the reset, not for the one before it."""
    event = desk.done(desk.event(SYNC), stream)
    expect.success(acl.aclrtResetEvent(event=event, stream=stream))
    desk.sync(stream)
    expect.success(acl.call("aclrtStreamWaitEvent", stream=other_stream, event=event))
    waits = desk.held(other_stream)
    desk.record(event, stream)
    expect.true("it waits, and goes on", (waits, desk.through(other_stream)), (True, True))


@covers("reset_event.several_waiters", uses=["aclrtStreamWaitEvent"])
def test_reset_between_waits(acl, desk, case, stream, other_stream, expect):
    """Whether a stream that waits after the reset for another one is stuck is recorded."""
    event, later = desk.done(desk.event(SYNC), stream), case.resources.stream()
    desk.must("aclrtStreamWaitEvent", stream=other_stream, event=event)
    expect.success(acl.aclrtResetEvent(event=event, stream=other_stream))
    desk.must("aclrtStreamWaitEvent", stream=later, event=event)
    stuck = desk.held(later)
    desk.record(event, stream)
    expect.observed(f"stuck: {stuck}; goes on with the next record: {desk.through(later)}")


@covers("query_event.deprecated")
def test_old_query(acl, desk, stream, event, expect):
    """The deprecated question is answered."""
    desk.done(event, stream)
    result = acl.aclrtQueryEvent(event=event)
    expect.success(result)


@covers("query_event.enum_inverted", uses=["aclrtQueryEventStatus"])
def test_old_complete(acl, desk, stream, event, expect):
    """A complete event is 0 for the deprecated question and 1 for the other."""
    desk.done(event, stream)
    old, new = acl.aclrtQueryEvent(event=event), acl.aclrtQueryEventStatus(event=event)
    seen = expect.success(old).status, expect.success(new).status
    expect.true("what both tell", seen, (0, 1))


@covers("query_event.pending")
def test_old_pending(acl, desk, stream, event, blocked_stream, expect):
    """A pending event is 1 for the deprecated question."""
    with blocked_stream(stream):
        desk.record(event, stream)
        result = acl.aclrtQueryEvent(event=event)
        expect.true("what it tells", expect.success(result).status, 1)


@covers("query_event.never_recorded")
def test_old_unrecorded(acl, event, expect):
    """An event that was never recorded is complete for the deprecated question."""
    result = acl.aclrtQueryEvent(event=event)
    expect.true("what it tells", expect.success(result).status, 0)


@covers("query_event_status.enum_values")
def test_status(acl, desk, stream, event, blocked_stream, expect):
    """An event of each kind is 0 while it is pending, and then 1."""
    events = [event, desk.event(SYNC), desk.event_ex(SYNC)]
    with blocked_stream(stream) as hold:
        recorded = [desk.record(each, stream) for each in events]
        before = [expect.success(acl.aclrtQueryEventStatus(event=each)).status for each in recorded]
        hold.release()
    desk.sync(stream)
    after = [expect.success(acl.aclrtQueryEventStatus(event=each)).status for each in events]
    expect.true("what they tell", (before, after), ([0, 0, 0], [1, 1, 1]))


@covers("query_event_status.never_recorded_ex")
def test_unrecorded_ex(acl, desk, expect):
    """An event of the other kind that was never recorded is complete."""
    result = acl.aclrtQueryEventStatus(event=desk.event_ex(SYNC))
    expect.true("what it tells", expect.success(result).status, 1)


@covers("query_event_status.never_recorded_plain")
def test_unrecorded(acl, event, expect):
    """An event that was never recorded is not complete."""
    result = acl.aclrtQueryEventStatus(event=event)
    expect.true("what it tells", expect.success(result).status, 0)


@covers("query_event_status.nonblocking")
def test_nonblocking(desk, stream, event, blocked_stream, expect):
    """The question is answered while the event is pending."""
    with blocked_stream(stream):
        desk.record(event, stream)
        result, seconds = desk.timed("aclrtQueryEventStatus", event=event)
        expect.success(result)
        expect.within("seconds it took", seconds, 0, 5)
        expect.true("the stream still has work", desk.held(stream))


@covers("query_event_status.captured")
def test_query_captured(desk, stream, expect):
    """An event of a capture cannot be asked."""
    event = desk.event_ex(SYNC)
    result = desk.captured("aclrtQueryEventStatus", stream, lambda: desk.record(event, stream), event=event)
    expect.refused(result)


@covers("synchronize_event.captured")
def test_wait_captured(desk, stream, expect):
    """An event of a capture cannot be waited for."""
    event = desk.event_ex(SYNC)
    result = desk.captured("aclrtSynchronizeEvent", stream, lambda: desk.record(event, stream), event=event)
    expect.refused(result)


@covers("query_event_wait_status.enum_values", uses=["aclrtStreamWaitEvent"])
def test_wait_status(acl, desk, stream, other_stream, event, blocked_stream, expect):
    """The wait of a stream is 1 while it lasts, and then 0."""
    with blocked_stream(stream) as hold:
        desk.record(event, stream)
        desk.must("aclrtStreamWaitEvent", stream=other_stream, event=event)
        before = expect.success(acl.aclrtQueryEventWaitStatus(event=event)).status
        hold.release()
    desk.sync(other_stream)
    after = expect.success(acl.aclrtQueryEventWaitStatus(event=event)).status
    expect.true("what it tells", (before, after), (1, 0))


@covers("query_event_wait_status.no_waits")
def test_no_waits(acl, event, expect):
    """Without a wait it is complete."""
    result = acl.aclrtQueryEventWaitStatus(event=event)
    expect.true("what it tells", expect.success(result).status, 0)


@covers("query_event_wait_status.ex_refused")
def test_wait_status_ex(acl, desk, expect):
    """An event of the other kind is refused."""
    result = acl.aclrtQueryEventWaitStatus(event=desk.event_ex(SYNC))
    expect.refused(result)


@covers("synchronize_event.waits")
def test_waits(acl, waits, desk, stream, event, expect):
    """The work before an event of each kind is done at return."""
    events = [event, desk.event(SYNC), desk.event_ex(SYNC)]
    filled = [waits.filled_after(acl.aclrtSynchronizeEvent, each, stream) for each in events]
    expect.true("what the fills before them have left", filled, [1, 2, 3])


@covers("synchronize_event.waits")
def test_waits_for_second_record(acl, desk, memory, stream, event, blocked_stream, expect):
    """The work before the second record of an event is done at return."""
    word = memory.device(64).fill(0)
    desk.done(event, stream)
    with blocked_stream(stream) as hold:
        desk.fill(word, 1, stream)
        desk.record(event, stream)
        desk.soon(hold.release)
        expect.success(acl.aclrtSynchronizeEvent(event=event))
    expect.data(word, 1)


@covers("synchronize_event.later_tasks_not_waited")
def test_later_tasks(desk, stream, event, blocked_stream, expect):
    """Work after the event is not waited for."""
    desk.record(event, stream)
    with blocked_stream(stream):
        result, seconds = desk.timed("aclrtSynchronizeEvent", event=event)
        expect.success(result)
        expect.within("seconds it took", seconds, 0, 5)
        expect.true("the stream still has work", desk.held(stream))


@covers("synchronize_event.never_recorded")
def test_wait_unrecorded(acl, event, expect):
    """The wait for an event that was never recorded ends at once."""
    result = acl.aclrtSynchronizeEvent(event=event)
    expect.success(result)


@covers("synchronize_event.other_device_current")
def test_other_device_current(acl, desk, second_device, stream, event, expect):
    """An event can be waited for while another device is current."""
    desk.record(event, stream)
    with desk.second(second_device):
        result = acl.aclrtSynchronizeEvent(event=event)
    expect.success(result)


@covers("synchronize_event.aborted")
def test_aborted(acl, desk, stream, event, expect):
    """A wait for an event of a stream that is aborted meanwhile ends with the code for it."""
    desk.must("aclrtWaitAndResetNotify", notify=desk.notify(), stream=stream, timeout=0)
    desk.record(event, stream)
    desk.soon(lambda: desk.must("aclrtStreamAbort", stream=stream), seconds=0.3)
    result = acl.aclrtSynchronizeEvent(event=event)
    expect.refused(result)


@covers("synchronize_event_with_timeout.minus_one")
def test_for_ever(acl, desk, stream, event, blocked_stream, expect):
    """-1 waits until the event is complete."""
    with blocked_stream(stream) as hold:
        desk.record(event, stream)
        desk.soon(hold.release)
        result = acl.call(TIMED, event=event, timeout=-1)
        expect.success(result)
        expect.true("the event is complete", desk.recorded(event))


@covers("synchronize_event_with_timeout.expiry")
def test_expiry(desk, stream, event, blocked_stream, expect):
    """A wait of 100 milliseconds for a pending event is over soon, with an error."""
    with blocked_stream(stream):
        desk.record(event, stream)
        result, seconds = desk.timed(TIMED, event=event, timeout=100)
        expect.refused(result)
        expect.within("seconds it took", seconds, 0.09, 5)


@covers("event_elapsed_time.non_negative")
def test_elapsed(acl, desk, case, stream, event, expect):
    """The time between two events in order is not negative."""
    start, end = desk.record(event, stream), desk.done(case.resources.event(), stream)
    result = acl.aclrtEventElapsedTime(startEvent=start, endEvent=end)
    expect.within("milliseconds", expect.success(result).ms, 0, 10000)


@covers("event_elapsed_time.milliseconds")
def test_milliseconds(acl, waits, stream, expect):
    """The time between two events is told in milliseconds."""
    start, end, least, most = waits.apart(stream)
    result = acl.aclrtEventElapsedTime(startEvent=start, endEvent=end)
    expect.within("milliseconds", expect.success(result).ms, 1e3 * least, 1e3 * most)


@covers("event_elapsed_time.not_completed")
def test_elapsed_pending(acl, desk, case, stream, event, blocked_stream, expect):
    """A pending event has no time yet."""
    desk.done(event, stream)
    with blocked_stream(stream):
        end = desk.record(case.resources.event(), stream)
        result = acl.aclrtEventElapsedTime(startEvent=event, endEvent=end)
        expect.refused(result)


@covers("event_elapsed_time.no_timeline_flag")
def test_elapsed_without_times(acl, desk, stream, expect):
    """Events for waits only have no time."""
    start, end = (desk.done(desk.event(SYNC), stream) for _ in range(2))
    result = acl.aclrtEventElapsedTime(startEvent=start, endEvent=end)
    expect.refused(result)


@covers("event_get_timestamp.microseconds")
def test_microseconds(acl, waits, stream, expect):
    """The time of an event is told in microseconds."""
    start, end, least, most = waits.apart(stream)
    times = [expect.success(acl.aclrtEventGetTimestamp(event=each)).timestamp for each in (start, end)]
    expect.within("microseconds between the events", times[1] - times[0], 1e6 * least, 1e6 * most)


@covers("event_get_timestamp.monotonic")
def test_monotonic(acl, desk, case, stream, expect):
    """The times of events in order do not go back."""
    events = [desk.done(case.resources.event(), stream) for _ in range(5)]
    times = [expect.success(acl.aclrtEventGetTimestamp(event=each)).timestamp for each in events]
    expect.true("times in order", times, sorted(times))


@covers("event_get_timestamp.consistent_with_elapsed", uses=["aclrtEventElapsedTime"])
def test_consistent(acl, desk, case, stream, event, expect):
    """The times of two events agree with the time between them."""
    events = [desk.done(event, stream), desk.done(case.resources.event(), stream)]
    times = [expect.success(acl.aclrtEventGetTimestamp(event=each)).timestamp for each in events]
    result = acl.aclrtEventElapsedTime(startEvent=events[0], endEvent=events[1])
    difference = abs((times[1] - times[0]) / 1000 - expect.success(result).ms)
    expect.within("milliseconds of difference", difference, 0, 1)
