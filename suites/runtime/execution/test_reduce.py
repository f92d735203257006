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


@covers("reduce_async.min_max")
@pytest.mark.parametrize(("kind", "left"), [("MAX", [3, 5]), ("MIN", [1, 2])], ids=["max", "min"])
def test_extreme(reductions, expect, kind, left):
    """The larger, or the smaller, number of each pair stays."""
    target, source = reductions.array([1, 5]), reductions.array([3, 2])
    result = reductions.queue(target, source, kind)
    reductions.wait()
    expect.data_or_refused(result, target, reductions.bytes_of(left))


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
