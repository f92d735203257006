"""Comparing two measurements: every outcome, on samples whose truth is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from harness.benchmark.compare import (
    EXIT_STATUS,
    Outcome,
    compare,
    compare_runs,
    confirmed,
    counts,
    exit_status,
)
from harness.results import BenchmarkRecord

Make = Callable[..., BenchmarkRecord]


def noisy(seed: int, number: int = 60, spread: float = 0.02) -> np.ndarray:
    return 1e-3 * np.random.default_rng(seed).lognormal(0, spread, number)


@pytest.mark.parametrize(("spread", "number"), [(0.01, 20), (0.02, 30), (0.03, 40)])
def test_a_planted_slowdown_is_found_and_nothing_is_found_where_nothing_is(
    record: Make, spread: float, number: int
) -> None:
    slower, same = Counter[Outcome](), Counter[Outcome]()
    for seed in range(100):
        old, new = noisy(seed, number, spread), noisy(seed + 5000, number, spread)
        slower[compare(record(old), record(1.05 * new)).outcome] += 1
        same[compare(record(old), record(new)).outcome] += 1
    print(f"noise {spread:.0%}, {number} samples; 5 % slower: {dict(slower)}; unchanged: {dict(same)}")
    assert slower[Outcome.SLOWER] >= 95
    assert same[Outcome.SLOWER] + same[Outcome.FASTER] <= 2


def test_a_speed_up_is_faster(record: Make) -> None:
    found = compare(record(noisy(1)), record(0.95 * noisy(2)))
    assert found.outcome is Outcome.FASTER
    assert found.ratio is not None
    assert found.ratio.low < 0.95 < found.ratio.high < 1


def test_too_few_samples_for_their_noise_are_ambiguous(record: Make) -> None:
    found = compare(record(noisy(1, 12, 0.2)), record(noisy(2, 12, 0.2)))
    assert found.outcome is Outcome.AMBIGUOUS
    assert "too uncertain" in found.reason


DRIFTING = np.linspace(1, 1.1, 60)
THROTTLED = np.where(np.arange(60) < 30, 1.0, 1.2)
BIMODAL = np.where(np.random.default_rng(5).random(60) < 0.4, 1.0, 1.2)


@pytest.mark.parametrize(
    ("shape", "why"), [(DRIFTING, "drift"), (THROTTLED, "throttled"), (BIMODAL, "two-modes")]
)
def test_a_stream_that_one_median_cannot_stand_for_is_ambiguous(
    record: Make, shape: np.ndarray, why: str
) -> None:
    steady, odd = record(noisy(1, 60, 0.01)), record(noisy(2, 60, 0.01) * shape)
    for old, new, side in ((steady, odd, "new"), (odd, steady, "old")):
        found = compare(old, new)
        assert (found.outcome, found.reason) == (Outcome.AMBIGUOUS, f"{side}: {why}")


@pytest.mark.parametrize(
    ("samples", "why"),
    [
        ([], "empty"),
        ([float("nan")] * 20, "not-a-number"),
        ([1e-3] * 19 + [float("nan")], "not-a-number"),
        ([0.0] * 20, "not-positive"),
        ([1e-3] * 9, "only 9 samples"),
    ],
)
def test_no_data_never_passes_as_same(record: Make, samples: list[float], why: str) -> None:
    bad, good = record(samples), record(noisy(1))
    for old, new, side in ((good, bad, "new"), (bad, good, "old"), (bad, bad, "old")):
        found = compare(old, new)
        assert (found.outcome, found.reason) == (Outcome.NO_DATA, f"{side}: {why}")


def test_missing_and_wrong_data_are_no_data(record: Make) -> None:
    good = record(noisy(1))
    assert compare(good, None).reason == "new: missing"
    assert compare(None, good).reason == "old: missing"
    assert compare(good, record(noisy(1), mismatches=2)).reason == "new: wrong data in 2 samples"
    assert compare(good, record([], reason="aclrtMallocHost is not there")).outcome is Outcome.NO_DATA
    assert compare(good, record(noisy(1), clock="virtual")).reason == "clocks differ: host and virtual"


def test_other_conditions_are_ambiguous(record: Make) -> None:
    good = record(noisy(1))
    assert compare(good, record(noisy(1), environment="other")).reason == "measured in different environments"
    assert compare(good, record(noisy(1), flags=["shared"])).reason == "new: shared"


def test_a_rerun_has_to_confirm(record: Make) -> None:
    old, slow, fine = record(noisy(1)), record(1.06 * noisy(2)), record(noisy(3))
    assert confirmed(old, slow, record(1.06 * noisy(4))).outcome is Outcome.SLOWER
    unsure = confirmed(old, slow, fine)
    assert unsure.outcome is Outcome.AMBIGUOUS
    assert "the rerun says SAME" in unsure.reason
    assert confirmed(old, fine, None).outcome is Outcome.SAME


def test_runs_are_compared_by_id_and_the_status_tells_the_worst(record: Make) -> None:
    def made(number: int, factor: float = 1.0) -> BenchmarkRecord:
        return record(factor * noisy(number), id=f"910b-EP/x/{number}")

    same = compare_runs([made(1), made(2)], [made(2), made(1)])
    assert [each.id for each in same] == ["910b-EP/x/1", "910b-EP/x/2"]
    assert exit_status(same) == 0
    worse = compare_runs([made(1), made(2), made(3)], [made(1, 1.1), made(2, 0.9)])
    assert [each.outcome for each in worse] == [Outcome.SLOWER, Outcome.FASTER, Outcome.NO_DATA]
    assert exit_status(worse) == 1
    assert exit_status(worse[1:]) == 5
    assert exit_status(worse[1:2]) == 6
    assert exit_status([]) == 5
    assert counts(worse)["AMBIGUOUS"] == 0
    assert len(set(EXIT_STATUS.values())) == len(Outcome)
    assert not {2, 3} & set(EXIT_STATUS.values())


@pytest.mark.parametrize(
    ("old", "new", "outcomes"),
    [
        ("aclrtMallocHost is not there", "aclrtMallocHost is not there", []),
        ("there is no second device", "there is no second device", []),
        ("needs 900 bytes of memory, there are 30", "needs 900 bytes of memory, there are 29", []),
        ("the process died: killed by SIGSEGV", "the process died: killed by SIGSEGV", [Outcome.NO_DATA]),
        ("sample 3: aclrtMemcpy returned 500000 (timed)", "there is no second device", [Outcome.NO_DATA]),
        ("there is no second device", "", [Outcome.NO_DATA]),
    ],
)
def test_what_neither_run_could_have_is_no_part_of_the_comparison(
    record: Make, old: str, new: str, outcomes: list[Outcome]
) -> None:
    pair = (record([], reason=old), record([], reason=new) if new else record(noisy(1)))
    assert [each.outcome for each in compare_runs(*[[side] for side in pair])] == outcomes
