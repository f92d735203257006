"""Many devices at once: a process for each, and every sample begins when all are ready."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from harness.benchmark.catalogue import Benchmark, catalogue
from harness.benchmark.errors import BenchmarkError
from harness.benchmark.measure import resolution_of
from harness.benchmark.statistics import doubts, summarize, usable
from harness.benchmark.work import Measuring, Order
from harness.contract import Contract
from harness.device import Profile, Target
from harness.isolation import ChildDied
from harness.results import BenchmarkRecord, Criterion, Interval, Place

_SAMPLES = {"full": 100, "quick": 20, "check": 1}
_REPEAT = 4
_COUNTER_BYTES = 4096


def together(
    target: Target,
    contract: Contract,
    order: Order,
    profile: Profile,
    devices: Sequence[str],
    direction: str,
    size: int,
) -> BenchmarkRecord:
    """All devices copy in one direction at once.

    A sample's time is that of the slowest device. `parts` has each device's own rate, their `sum`, the
    `minimum` and the `fairness` (slowest by fastest). BenchmarkError for fewer than two devices.
    """
    if len(devices) < 2:
        raise BenchmarkError(f"several devices are needed to run together, there is {len(devices)}")
    series = f"{direction}-pinned-async"
    what = next(each for each in catalogue([size]) if each.series == series)
    record = BenchmarkRecord(
        id=f"{profile}/all-devices-{direction}/{size}",
        series=f"all-devices-{direction}",
        quantity="bandwidth",
        api=what.api,
        product=profile.product,
        form=profile.form,
        cann=profile.cann,
        direction=direction,
        memory=what.memory,
        mode=what.mode,
        size=size,
        clock="virtual" if order.timing else "device",
        seed=order.seed,
        flags=["shared"] if order.shared else [],
        place=Place(devices=[int(device) for device in devices if device.isdigit()]),
    )
    try:
        times = _samples(target, contract, order, profile, devices, what)
    except ChildDied as died:
        record.reason = f"the process died: {died}"
        return record
    _fill_in(record, times, devices)
    return record


def _samples(
    target: Target,
    contract: Contract,
    order: Order,
    profile: Profile,
    devices: Sequence[str],
    what: Benchmark,
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """One row for each device, one column for each sample."""
    # Made before the processes, so that all of them have it at the same address.
    shared = mmap.mmap(-1, _COUNTER_BYTES)
    counter = ctypes.c_uint64.from_buffer(shared)
    address = ctypes.addressof(counter)
    measuring = [Measuring(target, contract, replace(order, devices=(device,))) for device in devices]
    number = _SAMPLES.get(order.effort, _SAMPLES["quick"])

    def part(each: Measuring) -> list[float]:
        return each.run_part(profile, what, address, len(devices), number, _REPEAT)

    try:
        for each in measuring:
            each.prepare(profile)
        with ThreadPoolExecutor(len(devices)) as pool:
            rows = list(pool.map(part, measuring))
    finally:
        for each in measuring:
            each.close()

    return np.array(rows) / _REPEAT


def _fill_in(
    record: BenchmarkRecord, times: np.ndarray[tuple[int, int], np.dtype[np.float64]], devices: Sequence[str]
) -> None:
    slowest = times.max(axis=0)
    record.raw = [float(f"{value:.6g}") for value in slowest]
    if why := usable(times.reshape(-1)):
        record.reason = f"samples are {why}"
        return
    resolution = resolution_of(record.clock, float(np.median(slowest)), _REPEAT)
    record.samples = summarize(slowest, _REPEAT, 0, resolution, record.seed)
    record.criterion = Criterion(
        met=True, name="samples", wanted=float(slowest.size), reached=float(slowest.size)
    )
    moved, median = record.size * len(devices), record.samples.median
    record.bandwidth = Interval(value=moved / median.value, low=moved / median.high, high=moved / median.low)
    rates = {device: record.size / float(np.median(row)) for device, row in zip(devices, times, strict=True)}
    record.parts = {
        **{f"device {device}": rate for device, rate in rates.items()},
        "sum": sum(rates.values()),
        "minimum": min(rates.values()),
        "fairness": min(rates.values()) / max(rates.values()),
    }
    record.flags = [*record.flags, *doubts(slowest)]
