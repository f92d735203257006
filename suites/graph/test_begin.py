"""Beginning a capture: of which streams, in which modes, and what happens to the tasks on them."""

from __future__ import annotations

import pytest

from harness.plugin import covers, isolated
from suites.graph.captures import BYTES, GLOBAL, RELAXED, THREAD_LOCAL
from suites.threads import elsewhere, together

EXTERNAL, IPC = 1, 0x40
UNFIT = ("ACL_STREAM_DEVICE_USE_ONLY", "ACL_STREAM_CPU_SCHEDULE")


@covers("ri_capture_begin.default_stream_null")
def test_no_stream(acl, expect, graphs):
    """NULL, which is the default stream, cannot be captured."""
    expect.refused(graphs.begin_or_end(acl, None))


@covers("ri_capture_begin.default_stream_handle")
def test_default_stream(acl, expect, graphs):
    """The default stream cannot be captured by its handle."""
    expect.refused(graphs.begin_or_end(acl, graphs.default_stream()))


@covers("ri_capture_begin.mode_global")
def test_global(expect, graphs):
    """A capture in the global mode makes an instance that works."""
    instance, copy = graphs.record(GLOBAL)
    graphs.run(instance)
    expect.data(copy.target, copy.source.read())


@covers("ri_capture_begin.mode_thread_local")
def test_thread_local(expect, graphs):
    """A capture in the mode of its thread makes an instance that works."""
    instance, copy = graphs.record(THREAD_LOCAL)
    graphs.run(instance)
    expect.data(copy.target, copy.source.read())


@covers("ri_capture_begin.mode_relaxed")
def test_relaxed(expect, graphs):
    """A capture in the relaxed mode makes an instance that works."""
    instance, copy = graphs.record(RELAXED)
    graphs.run(instance)
    expect.data(copy.target, copy.source.read())


@covers("ri_capture_begin.twice")
def test_twice(acl, expect, graphs):
    """A stream that is being captured is not captured again."""
    stream = graphs.begin()
    expect.refused(acl.aclmdlRICaptureBegin(stream=stream, mode=RELAXED))


@covers("ri_capture_begin.foreign_context")
def test_foreign_stream(acl, expect, graphs, desk):
    """A stream of another context is refused."""
    stream = graphs.stream()
    with desk.other_context():
        expect.refused(acl.aclmdlRICaptureBegin(stream=stream, mode=RELAXED))


@covers("ri_capture_begin.stream_bound_to_model")
def test_bound_stream(acl, expect, graphs):
    """A stream of an instance that is being built is refused."""
    expect.refused(acl.aclmdlRICaptureBegin(stream=graphs.building().stream, mode=RELAXED))


@covers("ri_capture_begin.destroyed_stream")
@isolated("a library may follow the handle of a stream that is gone")
def test_destroyed_stream(acl, expect, graphs):
    """A stream that is gone is refused."""
    expect.refused(acl.aclmdlRICaptureBegin(stream=graphs.destroyed_stream(), mode=RELAXED))


@covers("ri_capture_begin.unsupported_stream_kind")
@pytest.mark.parametrize("kind", UNFIT)
def test_kind_of_stream(acl, expect, graphs, kind):
    """A stream that the device uses alone, or that a CPU schedules, is refused."""
    expect.refused(acl.aclmdlRICaptureBegin(stream=graphs.persistent_stream(kind), mode=RELAXED))


@covers("ri_capture_begin.tasks_deferred", uses=("aclmdlRICaptureEnd", "aclmdlRIExecuteAsync"))
def test_tasks_wait(acl, expect, graphs):
    """What is captured runs when the instance is executed, and not before: a copy, and every fill, copy of
    rows and batch that is taken.
    """
    (instance, copy), others = graphs.record(RELAXED), graphs.record_others()
    graphs.call("aclrtSynchronizeDevice")
    expect.unchanged(copy.target, *(other.target for other in others))
    graphs.run_each([instance, *(other.instance for other in others)])
    expect.data(copy.target, copy.source.read())
    expect.true("the tasks that did not run", graphs.undone(others), [])


@covers("ri_capture_begin.earlier_tasks_not_captured", uses=("aclmdlRICaptureEnd", "aclmdlRIExecuteAsync"))
def test_earlier_task(acl, expect, graphs):
    """A copy that was put on the stream before does not run again."""
    stream = graphs.stream()
    earlier = graphs.copy(stream)
    graphs.wait(stream)
    graphs.begin(stream)
    later = graphs.copy(stream, source=earlier.target)
    instance = graphs.end(stream)
    earlier.target.fill(0x3C)
    graphs.run(instance)
    expect.data(earlier.target, 0x3C)
    expect.data(later.target, 0x3C)


@covers("ri_capture_begin.two_streams_two_threads", uses=("aclmdlRICaptureEnd", "aclmdlRIExecuteAsync"))
@pytest.mark.parametrize("mode", [RELAXED, THREAD_LOCAL], ids=["relaxed", "thread_local"])
def test_two_threads(acl, expect, graphs, mode):
    """Two threads capture a stream each at the same time, and both instances work."""
    made = together(acl, [lambda: graphs.record(mode)] * 2)
    graphs.run_each(instance for instance, _ in made)
    expect.data(made[0][1].target, made[0][1].source.read())
    expect.data(made[1][1].target, made[1][1].source.read())


@covers("ri_capture_begin.two_streams_two_threads", uses=("aclrtSynchronizeStream", "aclmdlRICaptureEnd"))
@pytest.mark.parametrize("mode", [RELAXED, THREAD_LOCAL], ids=["relaxed", "thread_local"])
def test_other_thread_waits(acl, expect, graphs, mode):
    """A thread that waits for a stream of its own leaves the capture of another thread as it is."""
    blocks, other = graphs.blocks(), graphs.stream()
    stream = graphs.begin(mode=mode)
    elsewhere(acl, lambda: graphs.wait(other))
    graphs.copy(stream, blocks.source, blocks.target)
    ended = expect.success(acl.aclmdlRICaptureEnd(stream=stream))
    graphs.run(graphs.keep(ended.modelRI))
    expect.data(blocks.target, blocks.source.read())


@covers("ri_capture_begin.during_malloc_allowed", uses=("aclrtMalloc", "aclrtFree"))
@pytest.mark.parametrize("mode", [GLOBAL, THREAD_LOCAL, RELAXED], ids=["global", "thread_local", "relaxed"])
def test_allocation(acl, expect, graphs, mode):
    """Device memory can be allocated and freed while a stream is being captured."""
    graphs.begin(mode=mode)
    made = expect.success(acl.aclrtMalloc(size=BYTES, policy="ACL_MEM_MALLOC_HUGE_FIRST"))
    expect.success(acl.aclrtFree(devPtr=made.devPtr))


@covers("ri_capture_begin.during_other_stream_unaffected", uses=("aclrtMemcpyAsync",))
def test_other_stream(expect, graphs):
    """A copy on another stream runs while one is being captured."""
    graphs.begin()
    other = graphs.stream()
    copy = graphs.copy(other)
    graphs.wait(other)
    graphs.end_all()
    expect.data(copy.target, copy.source.read())


@covers(
    "ri_capture_begin.external_event_record_and_wait",
    uses=("aclrtRecordEventWithFlag", "aclrtStreamWaitEventWithFlag"),
)
def test_external_event_twice(acl, expect, graphs):
    """An event from outside that a capture records cannot be waited for in it."""
    stream, event = graphs.begin(), graphs.event()
    expect.success(acl.aclrtRecordEventWithFlag(event=event, stream=stream, flag=EXTERNAL))
    given = {"stream": stream, "event": event, "timeout": 0, "flag": EXTERNAL}
    expect.refused(acl.aclrtStreamWaitEventWithFlag(**given))


@covers("ri_capture_begin.external_event_outside_capture", uses=("aclrtRecordEventWithFlag",))
def test_external_record_outside(acl, expect, graphs, stream):
    """An event from outside is recorded in captures only."""
    result = acl.aclrtRecordEventWithFlag(event=graphs.event(), stream=stream, flag=EXTERNAL)
    expect.refused(result)


@covers("ri_capture_begin.external_event_outside_capture", uses=("aclrtStreamWaitEventWithFlag",))
def test_external_wait_outside(acl, expect, graphs, stream):
    """An event from outside is waited for in captures only."""
    given = {"stream": stream, "event": graphs.event(), "timeout": 0, "flag": EXTERNAL}
    expect.refused(acl.aclrtStreamWaitEventWithFlag(**given))


@covers("ri_capture_begin.during_finalize_device", uses=("aclrtResetDevice",))
@isolated("the device may be reset")
def test_reset(acl, expect, graphs):
    """The device is not reset while one of its streams is being captured."""
    graphs.begin()
    expect.refused(acl.aclrtResetDevice(deviceId=0))


@covers("ri_capture_begin.during_bind_model")
def test_bind(acl, expect, graphs):
    """A stream that is being captured cannot be bound to an instance."""
    building, stream = graphs.building(), graphs.persistent_stream()
    graphs.begin(stream)
    expect.refused(acl.aclmdlRIBindStream(modelRI=building.instance, stream=stream, flag=0))


@covers("ri_capture_begin.during_default_stream_wait", uses=("aclrtStreamWaitEvent",))
def test_default_stream_waits(acl, expect, graphs):
    """The default stream cannot wait for an event of a capture, by whichever name."""
    event, other = graphs.recorded(graphs.begin()), graphs.recorded(graphs.begin())
    expect.refused(acl.aclrtStreamWaitEvent(stream=None, event=event))
    expect.refused(acl.aclrtStreamWaitEvent(stream=graphs.default_stream(), event=other))


@covers("ri_capture_begin.during_plain_event", uses=("aclrtRecordEvent",))
def test_plain_event(acl, expect, graphs, event):
    """An event of the plain kind cannot be recorded in a capture."""
    expect.refused(acl.aclrtRecordEvent(event=event, stream=graphs.begin()))


@covers("ri_capture_begin.during_ipc_event", uses=("aclrtRecordEvent",))
def test_event_for_others(acl, expect, graphs, desk):
    """An event for other processes cannot be recorded in a capture."""
    event = desk.event_ex(IPC)
    expect.refused(acl.aclrtRecordEvent(event=event, stream=graphs.begin()))


@covers("ri_capture_begin.during_wait_uncaptured_event", uses=("aclrtStreamWaitEvent",))
def test_event_from_outside(acl, expect, graphs):
    """A capture cannot wait for an event that was recorded outside of it, be it on its own stream."""
    outside, own = graphs.stream(), graphs.stream()
    event, earlier = graphs.recorded(outside), graphs.recorded(own)
    expect.refused(acl.aclrtStreamWaitEvent(stream=graphs.begin(), event=event))
    expect.refused(acl.aclrtStreamWaitEvent(stream=graphs.begin(own), event=earlier))


@covers("ri_capture_begin.during_event_of_other_capture", uses=("aclrtStreamWaitEvent",))
def test_event_of_another_capture(acl, expect, graphs):
    """A capture cannot wait for an event of another one, and neither of them ends well after that."""
    one, other = graphs.begin(), graphs.begin()
    expect.refused(acl.aclrtStreamWaitEvent(stream=other, event=graphs.recorded(one)))
    expect.refused(acl.aclmdlRICaptureEnd(stream=other))
    expect.refused(acl.aclmdlRICaptureEnd(stream=one))
