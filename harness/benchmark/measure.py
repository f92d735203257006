"""Measuring one benchmark: plan, warm-up, samples, statistics, doubts; the end is a record."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from harness.benchmark import host
from harness.benchmark.calls import make_call
from harness.benchmark.catalogue import Benchmark
from harness.benchmark.errors import BenchmarkError
from harness.benchmark.plans import Made, make
from harness.benchmark.probe import Taken
from harness.benchmark.reasons import absent, too_large
from harness.benchmark.roofline import doubt, share_of
from harness.benchmark.sampling import Effort, Sampled, sample
from harness.benchmark.statistics import Array, doubts, summarize, usable
from harness.benchmark.workbench import Workbench
from harness.device import DeviceError, Profile
from harness.results import BenchmarkRecord, Interval, Link, Place
from harness.results.benchmarks import Clock

_SMALLEST_RETRY = 4096
# Source and target of either direction, and what their data is brought and compared through.
_BLOCKS = 4
_CLOCKS_DISAGREE = 0.05
_CLOCKS_FROM = 16 << 20
_HOST_RESOLUTION_S = 1e-9
# Event times of the reference device are whole nanoseconds for each transfer.
_EVENT_RESOLUTION_S = 1e-9
_THROTTLED_TRIES = 2


@dataclass
class Conditions:
    """Everything about a run that one benchmark cannot know by itself."""

    effort: Effort
    seed: int
    environment: str
    virtual: bool = False
    """Whether event times are the reference device's timing model's."""
    link: Link | None = None
    """The link to the host, where it is known better than by the product."""
    shared: bool = False
    device: int | None = None
    """The device's number for npu-smi; None where there is no device to ask."""
    place: Place = field(default_factory=Place)
    model: Path | None = None


@dataclass
class _Clocks:
    """Host and device time of whole samples, side by side."""

    host: list[Array] = field(default_factory=list)
    device: list[Array] = field(default_factory=list)
    lanes: list[Array] = field(default_factory=list)
    mismatches: int = 0
    verified: int = 0


def measure(
    bench: Workbench, what: Benchmark, conditions: Conditions, order: int, link: Link | None
) -> BenchmarkRecord:
    """The record of one benchmark; one without samples and with a reason where it could not be measured."""
    record = blank(bench.profile, what)
    record.seed, record.order = conditions.seed, order
    record.environment, record.place = conditions.environment, conditions.place
    missing = bench.missing(*([what.api] if what.api.startswith("acl") else []), *what.needs)
    if missing:
        record.reason = absent(missing)
        return record
    room = min(bench.free_memory(), host.available_memory())
    if what.size * _BLOCKS > room:
        record.reason = too_large(what.size * _BLOCKS, room)
        return record
    size = what.size
    while True:
        try:
            _measure(bench, what, size, conditions, record, link)
            return record
        except (DeviceError, BenchmarkError) as error:
            # Pinned memory has ceilings that nobody documents: what fits is measured, and said.
            if "allocating" in str(error) and size > _SMALLEST_RETRY and what.direction != "none":
                size //= 2
                record.flags = ["smaller"]
                continue
            record.samples, record.bandwidth, record.share, record.raw = None, None, None, []
            record.reason = str(error)
            return record
        finally:
            bench.finish()


def blank(profile: Profile, what: Benchmark, reason: str = "") -> BenchmarkRecord:
    """The record of a benchmark of which nothing is known yet, or `reason` says why nothing will be."""
    return BenchmarkRecord(
        id=f"{profile}/{what.id}",
        series=what.series,
        quantity=what.quantity,
        api=what.api,
        product=profile.product,
        form=profile.form,
        cann=profile.cann,
        direction=what.direction,
        memory=what.memory,
        mode=what.mode,
        size=what.size,
        reason=reason,
    )


def _measure(
    bench: Workbench,
    what: Benchmark,
    size: int,
    conditions: Conditions,
    record: BenchmarkRecord,
    link: Link | None,
) -> None:
    chosen = what if size == what.size else Benchmark(**{**what.__dict__, "size": size})
    made = make(bench, chosen) if what.direction != "none" else make_call(bench, chosen, conditions.model)
    record.size = size
    record.clock = ("virtual" if conditions.virtual else "device") if made.times == "lanes" else "host"
    for _ in range(_THROTTLED_TRIES + 1):
        before = host.conditions(conditions.device)
        clocks = _Clocks()
        _pick_repeat(bench, made, conditions.effort)
        sampled = _sampled(bench, made, what, conditions.effort, clocks)
        after = host.conditions(conditions.device)
        throttled = host.was_throttled(before, after)
        if not throttled:
            break
    record.place = Place(
        cpus=conditions.place.cpus,
        node=conditions.place.node,
        devices=conditions.place.devices,
        before=before,
        after=after,
    )
    flags = [*record.flags, *sampled.flags, *(["throttled"] if throttled else [])]
    if conditions.shared:
        flags.append("shared")
    if record.clock == "host" and host.is_busy(before, after, len(os.sched_getaffinity(0))):
        flags.append("busy-host")
    fill_in(record, made, sampled, clocks, flags, link)


def _pick_repeat(bench: Workbench, made: Made, effort: Effort) -> None:
    """So many repeats in one sample that it takes long enough to be timed well."""
    made.plan.repeat = 1
    if made.deepest == 1 or not effort.target_s:
        return
    once = _first_time(made, bench.probe.run(made.plan, 0, [False]))
    if once < effort.target_s:
        # The first one is the slowest; small operations are asked again.
        once = min(once, *(_first_time(made, bench.probe.run(made.plan, 0, [False])) for _ in range(2)))
    repeats = int(np.ceil(effort.target_s / max(once, 1e-9)))
    made.plan.repeat = max(1, min(made.deepest, repeats))


def _first_time(made: Made, taken: Taken) -> float:
    """The time of the first sample, of its first lane where it has lanes."""
    return float(taken.calls[0] if made.times == "calls" else taken.elapsed[0, 0])


def _sampled(bench: Workbench, made: Made, what: Benchmark, effort: Effort, clocks: _Clocks) -> Sampled:
    def take(first: int, verify: Sequence[bool]) -> Array:
        taken = bench.probe.run(made.plan, first, [flag and made.verified for flag in verify])
        times = _times(made, taken)
        if any(verify):
            clocks.host.append(taken.host)
            clocks.device.append(times)
            clocks.lanes.append(taken.elapsed)
            clocks.mismatches += taken.mismatches
            clocks.verified += taken.verified
        return times / made.plan.repeat

    return sample(take, effort, what.quantity == "latency" and made.deepest == 1, made.every)


def _times(made: Made, taken: Taken) -> Array:
    """The time of each whole sample, in seconds."""
    if made.times == "calls":
        return taken.calls
    if made.lanes == 1:
        found: Array = taken.elapsed[:, 0]
        return found
    return _window(taken.elapsed)


def _window(elapsed: Array) -> Array:
    """How long it would take at the rate at which the lanes ran while both ran: only the overlap counts.

    Columns: time of either lane, start of the second after the first's start, end of the second after that.
    """
    first, second, start, end = elapsed.T
    overlap = np.minimum(first, end) - np.maximum(0.0, start)
    rate = overlap * (1 / np.maximum(first, 1e-12) + 1 / np.maximum(second, 1e-12)) / 2
    # Without any overlap there is no such time; not-a-number says so.
    found: Array = np.where(overlap > 0, overlap / np.maximum(rate, 1e-12), np.nan)
    return found


def fill_in(
    record: BenchmarkRecord,
    made: Made,
    sampled: Sampled,
    clocks: _Clocks,
    flags: list[str],
    link: Link | None,
) -> None:
    """Write what the samples amount to into the record."""
    samples = sampled.samples
    record.criterion = sampled.criterion
    record.mismatches = clocks.mismatches
    record.verified = "none" if not clocks.verified else "every" if made.every else "ends"
    if why := usable(samples):
        apart = made.lanes > 1 and why == "not-a-number"
        record.reason = "the two directions never ran at the same time" if apart else f"samples are {why}"
        return
    repeat = made.plan.repeat
    record.raw = [float(f"{value:.6g}") for value in samples]
    resolution = resolution_of(record.clock, float(np.median(samples)), repeat)
    record.samples = summarize(samples, repeat, sampled.warmups, resolution, record.seed)
    flags += doubts(samples)
    if made.bytes:
        record.bandwidth = _bandwidth(made.bytes, record.samples.median)
        if made.lanes == 2:
            record.parts = _rates(made, np.concatenate(clocks.lanes))
        if link is not None and record.quantity == "bandwidth":
            record.link = link
            record.share = share_of(record.bandwidth, link)
            flags += [found] if (found := doubt(record.share)) else []
    if _clocks_disagree(record, made, clocks):
        flags.append("clocks-disagree")
    record.flags = list(dict.fromkeys(flags))


def resolution_of(clock: Clock, seconds: float, repeat: int) -> float:
    """Half the step of a clock, for one operation of so many in a sample, in seconds."""
    if clock == "host":
        return _HOST_RESOLUTION_S / 2 / repeat
    # The library tells events' times as a float of milliseconds.
    step = float(np.spacing(np.float32(seconds * repeat * 1e3))) * 1e-3
    return step / 2 / repeat + _EVENT_RESOLUTION_S


def _bandwidth(moved: int, time: Interval) -> Interval:
    return Interval(
        value=moved / time.value,
        low=moved / time.high,
        high=moved / max(time.low, 1e-12),
        confidence=time.confidence,
    )


def _rates(made: Made, elapsed: Array) -> dict[str, float]:
    """Bytes per second of each direction, by their own times, and the slower by the faster."""
    each = made.bytes / 2 * made.plan.repeat
    down, up = (each / float(np.median(elapsed[:, column])) for column in (0, 1))
    return {"h2d": down, "d2h": up, "fairness": min(down, up) / max(down, up)}


def _clocks_disagree(record: BenchmarkRecord, made: Made, clocks: _Clocks) -> bool:
    """Whether host and device time differ by more than 5 % where a sample moves enough for that to mean
    something.
    """
    if made.times != "lanes" or made.lanes != 1 or record.clock == "virtual":
        return False
    if record.size * made.plan.repeat < _CLOCKS_FROM or not clocks.host:
        return False
    ratio = float(np.median(np.concatenate(clocks.host)) / np.median(np.concatenate(clocks.device)))
    return abs(ratio - 1) > _CLOCKS_DISAGREE
