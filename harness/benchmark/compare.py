"""Two measurements of the same thing: same, faster, slower, or why that cannot be said.

The decision, for each benchmark that either side has or could have had, in this order:

1. NO-DATA: one side is missing, has no samples, too few, a sample that is no positive number, or wrong data;
   or the two were taken by different clocks.
2. AMBIGUOUS: one side drifts, was throttled, has two modes, or ran on a shared device; or the environments
   differ.
3. SLOWER: the interval of the ratio of medians lies above 1, the ratio passes the threshold, and Mann and
   Whitney's test gives chance less than 0.5 %. FASTER likewise below 1. A rerun, where given, must say the
   same.
4. SAME: the interval lies within the threshold on both sides.
5. AMBIGUOUS: everything else; the interval is too wide to tell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from harness.benchmark.reasons import not_to_be_had
from harness.benchmark.statistics import LEAST_SAMPLES, doubts, mann_whitney, ratio_interval, usable
from harness.results import BenchmarkRecord, Interval

THRESHOLD = 0.02
"""A difference of medians that counts, as a share of the old one."""
_CHANCE = 0.005
_SHARED = "shared"


class Outcome(str, Enum):
    """What a comparison says of one benchmark; the order is the order of importance."""

    SLOWER = "SLOWER"
    NO_DATA = "NO-DATA"
    AMBIGUOUS = "AMBIGUOUS"
    FASTER = "FASTER"
    SAME = "SAME"

    def __str__(self) -> str:
        return self.value


EXIT_STATUS = {
    Outcome.SAME: 0,
    Outcome.SLOWER: 1,
    Outcome.AMBIGUOUS: 4,
    Outcome.NO_DATA: 5,
    Outcome.FASTER: 6,
}
"""What `aclcts bench compare` ends with: the status of the most important outcome there is."""


@dataclass(frozen=True)
class Comparison:
    """The outcome for one benchmark, why, and the new time over the old one where there is such a thing."""

    id: str
    outcome: Outcome
    reason: str
    ratio: Interval | None = None


def compare_runs(
    old: Iterable[BenchmarkRecord],
    new: Iterable[BenchmarkRecord],
    rerun: Iterable[BenchmarkRecord] | None = None,
    threshold: float = THRESHOLD,
) -> list[Comparison]:
    """Every benchmark of either side, in the order of the old side, then what only the new one has.

    What neither side could measure for want of the function, the device or the memory is left out.
    """
    before = {record.id: record for record in old}
    after = {record.id: record for record in new}
    again = {record.id: record for record in rerun} if rerun is not None else None
    return [
        confirmed(before.get(key), after.get(key), again.get(key), threshold)
        if again is not None
        else compare(before.get(key), after.get(key), threshold)
        for key in dict.fromkeys([*before, *after])
        if not (_beyond(before.get(key)) and _beyond(after.get(key)))
    ]


def _beyond(record: BenchmarkRecord | None) -> bool:
    return record is not None and record.samples is None and not_to_be_had(record.reason)


def confirmed(
    old: BenchmarkRecord | None,
    new: BenchmarkRecord | None,
    rerun: BenchmarkRecord | None,
    threshold: float = THRESHOLD,
) -> Comparison:
    """The comparison, where SLOWER and FASTER stand only if the rerun says the same."""
    first = compare(old, new, threshold)
    if first.outcome not in (Outcome.SLOWER, Outcome.FASTER):
        return first
    second = compare(old, rerun, threshold)
    if second.outcome is first.outcome:
        return Comparison(first.id, first.outcome, f"{first.reason}; a rerun confirms it", first.ratio)
    reason = f"{first.outcome}, but the rerun says {second.outcome} ({second.reason})"
    return Comparison(first.id, Outcome.AMBIGUOUS, reason, first.ratio)


def compare(
    old: BenchmarkRecord | None, new: BenchmarkRecord | None, threshold: float = THRESHOLD
) -> Comparison:
    """The outcome for one benchmark."""
    key = (old or new or _nothing()).id
    for side, record in (("old", old), ("new", new)):
        if why := _no_data(record):
            return Comparison(key, Outcome.NO_DATA, f"{side}: {why}")
    if old is None or new is None:
        raise AssertionError("records without data were answered above")
    if old.clock != new.clock:
        return Comparison(key, Outcome.NO_DATA, f"clocks differ: {old.clock} and {new.clock}")
    before, after = np.asarray(old.times), np.asarray(new.times)
    ratio = ratio_interval(before, after)
    for side, record, samples in (("old", old, before), ("new", new, after)):
        doubtful = dict.fromkeys([*doubts(samples), *(_SHARED for flag in record.flags if flag == _SHARED)])
        if doubtful:
            return Comparison(key, Outcome.AMBIGUOUS, f"{side}: {', '.join(doubtful)}", ratio)
    if old.environment != new.environment:
        return Comparison(key, Outcome.AMBIGUOUS, "measured in different environments", ratio)
    return _judged(key, ratio, mann_whitney(before, after), threshold)


def _judged(key: str, ratio: Interval, chance: float, threshold: float) -> Comparison:
    change = (
        f"{(ratio.value - 1) * 100:+.1f} % ({(ratio.low - 1) * 100:+.1f} … {(ratio.high - 1) * 100:+.1f} %)"
    )
    apart = ratio.low > 1 or ratio.high < 1
    if apart and chance < _CHANCE and ratio.value >= 1 + threshold:
        return Comparison(key, Outcome.SLOWER, change, ratio)
    if apart and chance < _CHANCE and ratio.value <= 1 / (1 + threshold):
        return Comparison(key, Outcome.FASTER, change, ratio)
    if 1 / (1 + threshold) < ratio.low and ratio.high < 1 + threshold:
        return Comparison(key, Outcome.SAME, change, ratio)
    return Comparison(key, Outcome.AMBIGUOUS, f"{change}: too uncertain to tell", ratio)


def _no_data(record: BenchmarkRecord | None) -> str:
    if record is None:
        return "missing"
    if record.mismatches:
        return f"wrong data in {record.mismatches} samples"
    if record.samples is None and record.reason:
        return record.reason
    if why := usable(record.times):
        return why
    if len(record.raw) < LEAST_SAMPLES:
        return f"only {len(record.raw)} samples"
    return ""


def _nothing() -> BenchmarkRecord:
    raise ValueError("a comparison needs a record on one side")


def exit_status(comparisons: Iterable[Comparison]) -> int:
    """The status of the most important outcome; NO-DATA's where nothing was compared at all."""
    outcomes = {comparison.outcome for comparison in comparisons}
    return next(
        (EXIT_STATUS[outcome] for outcome in Outcome if outcome in outcomes), EXIT_STATUS[Outcome.NO_DATA]
    )


def counts(comparisons: Iterable[Comparison]) -> dict[str, int]:
    """How many comparisons had each outcome; every outcome has an entry."""
    counted = Counter(comparison.outcome for comparison in comparisons)
    return {outcome.value: counted[outcome] for outcome in Outcome}
