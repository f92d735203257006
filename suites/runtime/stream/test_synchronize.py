"""aclrtSynchronizeStream, its form with a bound, and aclrtStreamQuery: is the work of a stream done?"""

from __future__ import annotations

import pytest

from harness.plugin import covers

TIMED = "aclrtSynchronizeStreamWithTimeout"
LONGEST_MS = (1 << 31) - 1


@covers("synchronize_stream.all_done")
def test_all_done(acl, desk, memory, stream, blocked_stream, expect):
    """All work that was given before is done at return."""
    word = memory.device(64).fill(0)
    with blocked_stream(stream) as hold:
        desk.fill(word, 1, stream)
        desk.soon(hold.release)
        expect.success(acl.aclrtSynchronizeStream(stream=stream))
    expect.data(word, 1)


@covers("synchronize_stream.all_done")
def test_last_task(acl, desk, memory, stream, blocked_stream, expect):
    """The last task is waited for like those before it."""
    desk.fill(memory.device(64), 1, stream)
    with blocked_stream(stream) as last:
        desk.soon(last.release)
        expect.success(acl.aclrtSynchronizeStream(stream=stream))
        expect.true("the stream is complete", desk.complete(stream))


@covers("synchronize_stream.null_default")
def test_default_stream(acl, desk, memory, blocked_stream, expect):
    """NULL waits for the default stream."""
    word = memory.device(64).fill(0)
    with blocked_stream(None) as hold:
        desk.fill(word, 1, None)
        desk.soon(hold.release)
        expect.success(acl.aclrtSynchronizeStream(stream=None))
    expect.data(word, 1)


@covers("synchronize_stream.null_default", uses=["aclrtCreateContext"])
def test_default_stream_of_context(acl, desk, memory, blocked_stream, expect):
    """NULL waits for the default stream of the context that is current, whichever that is."""
    word = memory.device(64).fill(0)
    with desk.other_context(), blocked_stream(None) as hold:
        desk.fill(word, 1, None)
        desk.soon(hold.release)
        waited = acl.aclrtSynchronizeStream(stream=None)
        filled = bool((word.read() == 1).all())
    expect.true("its work is done", (waited.ok, filled), (True, True))


@covers("synchronize_stream.all_done")
def test_second_device(acl, case, desk, second_device, expect):
    """All work is done at return on a second device too."""
    case.needs("aclrtCreateStream", "aclrtLaunchHostFunc")
    with desk.second(second_device):
        stream = desk.must("aclrtCreateStream").stream
        done = desk.sleeping(stream)
        waited = acl.aclrtSynchronizeStream(stream=stream)
        over = done.is_set()
        desk.must("aclrtDestroyStream", stream=stream)
    expect.true("the work is done", (waited.ok, over), (True, True))


@covers("synchronize_stream.only_this_stream")
def test_only_this(desk, stream, other_stream, blocked_stream, expect):
    """Another stream is not waited for."""
    with blocked_stream(other_stream):
        result, seconds = desk.timed("aclrtSynchronizeStream", stream=stream)
        expect.success(result)
        expect.within("seconds it took", seconds, 0, 1)
        expect.true("the other stream still has work", desk.held(other_stream))


@covers("synchronize_stream.no_implicit_sync")
def test_default_goes_on(desk, stream, blocked_stream, expect):
    """The default stream goes on while another one waits."""
    with blocked_stream(stream):
        expect.true("work of the default stream is done", desk.works(None))


@covers("synchronize_stream.special_streams")
def test_persistent(acl, desk, memory, expect):
    """Waiting for a persistent stream ends at once."""
    stream = desk.stream("ACL_STREAM_PERSISTENT")
    desk.fill(memory.device(64), 1, stream)
    result, seconds = desk.timed("aclrtSynchronizeStream", stream=stream)
    expect.success(result)
    expect.within("seconds it took", seconds, 0, 1)


@covers("synchronize_stream.idempotent")
def test_twice(acl, stream, expect):
    """An idle stream can be waited for again and again."""
    results = [acl.aclrtSynchronizeStream(stream=stream) for _ in range(2)]
    expect.true("answers", [result.code for result in results], [0, 0])


@covers("synchronize_stream.multi_thread")
def test_threads(acl, desk, memory, stream, blocked_stream, expect):
    """Four threads wait for the same stream."""
    word = memory.device(64).fill(0)
    with blocked_stream(stream) as hold:
        desk.fill(word, 1, stream)
        desk.soon(hold.release)
        results = desk.from_threads(4, "aclrtSynchronizeStream", stream=stream)
    expect.true("answers", [result.code for result in results], [0, 0, 0, 0])
    expect.data(word, 1)


@covers("synchronize_stream.fifo")
def test_order(acl, desk, memory, stream, expect):
    """The tasks of a stream run in the order they were given."""
    word = memory.device(64).fill(0)
    desk.fill_in_turn(word, range(1, 101), stream)
    expect.success(acl.aclrtSynchronizeStream(stream=stream))
    expect.data(word, 100)


@covers("synchronize_stream.capturing")
def test_captured(desk, stream, expect):
    """A stream that is being captured cannot be waited for."""
    result = desk.captured("aclrtSynchronizeStream", stream, stream=stream)
    expect.refused(result)


@covers("synchronize_stream.aborted")
def test_aborted(acl, desk, stream, expect):
    """A wait for a stream that is aborted meanwhile ends with the code for it."""
    desk.must("aclrtWaitAndResetNotify", notify=desk.notify(), stream=stream, timeout=0)
    desk.soon(lambda: desk.must("aclrtStreamAbort", stream=stream), seconds=0.3)
    result = acl.aclrtSynchronizeStream(stream=stream)
    expect.refused(result)


@covers("synchronize_stream_with_timeout.minus_one")
def test_for_ever(acl, desk, memory, stream, blocked_stream, expect):
    """-1 waits until the work is done."""
    word = memory.device(64).fill(0)
    with blocked_stream(stream) as hold:
        desk.fill(word, 1, stream)
        desk.soon(hold.release)
        expect.success(acl.call(TIMED, stream=stream, timeout=-1))
    expect.data(word, 1)


@covers("synchronize_stream_with_timeout.null_default")
def test_default_with_bound(acl, desk, memory, blocked_stream, expect):
    """NULL waits for the default stream."""
    word = memory.device(64).fill(0)
    with blocked_stream(None) as hold:
        desk.fill(word, 1, None)
        desk.soon(hold.release)
        expect.success(acl.call(TIMED, stream=None, timeout=20_000))
    expect.data(word, 1)


@covers("synchronize_stream_with_timeout.expiry")
def test_expiry(desk, stream, blocked_stream, expect):
    """A wait of 100 milliseconds for work that does not end is over soon, with an error."""
    with blocked_stream(stream):
        result, seconds = desk.timed(TIMED, stream=stream, timeout=100)
        expect.refused(result)
        expect.within("seconds it took", seconds, 0.09, 5)


@covers("synchronize_stream_with_timeout.in_time")
@pytest.mark.parametrize("timeout", [5000, LONGEST_MS], ids=["5s", "longest"])
def test_in_time(desk, stream, blocked_stream, expect, timeout):
    """Work that ends in time lets the wait succeed, however long that may last."""
    with blocked_stream(stream) as hold:
        desk.soon(hold.release)
        result, seconds = desk.timed(TIMED, stream=stream, timeout=timeout)
        expect.success(result)
        expect.within("seconds it took", seconds, 0, 5)


@covers("stream_query.complete")
def test_complete(acl, desk, stream, expect):
    """A stream is complete while it has no work, and again when that is done."""
    before = expect.success(acl.aclrtStreamQuery(stream=stream)).status
    desk.works(stream)
    after = expect.success(acl.aclrtStreamQuery(stream=stream)).status
    expect.true("what the stream tells", (before, after), (0, 0))


@covers("stream_query.not_ready")
def test_not_ready(acl, stream, blocked_stream, expect):
    """A stream with work is not ready."""
    with blocked_stream(stream):
        result = acl.aclrtStreamQuery(stream=stream)
        expect.true("what the stream tells", expect.success(result).status, 1)


@covers("stream_query.null_stream")
def test_default_not_ready(acl, blocked_stream, expect):
    """NULL stands for the default stream, which is not ready while it has work."""
    with blocked_stream(None):
        result = acl.aclrtStreamQuery(stream=None)
        expect.true("what the stream tells", expect.success(result).status, 1)


@covers("stream_query.null_stream", uses=["aclrtCreateContext"])
def test_default_of_context_not_ready(acl, desk, blocked_stream, expect):
    """NULL stands for the default stream of the context that is current, whichever that is."""
    with desk.other_context(), blocked_stream(None):
        result = acl.aclrtStreamQuery(stream=None)
    expect.true("what the stream tells", expect.success(result).status, 1)


@covers("stream_query.special_streams")
def test_query_persistent(acl, desk, memory, expect):
    """A persistent stream can be asked."""
    stream = desk.stream("ACL_STREAM_PERSISTENT")
    desk.fill(memory.device(64), 1, stream)
    result = acl.aclrtStreamQuery(stream=stream)
    expect.success(result)


@covers("stream_query.capturing")
def test_query_captured(desk, stream, expect):
    """A stream that is being captured cannot be asked."""
    result = desk.captured("aclrtStreamQuery", stream, stream=stream)
    expect.refused(result)
