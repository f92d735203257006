"""aclrtCmoAsyncWithBarrier and aclrtCmoWaitBarrier: cache operations that a model waits for by number."""

from __future__ import annotations

import pytest

from harness.plugin import covers


@covers("cmo_async_with_barrier.ok")
@pytest.mark.parametrize("barrier", [1, 7, 2**16 - 1])
def test_drop(caches, bound, barrier):
    """On a stream bound to a model the operation is accepted, and the model runs."""
    results = [caches.drop(bound, caches.block(), barrier)]
    target = caches.copy_behind(bound)
    caches.expect_run(results, bound, target)


@covers("cmo_wait_barrier.ok", uses=["aclrtCmoAsyncWithBarrier"])
def test_wait(caches, bound):
    """The stream waits for the one operation, and the model runs to its end."""
    dropped = caches.drop(bound, caches.block(), 1)
    results = [dropped, caches.wait(bound, 1)]
    target = caches.copy_behind(bound)
    caches.expect_run(results, bound, target)


@covers("cmo_wait_barrier.ok", uses=["aclrtCmoAsyncWithBarrier"])
def test_wait_for_several(caches, bound):
    """The stream waits for six operations at once, named in another order, and the model runs to its end."""
    dropped = caches.drop_each(bound, {barrier: caches.block() for barrier in range(1, 7)})
    results = [*dropped, caches.wait(bound, 4, 2, 6, 1, 5, 3)]
    target = caches.copy_behind(bound)
    caches.expect_run(results, bound, target)
