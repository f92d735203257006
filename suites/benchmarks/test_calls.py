"""What calls cost: each test is a series of benchmarks (docs/benchmarks.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.plugin import benchmarks

Measure = Callable[[], Any]


@benchmarks("*-latency")
def test_latency(measure: Measure) -> None:
    """A single copy: one call, or a copy and the wait for its stream."""
    measure()


@benchmarks("clock", "copy-nothing")
def test_what_measuring_costs(measure: Measure) -> None:
    """The clock, and a call that does nothing."""
    measure()


@benchmarks("enqueue-*", "event-query")
def test_enqueueing(measure: Measure) -> None:
    """The call alone, without what it starts."""
    measure()


@benchmarks("synchronize-*", "event-roundtrip", "*-create-destroy")
def test_waits_and_handles(measure: Measure) -> None:
    """Waiting for what is over, a round trip of an event, and making handles."""
    measure()


@benchmarks("malloc-free*", "map-unmap")
def test_allocations(measure: Measure) -> None:
    """Allocating or mapping memory and giving it back."""
    measure()


@benchmarks("model-*")
def test_models(measure: Measure) -> None:
    """Loading a model and running it."""
    measure()
