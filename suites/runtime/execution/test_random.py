"""aclrtRandomNumAsync: the device makes random numbers."""

from __future__ import annotations

from harness.plugin import covers
from suites.runtime.execution.randoms import DEVIATION, MEAN, NORMAL, UNIFORM


@covers("random_num_async.uniform_range")
def test_uniform(randoms, expect):
    """A thousand uniform numbers lie between 0 and 1, and are not all the same."""
    target = randoms.target(1000)
    expect.success(randoms.make(randoms.task(target, UNIFORM, 0, 1)))
    randoms.expect_between(target, 0, 1)
    randoms.expect_varied(target)
    randoms.expect_mean(target, 0.5)


@covers("random_num_async.normal_moments")
def test_normal(randoms, expect):
    """A hundred thousand normal numbers have about the asked mean and deviation."""
    target = randoms.target(100_000)
    expect.success(randoms.make(randoms.task(target, NORMAL, MEAN, DEVIATION)))
    randoms.expect_moments(target)


@covers("random_num_async.same_seed")
def test_same_seed(randoms, expect):
    """The same seed and counter give the same numbers."""
    first = randoms.drawn(100, seed=1)
    expect.true("the numbers are the same", randoms.drawn(100, seed=1) == first, True)


@covers("random_num_async.seed_differs")
def test_other_seed(randoms, expect):
    """Another seed gives other numbers."""
    first = randoms.drawn(100, seed=1)
    expect.true("the numbers are the same", randoms.drawn(100, seed=2) == first, False)


@covers("random_num_async.writes_only_count")
def test_count(randoms, expect):
    """Only the asked number of elements is written; the block's guard bytes tell of any other."""
    target = randoms.target(33)
    expect.success(randoms.make(randoms.task(target)))
    randoms.expect_varied(target)
    target.check_guards()


@covers("random_num_async.counter_sixteen_bytes")
def test_counter(randoms, expect):
    """Only 16 bytes of the counter are written; the block's guard bytes tell of any other."""
    counter = randoms.counter()
    expect.success(randoms.make(randoms.counted_task(randoms.target(100), counter)))
    counter.check_guards()


@covers("random_num_async.info_unchanged")
def test_description(randoms, expect):
    """The description is as before."""
    task = randoms.task(randoms.target(100))
    expect.success(randoms.make(task))
    expect.unchanged(task)
