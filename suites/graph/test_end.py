"""Ending a capture: where, in which state, and what comes of it."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.graph.captures import GLOBAL, RELAXED, THREAD_LOCAL
from suites.threads import elsewhere

NONE, ACTIVE, INVALIDATED = 0, 1, 2
ROUNDS = 100


@covers("ri_capture_end.returns_instance")
def test_end(acl, expect, graphs):
    """The end of a capture gives its instance, and the stream works as before."""
    stream = graphs.begin()
    graphs.copy(stream)
    ended = expect.success(acl.aclmdlRICaptureEnd(stream=stream))
    graphs.keep(ended.modelRI)
    expect.true("an instance", ended.modelRI != 0)
    expect.true("the status of the stream", graphs.info(stream)[0], NONE)
    expect.success(acl.aclrtSynchronizeStream(stream=stream))


@covers("ri_capture_end.returns_instance")
def test_drawn_in_stream_works(acl, expect, graphs):
    """A stream that was drawn into the capture works as before, too."""
    stream = graphs.begin()
    side = graphs.side(stream)
    graphs.follow(side, stream)
    ended = expect.success(acl.aclmdlRICaptureEnd(stream=stream))
    graphs.keep(ended.modelRI)
    copy = graphs.copy(side)
    expect.success(acl.aclrtSynchronizeStream(stream=side))
    expect.data(copy.target, copy.source.read())


@covers("ri_capture_end.empty_capture", "ri_capture_end.same_stream")
def test_nothing_captured(acl, expect, graphs):
    """What the end of a capture without tasks gives is recorded; an instance works."""
    ended = graphs.begin_or_end(acl, graphs.stream())
    expect.observed(ended)
    expect.observed(graphs.outcome(ended))


@covers("ri_capture_end.wrong_thread")
@pytest.mark.parametrize("mode", [GLOBAL, THREAD_LOCAL], ids=["global", "thread_local"])
def test_other_thread(acl, expect, graphs, mode):
    """A capture that is not relaxed does not end in another thread."""
    stream = graphs.begin(mode=mode)
    result = elsewhere(acl, lambda: acl.aclmdlRICaptureEnd(stream=stream))
    expect.code(result, "ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD")


@covers("ri_capture_end.relaxed_other_thread")
def test_relaxed_in_other_thread(acl, expect, graphs):
    """A relaxed capture ends in another thread."""
    stream = graphs.begin(mode=RELAXED)
    graphs.copy(stream)
    ended = expect.success(elsewhere(acl, lambda: acl.aclmdlRICaptureEnd(stream=stream)))
    graphs.keep(ended.modelRI)


@covers("ri_capture_end.not_origin_stream")
def test_side_stream(acl, expect, graphs):
    """A capture ends on the stream it began on only."""
    stream = graphs.begin()
    side = graphs.side(stream)
    graphs.follow(side, stream)
    expect.refused(acl.aclmdlRICaptureEnd(stream=side))


@covers("ri_capture_end.unjoined_stream")
def test_not_joined(acl, expect, graphs):
    """A stream that was drawn in and is not joined back makes the end fail, also where another one is."""
    busy, idle, one_of_two, far = graphs.unjoined()
    expect.code(acl.aclmdlRICaptureEnd(stream=busy), "ACL_ERROR_RT_STREAM_UNJOINED")
    expect.code(acl.aclmdlRICaptureEnd(stream=idle), "ACL_ERROR_RT_STREAM_UNJOINED")
    expect.code(acl.aclmdlRICaptureEnd(stream=one_of_two), "ACL_ERROR_RT_STREAM_UNJOINED")
    expect.code(acl.aclmdlRICaptureEnd(stream=far), "ACL_ERROR_RT_STREAM_UNJOINED")


@covers("ri_capture_end.task_after_join")
def test_task_after_join(acl, expect, graphs):
    """A task that comes after the join makes the end fail."""
    stream = graphs.begin()
    side = graphs.side(stream)
    graphs.follow(side, stream)
    graphs.copy(side)
    expect.code(acl.aclmdlRICaptureEnd(stream=stream), "ACL_ERROR_RT_STREAM_UNJOINED")


@covers("ri_capture_end.open_task_group")
def test_open_group(acl, expect, graphs):
    """A task group that is open makes the end fail."""
    stream = graphs.begin()
    graphs.call("aclmdlRICaptureTaskGrpBegin", stream=stream)
    expect.refused(acl.aclmdlRICaptureEnd(stream=stream))


@covers("ri_capture_end.invalidated")
def test_invalid(acl, expect, graphs):
    """A capture that an illegal call has broken does not end well."""
    stream = graphs.broken()
    expect.refused(acl.aclmdlRICaptureEnd(stream=stream))


@covers("ri_capture_end.invalidated", uses=("aclrtStreamWaitEvent",))
def test_lost_wait(acl, expect, graphs):
    """A capture that has lost a wait, for which there was no room, does not end well."""
    stream = graphs.without_wait()
    expect.refused(acl.aclmdlRICaptureEnd(stream=stream))


@covers("ri_capture_end.failure_resets")
def test_after_failure(acl, expect, graphs):
    """After an end that failed the stream works as before, and there is no instance."""
    stream, broken, grouping = graphs.begin(), graphs.broken(), graphs.begin()
    graphs.copy(graphs.side(stream))
    graphs.call("aclmdlRICaptureTaskGrpBegin", stream=grouping)
    unjoined, *others = [graphs.try_end(acl, each) for each in (stream, broken, grouping)]
    status = [graphs.info(each)[0] for each in (stream, broken, grouping)]
    copy = graphs.copy(stream)
    graphs.wait(stream)
    instances = [unjoined.modelRI, *(other.modelRI for other in others if not other.ok)]
    expect.true("an instance, and the status", (any(instances), status), (False, [NONE] * 3))
    expect.data(copy.target, copy.source.read())


@covers("ri_capture_end.cross_stream_order", uses=("aclmdlRIExecuteAsync",))
def test_order_over_streams(acl, expect, graphs):
    """Chains of copies over three streams run in order each time."""
    stream = graphs.begin()
    first = graphs.copy(stream)
    side, other = graphs.side(stream), graphs.side(stream)
    second, another = graphs.copy(side, source=first.target), graphs.copy(other, source=first.target)
    graphs.follow(side, stream)
    graphs.follow(other, stream)
    ends = [graphs.copy(stream, source=copy.target).target for copy in (second, another)]
    instance = graphs.end(stream)
    right = graphs.right_runs(instance, stream, first.source, ends, ROUNDS)
    expect.true("executions whose last blocks are right", right, ROUNDS)


@covers("ri_capture_end.cross_stream_order", uses=("aclmdlRIExecuteAsync",))
def test_order_after_second_record(acl, expect, graphs):
    """A stream that waits for an event of two records comes after what is before the second one."""
    stream, event = graphs.begin(), graphs.event()
    graphs.call("aclrtRecordEvent", event=event, stream=stream)
    first = graphs.copy(stream)
    graphs.call("aclrtRecordEvent", event=event, stream=stream)
    side = graphs.stream()
    graphs.call("aclrtStreamWaitEvent", stream=side, event=event)
    second = graphs.copy(side, source=first.target)
    graphs.follow(side, stream)
    right = graphs.right_runs(graphs.end(stream), stream, first.source, [second.target], ROUNDS)
    expect.true("executions whose last block is right", right, ROUNDS)


@covers("ri_capture_get_info.none")
def test_no_capture(acl, expect, graphs):
    """A stream that is not being captured says so."""
    told = expect.success(acl.aclmdlRICaptureGetInfo(stream=graphs.stream()))
    expect.true("the status", told.status, NONE)


@covers("ri_capture_get_info.active")
def test_capture(acl, expect, graphs):
    """A stream that is being captured says so, and has an instance; another thread is told the same."""
    stream = graphs.begin()
    told = expect.success(acl.aclmdlRICaptureGetInfo(stream=stream))
    expect.true(
        "the status, and whether there is an instance", (told.status, told.modelRI != 0), (ACTIVE, True)
    )
    told_there = elsewhere(acl, lambda: graphs.info(stream))
    expect.true("what another thread is told", told_there, (told.status, told.modelRI))


@covers("ri_capture_get_info.side_stream_active")
def test_drawn_in(acl, expect, graphs):
    """A stream that was drawn into a capture tells the same instance."""
    stream = graphs.begin()
    told = expect.success(acl.aclmdlRICaptureGetInfo(stream=graphs.side(stream)))
    expect.true("status and instance", (told.status, told.modelRI), (ACTIVE, graphs.info(stream)[1]))


@covers("ri_capture_get_info.invalidated")
def test_broken(acl, expect, graphs):
    """A capture that an illegal call has broken says so."""
    told = expect.success(acl.aclmdlRICaptureGetInfo(stream=graphs.broken()))
    expect.true("the status", told.status, INVALIDATED)


@covers("ri_capture_get_info.instance_equals_end", uses=("aclmdlRICaptureEnd",))
def test_same_instance(acl, expect, graphs):
    """The instance of a capture is the one that its end gives."""
    stream = graphs.begin()
    graphs.copy(stream)
    told = expect.success(acl.aclmdlRICaptureGetInfo(stream=stream))
    expect.true("the instance", graphs.end(stream), told.modelRI)
