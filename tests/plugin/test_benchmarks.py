"""Benchmarks among the suites: last, never switched off, with pytest-benchmark as their front."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.binding import find_reference
from harness.plugin.benchmarks import Replay, passed_on
from tests.fakes.runs import Outcome, run_suite, write_suite

BENCHMARKS = """
from harness.plugin import benchmarks


@benchmarks("clock", "copy-nothing")
def test_calls(measure):
    assert measure().samples.n >= 1


@benchmarks("h2d-pinned-sync")
def test_copies(measure):
    measure()
"""

CASES = """
from harness.plugin import covers, pattern


@covers("memcpy.h2d")
def test_h2d(acl, expect, memory):
    host, device = memory.host(64).write(pattern(64)), memory.device(64)
    kind = "ACL_MEMCPY_HOST_TO_DEVICE"
    expect.success(acl.aclrtMemcpy(dst=device, destMax=64, src=host, count=64, kind=kind))
    expect.data(device, host)
"""

SERIES = {"clock", "copy-nothing", "h2d-pinned-sync"}


def ran(folder: Path, *options: str, env: dict[str, str] | None = None, **files: str) -> Outcome:
    # Its name sorts before the cases' file: only the plugin makes it come last.
    suite = write_suite(folder, **(files or {"a_benchmarks": BENCHMARKS, "cases": CASES}))
    return run_suite(suite, "--report", "none", *options, target="reference", env=env)


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_they_run_after_the_cases_and_are_recorded(tmp_path: Path, workers: tuple[str, ...]) -> None:
    outcome = ran(tmp_path, *workers, "--benchmark-json=front.json")
    assert outcome.status == 0, outcome.text
    lines = [json.loads(line) for line in (outcome.results / "results.jsonl").read_text().splitlines()]
    kinds = [line["kind"] for line in lines]
    assert kinds == ["header", "case", *["benchmark"] * 4, "footer"]
    found = outcome.run.benchmarks
    assert {record.series for record in found} == SERIES
    assert all(record.valid for record in found)
    assert f"{'benchmarks':<26}{4:>7}" in outcome.text
    front = json.loads((tmp_path / "front.json").read_text())["benchmarks"]
    medians = {entry["extra_info"]["id"]: entry["stats"]["median"] for entry in front}
    assert medians == pytest.approx(
        {record.id: record.samples.median.value for record in found if record.samples}, rel=1e-6
    )


def test_one_check_each_by_option(tmp_path: Path) -> None:
    outcome = ran(tmp_path, "--bench", "check", "-n", "1")
    assert outcome.status == 0, outcome.text
    assert {record.samples.n for record in outcome.run.benchmarks if record.samples} == {1}


def test_benchmarks_alone_are_a_run(tmp_path: Path) -> None:
    outcome = ran(tmp_path, "-n", "1", "--bench", "check", benchmarks=BENCHMARKS)
    # What they wrote themselves is shown without the place they wrote to.
    assert "aclcts-benchmarks-" not in outcome.text
    assert outcome.status == 0, outcome.text
    assert len(outcome.run.benchmarks) == 4


def test_wrong_data_fails(tmp_path: Path) -> None:
    fault = {"ACLREF_FAULT": "copy_h2d_tail_lost"}
    outcome = ran(tmp_path, "--bench", "check", "-n", "1", env=fault, benchmarks=BENCHMARKS)
    assert outcome.status == 1
    assert "wrong data in 1 samples" in outcome.text
    assert {record.series for record in outcome.run.benchmarks if record.mismatches} == {"h2d-pinned-sync"}


@pytest.mark.parametrize("narrowed", [("--rule", "memcpy.h2d"), ("--fault", "memcpy_tail_overrun")])
def test_a_narrowed_run_leaves_them_out(tmp_path: Path, narrowed: tuple[str, ...]) -> None:
    outcome = ran(tmp_path, *narrowed)
    assert outcome.run.benchmarks == []
    assert len(outcome.run.cases) == 1


def test_a_series_that_does_not_exist_and_a_wrong_mode_are_usage_errors(tmp_path: Path) -> None:
    unknown = ran(tmp_path / "a", benchmarks=BENCHMARKS.replace("clock", "sundial"))
    assert unknown.status == 2
    assert "no series matches 'sundial'" in unknown.text
    mode = ran(tmp_path / "b", "--bench", "slow")
    assert mode.status == 2
    assert "--bench: 'slow' is not one of quick, check, full" in mode.text


def test_the_replayed_clock_shows_the_samples() -> None:
    clock = Replay()
    clock.load([0.5, 0.25])
    times = [clock()]
    for _ in range(3):
        clock.step()
        times.append(clock())
    assert times == [0.0, 0.5, 0.75, 0.75]


def test_the_front_s_options_are_passed_on_with_their_values() -> None:
    given = ["suites", "-n", "4", "--benchmark-json", "x.json", "--benchmark-autosave", "-k", "x"]
    assert passed_on([*given, "--benchmark-sort=name"]) == [
        "--benchmark-json",
        "x.json",
        "--benchmark-autosave",
        "--benchmark-sort=name",
    ]


SLOW = """
import sys
import time

import harness.plugin

# The package has a decorator of the module's name.
sys.modules["harness.plugin.benchmarks"]._WHOLE_DEADLINE_S = LIMIT
pytest_plugins = ["harness.plugin"]


def pytest_runtest_setup(item):
    if item.name.startswith("test_copies"):
        time.sleep(300)
"""


def test_benchmarks_that_take_too_long_are_told_and_lose_nothing_measured(tmp_path: Path) -> None:
    write_suite(tmp_path, benchmarks=BENCHMARKS, cases=CASES)
    (tmp_path / "conftest.py").write_text(SLOW.replace("LIMIT", "20.0"))
    outcome = run_suite(
        tmp_path, "suites", "--report", "none", "-n", "1", "--bench", "check", target="reference"
    )
    assert outcome.status == 1, outcome.text
    assert "ERROR: the benchmarks were ended after 20 s; the rest was not measured" in outcome.text
    assert {record.series for record in outcome.run.benchmarks} == {"clock", "copy-nothing"}
    assert outcome.verdicts == {"test_h2d": "pass"}


def test_a_run_from_another_folder_finds_library_and_benchmarks(tmp_path: Path) -> None:
    library = find_reference()
    assert library is not None
    write_suite(tmp_path, benchmarks=BENCHMARKS, cases=CASES)
    (tmp_path / "library.so").symlink_to(library)
    options = (".", "--report", "none", "-n", "1", "--bench", "check")
    outcome = run_suite(tmp_path / "suites", *options, target="../library.so")
    assert outcome.status == 0, outcome.text
    assert len(outcome.run.benchmarks) == 4


def test_without_the_native_loop_nothing_is_measured_and_nothing_is_bad(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACLCTS_PROBE", str(tmp_path / "none.so"))
    outcome = ran(tmp_path)
    assert outcome.status == 0, outcome.text
    assert f"not measured 4: {tmp_path}/none.so: cannot be used as the measuring loop" in outcome.text
    assert [record.samples for record in outcome.run.benchmarks] == [None] * 4
    assert outcome.run.finished
