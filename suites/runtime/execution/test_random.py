"""aclrtRandomNumAsync: random numbers in device memory."""

from __future__ import annotations

from harness.plugin import covers
from suites.runtime.execution.randoms import varied


@covers("random_num_async.uniform_range")
def test_range(randoms, expect):
    """Uniform numbers lie between their bounds, and are not all the same."""
    numbers = randoms.made()
    expect.within("the lowest number", float(numbers.min()), 0, 1)
    expect.within("the largest number", float(numbers.max()), 0, 1)
    expect.true("different numbers", varied(numbers))


@covers("random_num_async.same_seed")
def test_again(randoms, expect):
    """The same seed and the same counter give the same numbers."""
    first, second = randoms.made(), randoms.made()
    expect.data(second, first, "the second numbers")


@covers("random_num_async.info_unchanged")
def test_description(randoms, expect):
    """What was asked for is left as it was."""
    task = randoms.task()
    randoms.made(task)
    expect.unchanged(task, where="after the call")
