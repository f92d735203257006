"""What the tests of benchmarks share: records of made-up samples, and the reference device to measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from harness.benchmark import Measuring, Order, catalogue
from harness.contract import Contract, load
from harness.device import Target, select_target
from harness.plugin.settings import probe_in_child
from harness.results import BenchmarkRecord


@pytest.fixture(scope="session")
def contract() -> Contract:
    return load()


@pytest.fixture(scope="session")
def target(contract: Contract) -> Target:
    """The reference device as one product."""
    return select_target(contract, "reference", ["910b"], probe=probe_in_child)


@pytest.fixture
def record() -> Callable[..., BenchmarkRecord]:
    """Makes a record with these samples."""

    def make(samples: Sequence[float], **fields: Any) -> BenchmarkRecord:
        facts = {"id": "910b-EP/x/1", "series": "x", "quantity": "latency", "api": "aclrtMemcpy"}
        return BenchmarkRecord(
            **{**facts, "product": "910b", "form": "EP", "cann": "9.0", **fields},
            raw=[float(value) for value in samples],
        )

    return make


@pytest.fixture
def measured(target: Target, contract: Contract) -> Iterator[Callable[..., BenchmarkRecord]]:
    """Measures a series at a size, with a timing model or without."""
    opened: dict[tuple[str, tuple[tuple[str, float], ...]], Measuring] = {}

    def measure(series: str, size: int = 0, effort: str = "quick", **timing: float) -> BenchmarkRecord:
        key = effort, tuple(timing.items())
        if key not in opened:
            opened[key] = Measuring(target, contract, Order(effort, seed=7, timing=timing))
        every = catalogue([size] if size else [1 << 20])
        what = next(each for each in every if each.series == series and each.size == size)
        return opened[key].run(target.profiles[0], what)

    yield measure
    for each in opened.values():
        each.close()
