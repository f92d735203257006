"""aclrtDestroyStream, aclrtDestroyStreamForce and aclrtStreamAbort: the end of a stream and of its work."""

from __future__ import annotations

from harness.plugin import covers, isolated


@covers("destroy_stream.waits")
def test_waits(acl, desk, case, memory, stream, other_stream, event, blocked_stream, expect):
    """The work of a stream is done before it is destroyed, also work that waits for another stream."""
    word = memory.device(64).fill(0)
    with blocked_stream(other_stream) as hold:
        desk.record(event, other_stream)
        desk.must("aclrtStreamWaitEvent", stream=stream, event=event)
        desk.fill(word, 1, stream)
        desk.soon(hold.release)
        expect.success(acl.aclrtDestroyStream(stream=stream))
    case.resources.forget(stream)
    expect.data(word, 1)


@covers("destroy_stream.sync_first")
def test_unfinished(acl, desk, case, memory, stream, expect):
    """What destroying a stream with work gives is recorded; the work does no harm."""
    word = memory.device(64).fill(0)
    desk.fill(word, 1, stream)
    result = acl.aclrtDestroyStream(stream=stream)
    case.resources.forget(stream)
    expect.observed(result)


@covers("destroy_stream.returns_resource")
def test_given_back(acl, desk, case, expect):
    """A stream that is destroyed can be had again."""
    before = desk.streams_left()
    stream = case.resources.stream()
    expect.success(acl.aclrtDestroyStream(stream=stream))
    case.resources.forget(stream)
    expect.true("streams left", desk.streams_left(), before)


@covers("destroy_stream.twice")
@isolated("a stream that is gone may be freed memory to the library")
def test_twice(acl, case, stream, expect):
    """What destroying a stream again gives is recorded."""
    expect.success(acl.aclrtDestroyStream(stream=stream))
    case.resources.forget(stream)
    expect.observed(acl.aclrtDestroyStream(stream=stream))


@covers("destroy_stream.model_bound")
def test_bound(acl, model, expect):
    """A stream of a model cannot be destroyed before it has left the model."""
    stream = model.stream()
    expect.refused(model.forget(stream, acl.aclrtDestroyStream(stream=stream)))
    model.unbind(stream)
    expect.success(model.forget(stream, acl.aclrtDestroyStream(stream=stream)))


@covers("destroy_stream.capturing")
def test_captured(desk, stream, expect):
    """A stream that is being captured cannot be destroyed."""
    result = desk.captured("aclrtDestroyStream", stream, stream=stream)
    expect.refused(result)


@covers("destroy_stream_force.no_wait")
def test_force(acl, desk, case, stream, expect):
    """Work that never ends does not keep a stream from being destroyed."""
    desk.must("aclrtWaitAndResetNotify", notify=desk.notify(), stream=stream, timeout=0)
    result, seconds = desk.timed("aclrtDestroyStreamForce", stream=stream)
    case.resources.forget(stream)
    expect.success(result)
    expect.within("seconds it took", seconds, 0, 5)


@covers("destroy_stream_force.foreign_context")
def test_force_elsewhere(acl, desk, stream, expect):
    """A stream of another context is refused."""
    with desk.other_context():
        result = acl.aclrtDestroyStreamForce(stream=stream)
    expect.refused(result)


@covers("stream_abort.drops_tasks")
def test_abort(acl, desk, memory, stream, other_stream, expect):
    """The work that waits on a stream is dropped."""
    word, notify = memory.device(64).fill(0), desk.notify()
    desk.must("aclrtWaitAndResetNotify", notify=notify, stream=stream, timeout=0)
    desk.fill(word, 1, stream)
    result = acl.aclrtStreamAbort(stream=stream)
    expect.success(result)
    desk.must("aclrtRecordNotify", notify=notify, stream=other_stream)
    desk.sync(other_stream)
    expect.unchanged(word, where="after the abort")


@covers("stream_abort.drops_tasks", uses=["aclrtMemsetAsync"])
def test_others_go_on(acl, desk, memory, stream, other_stream, blocked_stream, expect):
    """The work of another stream is done, though it waits when the first one is aborted."""
    word = memory.device(64).fill(0)
    with blocked_stream(other_stream) as hold:
        desk.fill(word, 1, other_stream)
        expect.success(acl.aclrtStreamAbort(stream=stream))
        hold.release()
    desk.sync(other_stream)
    expect.data(word, 1)


@covers("stream_abort.usable_after")
def test_usable(acl, desk, stream, expect):
    """A stream takes new work after it was aborted."""
    desk.must("aclrtWaitAndResetNotify", notify=desk.notify(), stream=stream, timeout=0)
    expect.success(acl.aclrtStreamAbort(stream=stream))
    expect.true("work is done", desk.works(stream))


@covers("stream_abort.dependents_hang")
def test_dependents(acl, desk, stream, other_stream, event, expect):
    """Whether a stream that waits for an event of an aborted one goes on is recorded; aborting it helps."""
    desk.must("aclrtWaitAndResetNotify", notify=desk.notify(), stream=stream, timeout=0)
    desk.record(event, stream)
    desk.must("aclrtStreamWaitEvent", stream=other_stream, event=event)
    expect.success(acl.aclrtStreamAbort(stream=stream))
    goes_on = desk.through(other_stream) if not desk.held(other_stream) else False
    expect.success(acl.aclrtStreamAbort(stream=other_stream))
    both = desk.through(stream, other_stream)
    codes = desk.forget_failures(stream, other_stream)
    expect.observed(f"the waiting stream goes on: {goes_on}; idle in the end: {both}, with {codes}")


@covers("stream_abort.foreign_context")
def test_abort_elsewhere(acl, desk, stream, expect):
    """A stream of another context is refused."""
    with desk.other_context():
        result = acl.aclrtStreamAbort(stream=stream)
    expect.refused(result)


@covers("stream_abort.model_bound")
def test_abort_bound(acl, model, expect):
    """What aborting a stream of a model gives is recorded."""
    result = acl.aclrtStreamAbort(stream=model.stream())
    expect.observed(result)


@covers("stream_abort.persistent_950")
def test_abort_persistent(acl, desk, expect):
    """What aborting a persistent stream gives is recorded."""
    result = acl.aclrtStreamAbort(stream=desk.stream("ACL_STREAM_PERSISTENT"))
    expect.observed(result)


@covers("stream_stop.model_bound")
def test_stop_bound(acl, model, expect):
    """What stopping a stream of a model gives is recorded."""
    result = acl.aclrtStreamStop(stream=model.stream())
    expect.observed(result)
