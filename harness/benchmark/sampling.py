"""When there are enough samples: warm-up until stable, then until the interval is narrow or a cap is met."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from harness.benchmark.statistics import Array, load_statistics, quick_half_width
from harness.results import Criterion

Take = Callable[[int, Sequence[bool]], Array]
"""Takes samples: the number of the first one, and for each whether its data is compared; their times."""

_WARM_CHANGE = 0.02
_MOST_WARMUPS = 20
_BATCH_S = 0.02
_OVERTIME = 4
_MOST_AT_ONCE = 1024


@dataclass(frozen=True)
class Effort:
    """How much time a benchmark may take, and how sure it has to be."""

    name: str
    least: int = 10
    """Samples at the least."""
    least_latency: int = 1000
    """The same where single operations are timed: their 99th percentile is told."""
    most: int = 5000
    half_width: float = 0.01
    """Sampling ends where half the 95 % interval is this share of the median."""
    cap_s: float = 3.0
    """Sampling ends after so long, if there are the least samples; after four times as long in any case."""
    warmups: int = 3
    """Batches of warm-up at the least, unless one alone takes longer than the cap."""
    target_s: float = 2e-4
    """Small operations are repeated in one sample until it takes so long."""


FULL = Effort("full")
QUICK = Effort("quick", least_latency=100, most=300, half_width=0.02, cap_s=0.03, warmups=2, target_s=5e-5)
CHECK = Effort("check", least=1, least_latency=1, most=1, half_width=1.0, cap_s=0.0, warmups=0, target_s=0.0)
CALIBRATION = Effort("calibration", least=50, least_latency=200, most=400, cap_s=1.0, warmups=2)
EFFORTS = {effort.name: effort for effort in (FULL, QUICK, CHECK, CALIBRATION)}


@dataclass
class Sampled:
    """The samples in their order, and how sampling went."""

    samples: Array
    criterion: Criterion
    warmups: int = 0
    warm: bool = True
    verified: int = 0
    flags: list[str] = field(default_factory=list)


def sample(take: Take, effort: Effort, latency: bool, every: bool) -> Sampled:
    """Warm up and take samples as the effort says.

    With `every`, the data of every sample is compared; otherwise that of the first and of the last one.
    """
    load_statistics()
    batch, warmups, warm = _warm_up(take, effort)
    least = effort.least_latency if latency else effort.least
    start = time.monotonic()
    taken = [take(0, [True])]
    number = 1
    while (ended := _ended(taken, number, least, effort, time.monotonic() - start)) is None:
        count = min(batch, effort.most - number, _MOST_AT_ONCE)
        taken.append(take(number, [every] * count))
        number += count
    if number > 1 and not every:
        # The last sample was not known to be the last: one more is taken, compared and kept.
        taken.append(take(number, [True]))
    return Sampled(np.concatenate(taken), ended, warmups, warm, flags=[] if warm else ["not-warm"])


def _warm_up(take: Take, effort: Effort) -> tuple[int, int, bool]:
    """Batches until two in a row differ by less than 2 %; samples in a batch, batches taken, whether it got
    stable.
    """
    if not effort.warmups:
        return 1, 0, True
    start = time.monotonic()
    first = take(0, [False])
    batch = int(np.clip(_BATCH_S / max(time.monotonic() - start, 1e-7), 1, effort.least))
    before = float(np.median(first))
    for number in range(1, _MOST_WARMUPS + 1):
        now = float(np.median(take(0, [False] * batch)))
        stable = before > 0 and abs(now / before - 1) < _WARM_CHANGE
        late = time.monotonic() - start > max(effort.cap_s, _BATCH_S)
        # Samples that are long by themselves need no more warming than that.
        if late or (number >= effort.warmups and stable):
            return batch, number, stable
        before = now
    return batch, _MOST_WARMUPS, False


def _ended(taken: list[Array], number: int, least: int, effort: Effort, spent: float) -> Criterion | None:
    """Why no more samples are taken, or None."""
    if number < least:
        if spent <= _OVERTIME * effort.cap_s or number < min(least, effort.least):
            return None
        return Criterion(met=False, name="samples", wanted=float(least), reached=float(number))
    width = quick_half_width(np.concatenate(taken)) if number > 1 else 0.0
    if width <= effort.half_width:
        return Criterion(met=True, name="interval", wanted=effort.half_width, reached=width)
    if number >= effort.most or spent >= effort.cap_s:
        return Criterion(met=False, name="interval", wanted=effort.half_width, reached=min(width, 1e9))
    return None
