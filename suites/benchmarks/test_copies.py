"""How fast bytes move: each test is a series of benchmarks (docs/benchmarks.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.plugin import benchmarks

Measure = Callable[[], Any]


@benchmarks("h2d-pinned-*sync", "h2d-registered-*", "h2d-pageable-*")
def test_to_the_device(measure: Measure) -> None:
    """Copies to the device from every kind of host memory, called in every way."""
    measure()


@benchmarks("d2h-pinned-*sync", "d2h-registered-*", "d2h-pageable-*")
def test_to_the_host(measure: Measure) -> None:
    """Copies to every kind of host memory, called in every way."""
    measure()


@benchmarks("both-pinned-async")
def test_both_directions(measure: Measure) -> None:
    """Copies to the device and to the host at once."""
    measure()


@benchmarks("d2d-device-*")
def test_within_the_device(measure: Measure) -> None:
    """Copies within a device, called in every way."""
    measure()


@benchmarks("peer-device-async")
def test_between_devices(measure: Measure) -> None:
    """Copies from one device to another."""
    measure()


@benchmarks("?2?-pinned-rows-*")
def test_rows(measure: Measure) -> None:
    """2D copies, from contiguous rows to single bytes."""
    measure()


@benchmarks("set-device-*", "host-copy")
def test_fills_and_the_host_itself(measure: Measure) -> None:
    """Filling device memory, and what the host's processor copies by itself."""
    measure()
