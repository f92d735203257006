"""aclrtReduceAsync: an array is reduced into another one."""

from __future__ import annotations

from harness.plugin import covers


@covers("reduce_async.sum")
def test_sum(reductions, expect):
    """Every number is added, and what is added stays as it is."""
    target, source = reductions.array([1, 2, 3, 4]), reductions.array([1, 2, 3, 4])
    expect.success(reductions.queue(target, source))
    reductions.wait()
    reductions.expect_holds(target, [2, 4, 6, 8])
    expect.unchanged(source)


@covers("reduce_async.count_bytes")
def test_count(reductions, expect):
    """The count is in bytes: numbers behind it are left alone."""
    target, source = reductions.array([1, 1, 1, 1]), reductions.array([1, 1, 1, 1])
    expect.success(reductions.queue(target, source, count=8))
    reductions.wait()
    reductions.expect_holds(target, [2, 2, 1, 1])


@covers("reduce_async.asynchronous")
def test_asynchronous(reductions, expect, stream, blocked_stream):
    """The call comes back while the stream is held, and the sum is there when it was waited for."""
    target, source = reductions.array([1, 5]), reductions.array([3, 2])
    with blocked_stream(stream) as hold:
        result = reductions.queue(target, source)
        expect.success(result)
        expect.unchanged(target)
        hold.release()
    reductions.wait()
    reductions.expect_holds(target, [4, 7])
