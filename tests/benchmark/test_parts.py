"""The parts of a run that need no device: catalogue, sampling, roofline, host, order and leases."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.benchmark import BenchmarkError, catalogue, host, quick_sizes, sweep_sizes
from harness.benchmark.roofline import band, doubt, pcie_link, profile_link, references, share_of
from harness.benchmark.sampling import FULL, QUICK, sample
from harness.benchmark.session import Leases, chosen, shuffled
from harness.contract import load
from harness.device import DeviceLease, Target
from harness.results import Interval

ROOT = Path(__file__).parents[2]
GIB = 1 << 30


def test_the_sweep_has_powers_of_two_and_odd_sizes_up_to_1_gib() -> None:
    sizes = sweep_sizes(64)
    assert len(sizes) == 64
    assert {1 << bit for bit in range(31)} <= set(sizes)
    assert {4095, 4097, (2 << 20) + 64} <= set(sizes)
    assert (sizes[0], sizes[-1], sizes) == (1, GIB, sorted(sizes))


def test_ids_are_unique_and_every_needed_function_is_in_the_contract() -> None:
    benchmarks = catalogue([*quick_sizes(), 1 << 24])
    assert len({each.id for each in benchmarks}) == len(benchmarks)
    functions = load().functions
    named = {api for each in benchmarks for api in (each.api, *each.needs)}
    assert named - set(functions) == {"clock_gettime", "memcpy"}


class Stream:
    """Samples that come as a function of their number says."""

    def __init__(self, time: float, spread: float, seed: int = 0, first: float = 1.0) -> None:
        self._random = np.random.default_rng(seed)
        self._time, self._spread, self._cold = time, spread, first
        self.verified: list[int] = []
        self.taken = 0

    def __call__(self, first: int, verify: Sequence[bool]) -> np.ndarray:
        self.verified += [first + position for position, flag in enumerate(verify) if flag]
        samples = self._time * self._random.lognormal(0, self._spread, len(verify)) * self._cold
        self._cold = 1 + (self._cold - 1) / 4
        self.taken += len(verify)
        return samples


FAST = replace(FULL, cap_s=0.5)


def test_sampling_ends_when_the_interval_is_narrow() -> None:
    found = sample(Stream(1e-3, 0.02), FAST, latency=False, every=False)
    assert (found.criterion.met, found.criterion.name) == (True, "interval")
    assert found.criterion.reached <= FAST.half_width
    assert found.samples.size >= FAST.least


def test_a_cap_names_the_criterion_that_was_not_met() -> None:
    found = sample(Stream(1e-3, 0.8), replace(FAST, most=50), latency=False, every=False)
    assert not found.criterion.met
    assert (found.criterion.name, found.criterion.wanted) == ("interval", 0.01)
    assert found.criterion.reached > 0.01
    assert found.samples.size == 51


def test_no_time_still_gives_the_least_samples() -> None:
    found = sample(Stream(1e-3, 0.5), replace(FAST, cap_s=0.0), latency=False, every=False)
    assert found.samples.size >= FAST.least
    late = sample(Stream(1e-3, 0.5), replace(FAST, cap_s=0.0), latency=True, every=False)
    assert (late.criterion.met, late.criterion.name, late.criterion.wanted) == (False, "samples", 1000.0)


def test_latency_takes_a_thousand_samples() -> None:
    assert sample(Stream(1e-6, 0.01), FULL, latency=True, every=False).samples.size >= 1000


def test_warm_up_goes_on_until_it_is_stable() -> None:
    cold, warm = Stream(1e-3, 0.0, first=3.0), Stream(1e-3, 0.0)
    assert sample(cold, FAST, False, False).warmups > sample(warm, FAST, False, False).warmups == FAST.warmups
    restless = sample(Stream(1e-3, 0.5), replace(QUICK, cap_s=0.0), False, False)
    assert restless.flags == ["not-warm"]


def test_the_first_and_the_last_sample_are_compared_or_every_one() -> None:
    ends, every = Stream(1e-3, 0.02), Stream(1e-3, 0.02)
    found = sample(ends, FAST, latency=False, every=False)
    assert ends.verified == [0, found.samples.size - 1]
    found = sample(every, FAST, latency=False, every=True)
    assert every.verified == list(range(found.samples.size))


@pytest.mark.parametrize(
    ("rate", "lanes", "peak"),
    [(8.0, 8, 7.88), (8.0, 16, 15.75), (16.0, 8, 15.75), (16.0, 16, 31.5), (32.0, 16, 63.0), (5.0, 4, 2.0)],
)
def test_the_peak_is_lanes_times_rate_times_encoding(rate: float, lanes: int, peak: float) -> None:
    link = pcie_link(rate, lanes)
    assert link is not None
    assert link.peak / 1e9 == pytest.approx(peak, rel=1e-3)
    assert link.source
    assert pcie_link(7.0, 16) is None


def test_the_profiles_links_are_those_the_reference_device_plays() -> None:
    source = (ROOT / "reference/src/base/profile.cpp").read_text(encoding="utf-8")
    rows = re.findall(r"\{Product::p?(\w+), .*?, ([\d.]+) \* GB, [\d.e-]+, ([\d.]+) \* GB\}", source)
    assert {product for product, _, _ in rows} == {product for product, _ in load().matrix()}
    for product, link, device in rows:
        for direction, rate in (("h2d", link), ("d2h", link), ("d2d", device), ("set", device)):
            found = profile_link(product, direction)
            assert found is not None
            assert found.peak == pytest.approx(float(rate) * 1e9)
        assert profile_link(product, "peer") is None


def test_a_share_above_the_peak_is_doubted() -> None:
    link = pcie_link(16.0, 16)
    assert link is not None
    above = share_of(Interval(value=33e9, low=32e9, high=34e9), link)
    normal = share_of(Interval(value=26e9, low=25e9, high=27e9), link)
    assert (doubt(above), doubt(normal)) == ("above-peak", "")
    assert [band(share) for share in (0.5, 0.8, 0.95, 1.1)] == ["low", "normal", "high", "above-peak"]


def test_public_figures_name_their_source_and_lie_below_the_peak() -> None:
    for what in ("h2d", "d2h"):
        for figure in references("910b", what):
            link = profile_link("910b", what)
            assert link is not None
            assert 0.7 < figure.rate / link.peak < 1
            assert figure.source
            assert figure.conditions
    assert references("910", "h2d") == []


BUS = "0000:C1:00.0"


def sysfs(root: Path) -> Path:
    allowed = ",".join(map(str, sorted(os.sched_getaffinity(0))[:1]))
    files = {
        "sys/bus/pci/devices/0000:c1:00.0/numa_node": "3",
        "sys/bus/pci/devices/0000:c1:00.0/current_link_speed": "16.0 GT/s PCIe",
        "sys/bus/pci/devices/0000:c1:00.0/current_link_width": "16",
        "sys/devices/system/node/node3/cpulist": f"{allowed},100000-100003",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq": "2600000",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance",
        "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count": "4",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n")
    return root


def test_the_cores_beside_the_device_are_bound(tmp_path: Path) -> None:
    near = host.binding_for(BUS, sysfs(tmp_path))
    assert (near.node, near.cpus) == (3, tuple(sorted(os.sched_getaffinity(0))[:1]))
    everywhere = host.Binding(tuple(sorted(os.sched_getaffinity(0))))
    assert host.binding_for("", tmp_path) == everywhere
    assert host.binding_for("0000:00:00.0", tmp_path) == everywhere
    with host.bound(near.cpus):
        assert os.sched_getaffinity(0) == set(near.cpus)
    assert os.sched_getaffinity(0) == set(everywhere.cpus)


def test_the_negotiated_link_is_what_the_system_says(tmp_path: Path) -> None:
    assert host.negotiated_link(BUS, sysfs(tmp_path)) == (16.0, 16)
    assert host.negotiated_link("0000:00:00.0", tmp_path) is None
    assert host.negotiated_link("", tmp_path) is None


def test_throttling_and_other_work_are_noticed(tmp_path: Path) -> None:
    before = host.conditions(root=sysfs(tmp_path))
    assert (before["core_mhz"], before["throttles"]) == (2600.0, 4.0)
    assert host.governor(tmp_path) == "performance"
    assert not host.was_throttled(before, before)
    assert host.was_throttled(before, {**before, "throttles": 5.0})
    assert host.was_throttled({"aicore_freq": 1800.0}, {"aicore_freq": 900.0})
    assert host.is_busy({"load": 5.0}, {"load": 4.5}, 4)
    assert not host.is_busy({"load": 5.0}, {"load": 0.5}, 4)


NPU_SMI = """#!/bin/sh
if [ "$2" = "-t" ]; then
  echo "        NPU ID                 : 0"
  echo "        Temperature(C)         : 46"
  echo "        Aicore Freq(MHZ)       : 1800"
  echo "        NPU Real-time Power(W) : 91.5"
else
  echo "| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |"
  echo "| 0       0                 | 4242          | python                   | 1024                    |"
  echo "| 1       0                 | 4243          | train                    | 2048                    |"
fi
"""


def test_the_device_s_conditions_and_users_come_from_npu_smi(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "npu-smi"
    tool.write_text(NPU_SMI)
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert host.others_on_device(0) == ["python (4242)"]
    assert host.others_on_device(2) == []
    told = host.conditions(0)
    assert (told["temperature(c)"], told["aicore_freq(mhz)"], told["npu_real-time_power(w)"]) == (
        46,
        1800,
        91.5,
    )


def test_the_seed_alone_decides_the_order() -> None:
    benchmarks = catalogue(quick_sizes())
    once, again, other = shuffled(benchmarks, 1), shuffled(benchmarks, 1), shuffled(benchmarks, 2)
    assert once == again != other
    assert sorted(map(str, once)) == sorted(map(str, benchmarks))


def test_series_are_chosen_by_pattern() -> None:
    benchmarks = catalogue([64])
    assert {each.series for each in chosen(benchmarks, ["enqueue-*"])} == {
        "enqueue-copy",
        "enqueue-memset",
        "enqueue-event-record",
        "enqueue-event-wait",
    }
    assert chosen(benchmarks, []) == benchmarks
    with pytest.raises(BenchmarkError, match="no series matches 'nothing'"):
        chosen(benchmarks, ["h2d-*", "nothing"])


def test_one_run_at_a_time_and_a_forced_one_is_marked(
    target: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    first = Leases(target, 1, force=False)
    assert not first.shared
    with pytest.raises(BenchmarkError, match="every device is in use by another run"):
        Leases(target, 1, force=False, patience_s=0)
    assert Leases(target, 1, force=True).shared
    first.release()
    again = Leases(target, 1, force=False, patience_s=0)
    assert not again.shared
    again.release()
    assert DeviceLease.take(["reference-benchmarks"], tmp_path) is not None


def test_a_list_of_cores_is_read_and_what_is_none_left_out() -> None:
    assert host.parse_cpus("0-2,8") == {0, 1, 2, 8}
    assert host.parse_cpus("²,x,3-,-") == {3}
    assert max(host.parse_cpus("0-99999999999")) < 1 << 17
