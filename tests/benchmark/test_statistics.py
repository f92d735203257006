"""Medians, intervals, outliers and doubts, on samples whose truth is known."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from harness.benchmark.statistics import (
    doubts,
    median_interval,
    outliers,
    quick_half_width,
    ratio_interval,
    summarize,
    usable,
)


def noisy(seed: int, number: int = 60, spread: float = 0.02, time: float = 1e-3) -> np.ndarray:
    return time * np.random.default_rng(seed).lognormal(0, spread, number)


def test_the_interval_holds_the_true_median_about_as_often_as_it_says() -> None:
    held = sum((found := median_interval(noisy(seed, 40))).low <= 1e-3 <= found.high for seed in range(200))
    print(f"true median in the 95 % interval: {held} of 200")
    assert held >= 180


def test_the_quick_interval_is_never_the_narrower_kind_by_much() -> None:
    for seed in range(20):
        samples = noisy(seed, 50)
        found = median_interval(samples)
        assert quick_half_width(samples) >= 0.6 * (found.high - found.low) / 2 / found.value
    assert quick_half_width(noisy(0, 5)) == float("inf")


def test_equal_samples_have_the_clock_s_resolution_as_interval() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = median_interval(np.full(20, 1e-6), resolution=1e-9)
    assert (found.low, found.value, found.high) == (pytest.approx(0.999e-6), 1e-6, pytest.approx(1.001e-6))


def test_outliers_are_marked_and_kept() -> None:
    samples = noisy(1)
    samples[[7, 30]] = [5e-3, 1e-5]
    found = summarize(samples)
    assert outliers(samples) == found.outliers == [7, 30]
    assert (found.n, found.maximum, found.minimum) == (60, 5e-3, 1e-5)


@pytest.mark.parametrize(
    ("samples", "why"),
    [
        ([], "empty"),
        ([1.0, float("nan")], "not-a-number"),
        ([1.0, float("inf")], "not-a-number"),
        ([1.0, 0.0], "not-positive"),
        ([1.0, -1.0], "not-positive"),
        ([1.0, 2.0], ""),
    ],
)
def test_what_gives_no_figure(samples: list[float], why: str) -> None:
    assert usable(samples) == why


def test_steady_samples_raise_no_doubt() -> None:
    raised = [doubt for seed in range(200) for doubt in doubts(noisy(seed, 40, 0.03))]
    assert len(raised) <= 2, raised


def test_a_drift_is_noticed() -> None:
    noticed = sum(doubts(noisy(seed) * np.linspace(1, 1.1, 60)) == ["drift"] for seed in range(50))
    assert noticed >= 45


def test_becoming_faster_for_good_is_a_drift_too() -> None:
    samples = np.where(np.arange(60) < 30, 1.2, 1.0) * noisy(3, spread=0.01)
    assert doubts(samples) == ["drift"]


def test_throttling_is_noticed() -> None:
    step = np.where(np.arange(60) < 35, 1.0, 1.2)
    noticed = sum(doubts(noisy(seed, spread=0.01) * step) == ["throttled"] for seed in range(50))
    assert noticed >= 45


def test_two_modes_are_noticed() -> None:
    def modes(seed: int) -> np.ndarray:
        return noisy(seed, spread=0.01) * np.where(
            np.random.default_rng(seed + 1000).random(60) < 0.4, 1, 1.2
        )

    assert sum(doubts(modes(seed)) == ["two-modes"] for seed in range(50)) >= 45


def test_the_interval_of_a_ratio_is_that_of_the_medians() -> None:
    held = 0
    for seed in range(100):
        found = ratio_interval(noisy(seed, 50), 1.05 * noisy(seed + 500, 50))
        held += found.low <= 1.05 <= found.high
    assert held >= 90
    assert ratio_interval(np.full(10, 2.0), np.full(10, 3.0)).low == 1.5
