"""The suites of streams and of graphs: comparisons of switches, events that are apart, what kernels write."""

from __future__ import annotations

import operator
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from suites.graph.kernels import all_of
from suites.runtime.event.waits import Waits
from suites.runtime.stream.switches import FAILS, HOLDS, Comparison

HELD_S = 0.03
COMPARE = {
    "EQUAL": operator.eq,
    "NOT_EQUAL": operator.ne,
    "GREATER": operator.gt,
    "GREATER_OR_EQUAL": operator.ge,
    "LESS": operator.lt,
    "LESS_OR_EQUAL": operator.le,
}


def _seen(number: int, bits: int) -> int:
    """The number that the first so many bits of 8 bytes are."""
    data = number.to_bytes(8, "little", signed=True)
    return int.from_bytes(data[: bits // 8], "little", signed=True)


def _holds(comparison: Comparison) -> bool:
    left, right = (_seen(number, comparison.bits) for number in (comparison.left, comparison.right))
    return bool(COMPARE[comparison.condition](left, right))


@pytest.mark.parametrize("comparison", HOLDS, ids=str)
def test_a_condition_that_holds(comparison: Comparison) -> None:
    assert _holds(comparison)


@pytest.mark.parametrize("comparison", FAILS, ids=str)
def test_a_condition_that_does_not(comparison: Comparison) -> None:
    assert not _holds(comparison)


@pytest.mark.parametrize("bits", [32, 64])
def test_every_condition_is_tried_both_ways(bits: int) -> None:
    for comparisons in (HOLDS, FAILS):
        assert {each.condition for each in comparisons if each.bits == bits} == set(COMPARE)


def test_two_events_are_as_far_apart_as_the_hold() -> None:
    done: list[tuple[str, int, float]] = []
    desk = SimpleNamespace(
        done=lambda event, stream: done.append(("done", event, time.monotonic())),
        record=lambda event, stream: None,
        sync=lambda stream: done.append(("over", stream, time.monotonic())),
    )

    @contextmanager
    def blocked(stream: int | None) -> Iterator[Any]:
        yield SimpleNamespace(release=lambda: None)

    numbers = iter((1, 2))
    case: Any = SimpleNamespace(resources=SimpleNamespace(event=lambda: next(numbers)))
    waits = Waits(None, case, desk, None, blocked)  # type: ignore[arg-type]

    start, end, least, most = waits.apart(7)

    assert (start, end) == (1, 2)
    assert [what for what, *_ in done] == ["done", "done", "over"]
    assert 0.9 * HELD_S <= least <= done[2][2] - done[1][2] <= most


def test_each_block_is_full_of_its_number() -> None:
    assert all_of([1, 2]) == [[1] * 4, [2] * 4]
