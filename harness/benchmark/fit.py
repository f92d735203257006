"""Latency and sustained bandwidth from two sizes: what a transfer costs at all, and what each byte costs.

A copy of `size` bytes takes latency + size / bandwidth. The smallest copy gives the latency; the rate of a
large one, less that, is what is left when the start-up cost is not counted. Both get their 95 % intervals by
resampling the samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.benchmark.measure import resolution_of
from harness.results import BenchmarkRecord, Interval

_RESAMPLES = 1000
_PERCENT = (2.5, 97.5)


@dataclass(frozen=True)
class Fit:
    """Seconds of an empty transfer, bytes per second beyond it, and the size the rate was taken at."""

    latency: Interval
    bandwidth: Interval
    size: int


def fit(small: BenchmarkRecord, large: BenchmarkRecord, overhead: float = 0.0, seed: int = 0) -> Fit | None:
    """The fit of two records of one series; None where they do not show a latency and a rate.

    `overhead` is what the call costs by itself by the host's clock, in seconds: the latency's interval
    reaches down by so much, and nothing is taken off its value.
    """
    if not (small.valid and large.valid) or small.samples is None or large.samples is None:
        return None
    few, many = _moved(small), _moved(large)
    if many <= few:
        return None
    random = np.random.default_rng(seed)
    first, second = (_medians(record, random) for record in (small, large))
    low, high = small.samples.median.value, large.samples.median.value
    bytes_more = many - few
    if high <= low:
        return None
    rates = bytes_more / np.maximum(second - first, 1e-12)
    latencies = first - few / rates
    rate = bytes_more / (high - low)
    step = resolution_of(small.clock, low, small.samples.operations)
    late = low - few / rate
    if late <= 0:
        # Small copies were faster by the byte, from a cache: this is no link with a latency.
        return None
    latency_low, latency_high = np.percentile(latencies, _PERCENT)
    rate_low, rate_high = np.percentile(rates, _PERCENT)
    slack = (
        rate * (step + resolution_of(large.clock, high, large.samples.operations) + overhead) / (high - low)
    )
    return Fit(
        Interval(
            value=late,
            low=max(0.0, min(late, float(latency_low)) - step - overhead),
            high=max(late, float(latency_high)) + step,
        ),
        Interval(
            value=rate,
            low=max(0.0, min(rate, float(rate_low)) - slack),
            high=max(rate, float(rate_high)) + slack,
        ),
        large.size,
    )


def _moved(record: BenchmarkRecord) -> float:
    """Bytes that one operation moves: a batch moves more than its size."""
    if record.bandwidth is None or record.samples is None:
        return float(record.size)
    return float(round(record.bandwidth.value * record.samples.median.value))


def _medians(
    record: BenchmarkRecord, random: np.random.Generator
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Medians of so many resamples of a record's samples."""
    samples = np.asarray(record.times)
    chosen = random.integers(0, samples.size, (_RESAMPLES, samples.size))
    found: np.ndarray[tuple[int], np.dtype[np.float64]] = np.median(samples[chosen], axis=1)
    return found
