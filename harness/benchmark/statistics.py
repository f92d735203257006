"""What samples amount to: medians with bootstrap intervals, outliers that are marked and kept, and doubts.

Samples are seconds of one operation in the order they were taken. Nothing here drops one.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from harness.results import Interval, Samples

Array = npt.NDArray[np.float64]

CONFIDENCE = 0.95
LEAST_SAMPLES = 10
_RESAMPLES = 1000
_OUTLIER_IQRS = 3.0
_MOST_LISTED = 200
# A doubt needs both: a difference that matters, and one that chance does not make.
_EFFECT = 0.02
_CHANCE = 1e-3
_MODE_SHARE = 0.1
_MODE_DISTANCE = 6.0


def usable(samples: Sequence[float] | Array) -> str:
    """Why samples give no figure (`empty`, `not-a-number`, `not-positive`); empty where they do."""
    array = np.asarray(samples, np.float64)
    if array.size == 0:
        return "empty"
    if not np.isfinite(array).all():
        return "not-a-number"
    return "" if (array > 0).all() else "not-positive"


def load_statistics() -> None:
    """Load scipy's statistics, which takes most of a second: not while something is measured."""
    importlib.import_module("scipy.stats")


def quick_half_width(samples: Array) -> float:
    """Half the width of the distribution-free 95 % interval of the median, relative to the median.

    It needs no resampling, so that sampling can ask after every batch; infinite for fewer than 6 samples.
    """
    if samples.size < 6:
        return float("inf")
    ordered = np.sort(samples)
    below = int(scipy.stats.binom.ppf((1 - CONFIDENCE) / 2, samples.size, 0.5))
    low, high = ordered[max(0, below - 1)], ordered[min(samples.size - 1, samples.size - below)]
    middle = float(np.median(ordered))
    return float(high - low) / 2 / middle if middle > 0 else float("inf")


def median_interval(samples: Array, resolution: float = 0.0, seed: int = 0) -> Interval:
    """The median with its 95 % bootstrap interval, widened on both sides by the clock's resolution."""
    middle = float(np.median(samples))
    low = high = middle
    if samples.size > 1 and float(np.ptp(samples)) > 0:
        found = scipy.stats.bootstrap(
            (samples,),
            np.median,
            n_resamples=_RESAMPLES,
            confidence_level=CONFIDENCE,
            method="percentile",
            rng=np.random.default_rng(seed),
        ).confidence_interval
        low, high = float(found.low), float(found.high)
    return Interval(
        value=middle, low=max(0.0, min(low, middle) - resolution), high=max(high, middle) + resolution
    )


def outliers(samples: Array) -> list[int]:
    """Indices of samples more than three interquartile ranges beyond the quartiles."""
    first, third = np.percentile(samples, (25, 75))
    reach = _OUTLIER_IQRS * max(third - first, 1e-3 * float(np.median(samples)))
    far = np.flatnonzero((samples < first - reach) | (samples > third + reach))
    return [int(index) for index in far[:_MOST_LISTED]]


def summarize(
    samples: Array, operations: int = 1, warmups: int = 0, resolution: float = 0.0, seed: int = 0
) -> Samples:
    """The summary that a record keeps."""
    first, third, p95, p99 = (float(value) for value in np.percentile(samples, (25, 75, 95, 99)))
    return Samples(
        n=int(samples.size),
        median=median_interval(samples, resolution, seed),
        mean=float(samples.mean()),
        minimum=float(samples.min()),
        maximum=float(samples.max()),
        iqr=third - first,
        p95=p95,
        p99=p99,
        outliers=outliers(samples),
        warmups=warmups,
        operations=operations,
    )


def doubts(samples: Array) -> list[str]:
    """What keeps the median from standing for all samples: `drift`, `throttled` (a step to slower that
    stays), `two-modes`.
    """
    if samples.size < 2 * LEAST_SAMPLES or usable(samples):
        return []
    found = [change] if (change := _change_over_time(samples)) else []
    if not found and _has_two_modes(samples):
        found.append("two-modes")
    return found


def _change_over_time(samples: Array) -> str:
    """`drift` for a trend, `throttled` for a step to slower, nothing where order does not matter."""
    third = samples.size // 3
    before, after = samples[:third], samples[-third:]
    change = float(np.median(after)) / float(np.median(before)) - 1
    if abs(change) < _EFFECT or _chance(scipy.stats.kendalltau(np.arange(samples.size), samples)) > _CHANCE:
        return ""
    if _chance(scipy.stats.mannwhitneyu(before, after)) > _CHANCE:
        return ""
    step, trend = _unexplained_by_step(samples), _unexplained_by_trend(samples)
    return "throttled" if change > 0 and step < trend else "drift"


def _unexplained_by_step(samples: Array) -> float:
    """The least absolute error that one step in time leaves."""
    size = samples.size
    cuts = range(max(3, size // 10), size - max(3, size // 10), max(1, size // 100))
    return min(
        float(np.abs(samples[:cut] - np.median(samples[:cut])).sum())
        + float(np.abs(samples[cut:] - np.median(samples[cut:])).sum())
        for cut in cuts
    )


def _unexplained_by_trend(samples: Array) -> float:
    """The absolute error that a straight line over time leaves."""
    time = np.arange(samples.size, dtype=np.float64)
    # Theil and Sen's slope of every pair is too much for a thousand samples; every hundredth will do.
    chosen = np.linspace(0, samples.size - 1, min(samples.size, 200)).astype(int)
    slope, intercept, _, _ = scipy.stats.theilslopes(samples[chosen], time[chosen])
    return float(np.abs(samples - intercept - slope * time).sum())


def _has_two_modes(samples: Array) -> bool:
    """Whether the samples fall into two groups, each a tenth of them at least, far apart for their width."""
    ordered = np.sort(samples)
    margin = max(2, int(_MODE_SHARE * ordered.size))
    gaps = np.diff(ordered[margin - 1 : ordered.size - margin + 1])
    if gaps.size == 0:
        return False
    cut = margin + int(np.argmax(gaps))
    low, high = ordered[:cut], ordered[cut:]
    distance = float(np.median(high) - np.median(low))
    width = max(_spread(low), _spread(high))
    apart = distance > _MODE_DISTANCE * width and float(gaps.max()) > 2 * width
    return apart and distance > _EFFECT * float(np.median(samples))


def _spread(samples: Array) -> float:
    """The scaled median absolute deviation: a standard deviation that outliers do not move."""
    return float(scipy.stats.median_abs_deviation(samples, scale="normal"))


def _chance(result: Any) -> float:
    """The p value of a test; 1 where the test could not tell."""
    value = float(result.pvalue)
    return value if np.isfinite(value) else 1.0


def mann_whitney(first: Array, second: Array) -> float:
    """The probability that two sets of samples of one distribution differ so much (two-sided)."""
    return _chance(scipy.stats.mannwhitneyu(first, second, alternative="two-sided"))


def ratio_interval(old: Array, new: Array, seed: int = 0) -> Interval:
    """The new median over the old one, with its 95 % bootstrap interval."""
    value = float(np.median(new) / np.median(old))
    if float(np.ptp(old)) == 0 and float(np.ptp(new)) == 0:
        return Interval(value=value, low=value, high=value)
    found = scipy.stats.bootstrap(
        (old, new),
        lambda a, b, axis: np.median(b, axis=axis) / np.median(a, axis=axis),
        n_resamples=_RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        vectorized=True,
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Interval(value=value, low=min(float(found.low), value), high=max(float(found.high), value))
