"""aclrtReduceAsync: an array is reduced into another one."""

from __future__ import annotations

import pytest

from harness.plugin import covers


@covers("reduce_async.sum")
def test_sum(reductions, expect):
    """Every number is added, and what is added stays as it is."""
    target, source = reductions.array([1, 2, 3, 4]), reductions.array([1, 2, 3, 4])
    expect.success(reductions.queue(target, source))
    reductions.wait()
    reductions.expect_holds(target, [2, 4, 6, 8])
    expect.unchanged(source)


@covers("reduce_async.sum")
@pytest.mark.parametrize("count", [(1 << 18) + 1, (1 << 20) + 3])
def test_large_sum(reductions, expect, count):
    """Every one of many numbers is added."""
    target, source = reductions.numbered(count), reductions.numbered(count)
    expect.success(reductions.queue(target, source))
    reductions.wait()
    reductions.expect_doubled(target)


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


@covers("reduce_async.ordered")
def test_ordered(reductions):
    """A thousand sums of one number on one stream all count."""
    target, source = reductions.array([5]), reductions.array([1])
    reductions.queue_many(target, source, 1000)
    reductions.wait()
    reductions.expect_holds(target, [1005])


@covers("reduce_async.source_unchanged")
def test_source(reductions, expect):
    """What is added stays as it is."""
    target, source = reductions.array([1, 2, 3, 4]), reductions.array([5, 6, 7, 8])
    expect.success(reductions.queue(target, source))
    reductions.wait()
    expect.unchanged(source)


@covers("reduce_async.neighbours_untouched")
def test_neighbours(reductions, expect):
    """Numbers before and behind the range stay as they are."""
    target, source = reductions.array([1] * 8), reductions.array([1] * 4)
    expect.success(reductions.queue(target, source, offset=8))
    reductions.wait()
    reductions.expect_holds(target, [1, 1, 2, 2, 2, 2, 1, 1])


@covers("reduce_async.task_order_with_copies")
def test_between_copies(reductions, expect):
    """A copy before the sum and one behind it come before and behind it."""
    first, total, last = reductions.array([1, 2]), reductions.array([0, 0]), reductions.array([0, 0])
    reductions.copy(total, first)
    result = reductions.queue(total, first)
    reductions.copy(last, total)
    expect.success(result)
    reductions.wait()
    reductions.expect_holds(last, [2, 4])


@covers("reduce_async.captured")
def test_captured(reductions):
    """A captured sum counts with each execution, and not before."""
    target, source = reductions.array([0]), reductions.array([1])
    model = reductions.recorded(target, source)
    reductions.expect_holds(target, [0])
    reductions.replay(model, 10)
    reductions.expect_holds(target, [10])


@covers("reduce_async.min_max")
@pytest.mark.parametrize("name", ["ACL_FLOAT", "ACL_FLOAT16", "ACL_INT8", "ACL_INT16", "ACL_INT32"])
@pytest.mark.parametrize(("kind", "left"), [("MAX", [3, 5]), ("MIN", [-1, 2])], ids=["max", "min"])
def test_extreme(reductions, expect, kind, left, name):
    """The larger, or the smaller, number of each pair stays."""
    target, source = reductions.array([-1, 5], name), reductions.array([3, 2], name)
    result = reductions.queue(target, source, kind, name)
    reductions.wait()
    expect.data_or_refused(result, target, reductions.bytes_of(left, name))


@covers("reduce_async.types_950")
@pytest.mark.parametrize(
    "name", ["ACL_INT8", "ACL_INT16", "ACL_INT32", "ACL_UINT32", "ACL_FLOAT16", "ACL_FLOAT", "ACL_BF16"]
)
def test_types_950(reductions, name):
    """Numbers of each type that the product sums up."""
    reductions.expect_sum(name)


@covers("reduce_async.types_a3")
@pytest.mark.parametrize(
    "name", ["ACL_INT8", "ACL_INT16", "ACL_INT32", "ACL_FLOAT16", "ACL_FLOAT", "ACL_BF16"]
)
def test_types_a3(reductions, name):
    """Numbers of each type that the product sums up."""
    reductions.expect_sum(name)


@covers("reduce_async.types_310b")
@pytest.mark.parametrize("name", ["ACL_INT8", "ACL_INT16", "ACL_INT32", "ACL_FLOAT16", "ACL_FLOAT"])
def test_types_310b(reductions, name):
    """Numbers of each type that the product sums up."""
    reductions.expect_sum(name)


@covers("reduce_async.types_310p")
@pytest.mark.parametrize("name", ["ACL_FLOAT", "ACL_FLOAT16", "ACL_INT16"])
def test_types_310p(reductions, name):
    """Numbers of each type that the product sums up."""
    reductions.expect_sum(name)


@covers("reduce_async.types_910")
@pytest.mark.parametrize("name", ["ACL_FLOAT"])
def test_types_910(reductions, name):
    """Numbers of each type that the product sums up."""
    reductions.expect_sum(name)
