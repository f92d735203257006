"""Is the method right? The reference device's timing model knows the truth; the method must find it.

By event time every rate can be shown: the device's clock is virtual. By the host's clock only rates that this
host can really move while the time passes; how fast that is is measured first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import msgspec

from harness.benchmark.catalogue import MIB, Benchmark, catalogue
from harness.benchmark.errors import BenchmarkError
from harness.benchmark.fit import fit
from harness.benchmark.work import Measuring, Order
from harness.contract import Contract
from harness.device import Profile, Target
from harness.results import BenchmarkRecord, Interval
from harness.results.benchmarks import Clock

LARGE = 16 * MIB
JITTER = 0.02
BANDWIDTH_ERROR = 0.02
LATENCY_ERROR, LATENCY_SLACK_S = 0.05, 0.5e-6
# A call after a wait costs up to twice what it costs in a loop: its code and data have gone cold.
_COLD = 2.0
COVERED = 0.9
# The host moves the bytes while the modelled time passes; it should need no more than a third of it.
_HOST_SHARE = 1 / 3

Say = Callable[["Result"], None]


@dataclass(frozen=True)
class Truth:
    """What the timing model is set to: bytes per second, seconds, and the clock that shall find it."""

    bandwidth: float
    latency: float
    clock: Clock

    def __str__(self) -> str:
        return f"{self.bandwidth / 1e9:g} GB/s, {self.latency * 1e6:g} us by {self.clock} time"


TRUTHS = (
    Truth(1e9, 5e-6, "virtual"),
    Truth(2e9, 50e-6, "virtual"),
    Truth(5e9, 10e-6, "virtual"),
    Truth(10e9, 20e-6, "virtual"),
    Truth(20e9, 5e-6, "virtual"),
    Truth(30e9, 50e-6, "virtual"),
    Truth(40e9, 10e-6, "virtual"),
    Truth(60e9, 20e-6, "virtual"),
    Truth(0.5e9, 5e-6, "host"),
    Truth(0.5e9, 50e-6, "host"),
    Truth(1e9, 20e-6, "host"),
    Truth(2e9, 10e-6, "host"),
)


class Found(msgspec.Struct, frozen=True):
    """What one run found, and what it doubts."""

    bandwidth: Interval
    latency: Interval
    doubts: tuple[str, ...] = ()


@dataclass
class Result:
    """What the runs of one truth found; `skipped` says why there are none."""

    truth: Truth
    found: list[Found] = field(default_factory=list)
    skipped: str = ""

    @property
    def bandwidth_error(self) -> float:
        """The largest error of the bandwidth among runs without doubts, as a share of the truth."""
        return max((abs(run.bandwidth.value / self.truth.bandwidth - 1) for run in self.trusted), default=0.0)

    @property
    def latency_error(self) -> float:
        """The largest error of the latency among runs without doubts, in seconds."""
        return max((abs(run.latency.value - self.truth.latency) for run in self.trusted), default=0.0)

    @property
    def trusted(self) -> list[Found]:
        """The runs that had no doubts about themselves."""
        return [run for run in self.found if not run.doubts]

    @property
    def bandwidth_covered(self) -> float:
        """The share of trusted runs whose bandwidth interval holds the truth."""
        return self._covered([run.bandwidth for run in self.trusted], self.truth.bandwidth)

    @property
    def latency_covered(self) -> float:
        """The share of trusted runs whose latency interval holds the truth."""
        return self._covered([run.latency for run in self.trusted], self.truth.latency)

    @property
    def right(self) -> bool | None:
        """Whether the method is as good as it says; None where no run trusted itself or none was made."""
        if not self.trusted:
            return None
        allowed = max(LATENCY_ERROR * self.truth.latency, LATENCY_SLACK_S)
        accurate = self.bandwidth_error <= BANDWIDTH_ERROR and self.latency_error <= allowed
        # With few runs one that misses is what 95 % promise.
        misses = (1 - min(self.bandwidth_covered, self.latency_covered)) * len(self.trusted)
        return accurate and misses <= max(1.0, (1 - COVERED) * len(self.trusted))

    @staticmethod
    def _covered(intervals: list[Interval], truth: float) -> float:
        return sum(each.low <= truth <= each.high for each in intervals) / max(1, len(intervals))


def calibrate(
    target: Target, contract: Contract, runs: int, truths: tuple[Truth, ...] = TRUTHS, seed: int = 0
) -> Iterator[Result]:
    """The result for each truth; BenchmarkError where the target is no reference device."""
    if target.kind != "reference":
        raise BenchmarkError(f"{target.path}: only a reference device knows the truth to calibrate against")
    profile = target.profiles[0]
    host_rate = (
        host_copy_rate(target, contract, profile) if any(each.clock == "host" for each in truths) else 0.0
    )
    for truth in truths:
        if truth.clock == "host" and truth.bandwidth > host_rate * _HOST_SHARE:
            why = f"this host moves {host_rate / 1e9:.1f} GB/s now; three times the rate is needed"
            yield Result(truth, skipped=why)
            continue
        yield _calibrated(target, contract, profile, truth, runs, seed)


def host_copy_rate(target: Target, contract: Contract, profile: Profile) -> float:
    """Bytes per second that this host's processor copies in large blocks."""
    with Measuring(target, contract, Order("quick")) as measuring:
        record = measuring.run(profile, _benchmark("host-copy", LARGE))
    return record.bandwidth.value if record.bandwidth is not None else 0.0


def _calibrated(
    target: Target, contract: Contract, profile: Profile, truth: Truth, runs: int, seed: int
) -> Result:
    result = Result(truth)
    timing = {"link": truth.bandwidth, "latency": truth.latency, "jitter": JITTER}
    with Measuring(target, contract, Order("calibration", seed=seed, timing=timing)) as measuring:
        for _ in range(runs):
            result.found.append(_run(measuring, profile, truth))
    return result


def _run(measuring: Measuring, profile: Profile, truth: Truth) -> Found:
    overhead = 0.0
    if truth.clock == "host":
        # What the call costs, and the clock at its start and end, is not the link's latency.
        empty = [measuring.run(profile, _benchmark(name)) for name in ("copy-nothing", "clock", "clock")]
        overhead = _COLD * sum(record.samples.median.high for record in empty if record.samples is not None)
        small = measuring.run(profile, _benchmark("h2d-pinned-sync-latency", 1))
        large = measuring.run(profile, _benchmark("h2d-pinned-sync", LARGE))
    else:
        small = measuring.run(profile, _benchmark("h2d-pinned-async", 1))
        large = measuring.run(profile, _benchmark("h2d-pinned-async", LARGE))
    found = fit(small, large, overhead)
    if found is None:
        why = small.reason or large.reason or "the large copy took no longer than the small one"
        raise BenchmarkError(f"{truth}: nothing was measured: {why}")
    return Found(found.bandwidth, found.latency, tuple(_doubts(small, large)))


def _doubts(*records: BenchmarkRecord) -> list[str]:
    """Why a run does not trust itself: its samples changed meanwhile, or no criterion was met."""
    doubts = [flag for record in records for flag in record.flags]
    for record in records:
        if record.criterion is not None and not record.criterion.met:
            doubts.append(f"{record.criterion.name} not met")
        if record.mismatches:
            doubts.append("wrong data")
    return list(dict.fromkeys(doubts))


def _benchmark(series: str, size: int = 0) -> Benchmark:
    return next(each for each in catalogue([1, LARGE]) if each.series == series and each.size == size)
