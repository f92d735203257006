"""Measuring on the reference device: the timing model's truth is found, wrong data shows, nothing is
hidden.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness.benchmark import Measuring, Order, catalogue
from harness.benchmark.devices import together
from harness.benchmark.fit import fit
from harness.benchmark.work import environment_hash, timing_spec
from harness.contract import Contract
from harness.device import Profile, Target
from harness.results import BenchmarkRecord, read_run
from tests.isolation.hostile import hostile_library

Measure = Callable[..., BenchmarkRecord]
LINK, DEVICE, LATENCY = 20e9, 500e9, 10e-6
MODEL = {"link": LINK, "device": DEVICE, "latency": LATENCY}
MIB = 1 << 20


@pytest.mark.parametrize(
    ("series", "rate", "pieces"),
    [
        ("h2d-pinned-async", LINK, 1),
        ("d2h-pinned-async", LINK, 1),
        ("h2d-registered-async", LINK, 1),
        ("h2d-pinned-batch-async", LINK, 16),
        ("d2d-device-async", DEVICE, 1),
        ("d2d-device-descriptor", DEVICE, 1),
        ("peer-device-async", DEVICE, 1),
        ("set-device-async", DEVICE, 1),
    ],
)
def test_event_time_is_what_the_timing_model_says(
    measured: Measure, series: str, rate: float, pieces: int
) -> None:
    found = measured(series, MIB, **MODEL)
    assert found.samples is not None, found.reason
    truth = LATENCY + pieces * MIB / rate
    median = found.samples.median
    assert median.low <= truth <= median.high
    assert median.value == pytest.approx(truth, rel=1e-3)
    assert found.clock == "virtual"
    assert found.bandwidth is not None
    assert found.bandwidth.value == pytest.approx(pieces * MIB / truth, rel=1e-3)
    assert (found.mismatches, found.verified) == (0, "ends")
    assert "clocks-disagree" not in found.flags


def test_both_directions_run_at_once(measured: Measure) -> None:
    found = measured("both-pinned-async", MIB, **MODEL)
    assert found.bandwidth is not None, found.reason
    one_way = MIB / (LATENCY + MIB / LINK)
    assert found.bandwidth.value == pytest.approx(2 * one_way, rel=1e-3)
    assert found.parts == pytest.approx({"h2d": one_way, "d2h": one_way, "fairness": 1.0}, rel=1e-3)
    assert found.link is not None
    assert found.link.peak == 2 * LINK


def test_rows_are_timed_by_their_bytes(measured: Measure) -> None:
    found = measured("h2d-pinned-rows-4096-of-8192", 64 << 10, **MODEL)
    assert found.samples is not None, found.reason
    assert found.samples.median.value == pytest.approx(LATENCY + (64 << 10) / LINK, rel=1e-3)
    assert found.verified == "every"


def test_the_share_is_that_of_the_link(measured: Measure) -> None:
    found = measured("h2d-pinned-async", 64 * MIB, "check", **MODEL)
    assert found.share is not None
    assert found.bandwidth is not None
    assert found.share.value == pytest.approx(found.bandwidth.value / LINK)
    assert found.flags == []


def test_a_blocking_copy_takes_the_modelled_time_by_the_host_s_clock(measured: Measure) -> None:
    found = measured("h2d-pinned-sync", MIB, link=0.5e9, latency=LATENCY)
    assert found.samples is not None, found.reason
    truth = LATENCY + MIB / 0.5e9
    assert found.clock == "host"
    assert found.samples.minimum >= truth
    # Other processes may delay some samples, hardly the fastest one.
    assert found.samples.minimum < 1.2 * truth


def test_scatter_is_in_the_interval(measured: Measure) -> None:
    held = 0
    for _ in range(20):
        found = measured("h2d-pinned-async", 4096, "calibration", **MODEL, jitter=0.05)
        assert found.samples is not None, found.reason
        assert found.samples.iqr > 0
        held += found.samples.median.low <= LATENCY + 4096 / LINK <= found.samples.median.high
    assert held >= 16


def test_latency_and_sustained_rate_come_from_two_sizes(measured: Measure) -> None:
    small, large = (measured("h2d-pinned-async", size, **MODEL) for size in (64, 16 * MIB))
    found = fit(small, large)
    assert found is not None
    assert found.latency.value == pytest.approx(LATENCY, rel=1e-3)
    assert found.bandwidth.value == pytest.approx(LINK, rel=1e-3)
    assert found.latency.low <= LATENCY <= found.latency.high
    assert found.bandwidth.low <= LINK <= found.bandwidth.high
    assert fit(large, small) is None


def test_every_series_measures_or_says_why_not(target: Target, contract: Contract) -> None:
    with Measuring(target, contract, Order("check")) as measuring:
        records = [measuring.run(target.profiles[0], what) for what in catalogue([4097])]
    silent = [record.id for record in records if record.samples is None and not record.reason]
    assert silent == []
    assert all(record.mismatches == 0 for record in records)
    missing = {record.series: record.reason for record in records if record.samples is None}
    # The reference device runs two directions one after the other where its timing model is off.
    assert set(missing) <= {"both-pinned-async"}, missing


def test_a_product_without_a_function_says_so(contract: Contract, target: Target) -> None:
    profile = Profile("IPV350", "EP")
    with Measuring(target, contract, Order("check")) as measuring:
        what = {each.series: each for each in catalogue([64])}
        assert measuring.run(profile, what["h2d-pinned-async"]).reason == "aclrtMemcpyAsync is not there"
        assert measuring.run(profile, what["h2d-pageable-sync"]).samples is not None


@pytest.mark.parametrize("fault", ["copy_h2d_tail_lost", "copy_count_in_32_bits"])
def test_wrong_data_invalidates_the_figure(fault: str, tmp_path: Path) -> None:
    """In a process of its own: a library chooses its faults when it is loaded, once."""
    words = ["--quick", "--sku", "910b", "--series", "h2d-pinned-async", "--sizes", "1,4096"]
    subprocess.run(
        [sys.executable, "-m", "harness.cli", "bench", "run", *words, "--results", str(tmp_path)],
        env={**os.environ, "ACLREF_FAULT": fault},
        capture_output=True,
        check=False,
    )
    [found] = [made for made in read_run(tmp_path).benchmarks if made.size == 4096]
    assert found.valid is (fault == "copy_count_in_32_bits")
    assert bool(found.mismatches) is (fault == "copy_h2d_tail_lost")


def test_a_library_that_dies_costs_one_figure(target: Target, contract: Contract) -> None:
    what = {each.series: each for each in catalogue([4096])}
    with Measuring(target, contract, Order("check")) as measuring:
        profile = target.profiles[0]
        assert measuring.run(profile, what["h2d-pinned-async"]).valid
        work = measuring._supervisor
        work._work.run = lambda task: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[attr-defined]
    with Measuring(target, contract, Order("check")) as measuring:
        measuring._supervisor._work.run = lambda task: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[attr-defined]
        dead = measuring.run(profile, what["h2d-pinned-async"])
    assert not dead.valid
    assert dead.reason.startswith("the process died")


def test_a_library_that_hangs_costs_three_deadlines(
    target: Target, contract: Contract, tmp_path: Path
) -> None:
    hanging = replace(target, path=str(hostile_library("aclrtMemcpy", tmp_path)))
    what = [each for each in catalogue([4096]) if each.api == "aclrtMemcpy"][:1] * 5
    with Measuring(hanging, contract, Order("check", deadline=1.0)) as measuring:
        reasons = [measuring.run(target.profiles[0], each).reason for each in what]
    assert reasons[:3] == ["the process died: no answer within 1 s"] * 3
    assert reasons[3:] == ["not tried: 3 benchmarks before it did not end in time"] * 2


def test_more_memory_than_there_is_is_not_asked_for(measured: Measure) -> None:
    found = measured("h2d-pinned-sync", 1 << 50)
    assert found.samples is None
    assert found.reason.startswith(f"needs {4 << 50} bytes of memory")


def test_devices_start_together_and_are_told_apart(target: Target, contract: Contract) -> None:
    order = Order("quick", timing=MODEL)
    found = together(target, contract, order, target.profiles[0], ["0", "1"], "h2d", MIB)
    assert found.bandwidth is not None, found.reason
    one = MIB / (LATENCY + MIB / LINK)
    assert found.parts == pytest.approx(
        {"device 0": one, "device 1": one, "sum": 2 * one, "minimum": one, "fairness": 1.0}, rel=1e-3
    )
    assert found.bandwidth.value == pytest.approx(2 * one, rel=1e-3)


def test_the_environment_is_what_a_comparison_needs_equal() -> None:
    facts = {"host": "a", "cpu": "b", "library_sha256": "1", "driver": "1"}
    same = environment_hash({**facts, "library_sha256": "2", "driver": "2"}, {})
    assert environment_hash(facts, {}) == same
    assert environment_hash({**facts, "host": "c"}, {}) != same
    assert environment_hash(facts, {"link": 1e9}) != same


def test_the_timing_model_s_settings_as_the_device_takes_them() -> None:
    assert timing_spec({}) == ""
    assert timing_spec({"link": 24e9, "latency": 8e-6}) == ";timing=on;link=24000000000.0;latency=8e-06"
