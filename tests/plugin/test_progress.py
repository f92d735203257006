"""How far a run is: lines elsewhere than on a terminal, a bar on one, letters where they are asked for."""

from __future__ import annotations

import io
import os
import pty
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import harness.plugin.progress
from harness.plugin.progress import Progress, chosen_mode, duration
from harness.results import Verdict
from tests.fakes.runs import Outcome, command, environment, run_suite, write_suite
from tests.results.test_store import case

SUITE = """
import pytest
from harness.plugin import covers


@covers("memcpy.h2d")
@pytest.mark.parametrize("number", range(12))
def test_many(expect, number):
    expect.true("it is not five", number == 5, False)
"""


class Reporter:
    """What progress needs of pytest's reporter."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.showfspath = self._show_progress_info = True
        self._tw = SimpleNamespace(_file=io.StringIO())

    def write_line(self, line: str) -> None:
        self.lines.append(line)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that progress sees, in seconds; a test sets it."""
    now = [100.0]
    monkeypatch.setattr(harness.plugin.progress, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


def progress(reporter: Any, mode: str, total: int) -> Progress:
    return Progress(reporter, mode, total, strict=True)


def test_a_line_comes_with_another_tenth_and_tells_counts_and_time_left(clock: list[float]) -> None:
    reporter = Reporter()
    shown = progress(reporter, "lines", 20)
    for number in range(10):
        clock[0] += 1.0
        shown.case(case(number, Verdict.OBSERVED if number == 1 else Verdict.PASS))
        shown.item()
    assert reporter.lines[0] == "[ 10%] 2 of 20 tests, 1 good, 1 remark, 18 s left"
    assert reporter.lines[-1] == "[ 50%] 10 of 20 tests, 9 good, 1 remark, 10 s left"
    assert len(reporter.lines) == 5
    assert not reporter.showfspath
    assert not reporter._show_progress_info


def test_a_slow_run_is_heard_of_every_ten_seconds(clock: list[float]) -> None:
    reporter = Reporter()
    shown = progress(reporter, "lines", 100_000)
    for _ in range(25):
        clock[0] += 1.0
        shown.item()
    assert len(reporter.lines) == 2


def test_a_bad_case_is_named_at_once_but_not_without_end(clock: list[float]) -> None:
    reporter = Reporter()
    shown = progress(reporter, "lines", 1_000)
    for number in range(100):
        shown.case(case(number, Verdict.DEVIATES))
    assert reporter.lines[0] == f"deviates: {case(0).id}"
    assert len(reporter.lines) == 20


def test_the_bar_shows_counts_and_goes_away(clock: list[float]) -> None:
    reporter = Reporter()
    shown = progress(reporter, "bar", 2)
    assert shown.running
    for number in range(2):
        clock[0] += 1.0
        shown.case(case(number, Verdict.FAIL if number else Verdict.PASS))
        shown.item()
    shown.stop()
    shown.stop()
    drawn = reporter._tw._file.getvalue()
    assert "2/2" in drawn
    assert "1 good, 1 bad" in drawn
    assert f"fail: {case(1).id}" in drawn
    assert not shown.running


def config(reporter: object, **options: Any) -> Any:
    defaults = {"verbose": 0, "usepdb": False, "trace": False, "capture": "fd"}
    manager = SimpleNamespace(get_plugin=lambda name: reporter)
    return SimpleNamespace(pluginmanager=manager, option=SimpleNamespace(**{**defaults, **options}))


@pytest.mark.parametrize(
    ("terminal", "options", "wanted", "mode"),
    [
        (True, {}, "auto", "bar"),
        (False, {}, "auto", "lines"),
        (True, {"verbose": 1}, "auto", "letters"),
        (True, {"usepdb": True}, "auto", "letters"),
        (True, {"capture": "no"}, "auto", "letters"),
        (True, {"verbose": 1}, "lines", "lines"),
        (False, {}, "bar", "bar"),
    ],
)
def test_what_is_shown_follows_what_stands_at_the_other_end(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, options: dict[str, Any], wanted: str, mode: str
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert chosen_mode(config(SimpleNamespace(isatty=terminal), **options), wanted) == mode


def test_a_dumb_terminal_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert chosen_mode(config(SimpleNamespace(isatty=True)), "auto") == "lines"
    assert chosen_mode(config(None), "auto") == "letters"


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.4, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "1 h 0 min"), (5400, "1 h 30 min")],
)
def test_times_are_in_a_persons_unit(seconds: float, told: str) -> None:
    assert duration(seconds) == told


# --- in a run --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_suite(tmp_path_factory.mktemp("progress"), many=SUITE)


@pytest.fixture(scope="module")
def plain(folder: Path) -> Outcome:
    return run_suite(folder, "suites")


def test_a_run_in_a_pipe_has_lines_and_no_letters(plain: Outcome) -> None:
    assert plain.status == 1
    assert not any(line.startswith("suites/") for line in plain.text.splitlines()[:20])
    assert "....." not in plain.text
    assert plain.text.index("fail: suites/test_many.py::test_many") < plain.text.index("= FAILURES =")


def test_the_failed_are_listed_with_a_line_to_run_them_again(plain: Outcome) -> None:
    (again,) = (line for line in plain.text.splitlines() if line.startswith("again: pytest"))
    assert "test_many[910b-EP-c-5]" in again
    assert "FAILED suites/test_many.py::test_many[910b-EP-c-5]" in plain.text


def test_letters_are_there_for_the_asking(folder: Path) -> None:
    assert ".....F......" in run_suite(folder, "suites", "--progress", "letters").text


def test_workers_are_counted_together(folder: Path) -> None:
    outcome = run_suite(folder, "suites", "-n", "2")
    assert outcome.status == 1
    assert "....." not in outcome.text


def test_a_terminal_has_a_bar(folder: Path) -> None:
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        command("suites", "-q"),
        cwd=folder,
        env=environment(more={"TERM": "xterm"}),
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    drawn = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:
            break
        if not piece:
            break
        drawn += piece
    os.close(ours)
    assert running.wait() == 1
    assert b"12/12" in drawn
    assert b"11 good, 1 bad" in drawn


def test_another_way_is_one_line(folder: Path) -> None:
    outcome = run_suite(folder, "suites", "--progress", "confetti")
    assert outcome.status == 2
    assert "--progress: 'confetti' is not one of auto, bar, lines, letters" in outcome.text
