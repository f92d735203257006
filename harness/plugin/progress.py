"""How far a run is, while it runs: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import os
import time
from collections import Counter
from typing import Any, Protocol

import pytest

from harness.plugin.quick import debugs
from harness.results import CaseRecord, Counts
from harness.results.text import one_line

_REDRAW_S = 0.1
_LINE_S, _EARLIEST_LINE_S = 10.0, 2.0
_PARTS = 10
_SHOWN_BAD = 20


class _Shown(Protocol):
    def update(self, done: int, total: int, told: str) -> None: ...

    def note(self, line: str) -> None: ...

    def stop(self) -> None: ...


class Progress:
    """Counts what has ended and shows it; pytest's own letters are left out meanwhile."""

    def __init__(self, reporter: pytest.TerminalReporter, mode: str, total: int, strict: bool) -> None:
        self._strict = strict
        self._total = total
        self._done = 0
        self._bad = 0
        self._worth: Counter[Counts] = Counter()
        self._shown: _Shown | None = _Bar(reporter, total) if mode == "bar" else _Lines(reporter)
        # pytest has no public way to leave these out.
        quiet: Any = reporter
        quiet.showfspath = False
        quiet._show_progress_info = False

    @property
    def running(self) -> bool:
        """Whether the run goes on, and letters stay out."""
        return self._shown is not None

    def case(self, made: CaseRecord) -> None:
        """A case has ended; a bad one is named at once."""
        worth = made.verdict.counts_as(self._strict)
        self._worth[worth] += 1
        if worth is Counts.BAD:
            self._bad += 1
            if self._shown is not None and self._bad <= _SHOWN_BAD:
                self._shown.note(f"{made.verdict}: {one_line(made.id)}")

    def item(self) -> None:
        """A test with all of its cases has ended."""
        self._done += 1
        if self._shown is not None:
            self._shown.update(self._done, self._total, self._told())

    def stop(self) -> None:
        """The run is over."""
        if self._shown is not None:
            self._shown.stop()
            self._shown = None

    def _told(self) -> str:
        return ", ".join(f"{self._worth[worth]} {worth.value}" for worth in Counts if self._worth[worth])


class _Lines:
    """A line when another tenth is done, and at the latest after ten seconds."""

    def __init__(self, reporter: pytest.TerminalReporter) -> None:
        self._write = reporter.write_line
        self._start = self._last = time.monotonic()
        self._part = 0

    def update(self, done: int, total: int, told: str) -> None:
        now = time.monotonic()
        part = done * _PARTS // max(total, 1)
        waited = now - self._last
        if waited < _EARLIEST_LINE_S or (part == self._part and waited < _LINE_S):
            return
        self._last, self._part = now, part
        left = duration((now - self._start) / done * max(total - done, 0))
        self._write(f"[{100 * done // max(total, done):3}%] {done} of {total} tests, {told}, {left} left")

    def note(self, line: str) -> None:
        self._write(line)

    def stop(self) -> None:
        """Nothing is left on the screen that would have to go."""


class _Bar:
    """A bar with counts and the time left, redrawn by hand: a thread must not be there at a fork."""

    def __init__(self, reporter: pytest.TerminalReporter, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        terminal: Any = reporter
        self._console = Console(file=terminal._tw._file, force_terminal=True, highlight=False)
        self._progress = RichProgress(
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("{task.fields[told]}", markup=False),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}", markup=False),
            console=self._console,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
            transient=True,
        )
        self._task = self._progress.add_task("", total=total, told="", left="")
        self._start, self._last = time.monotonic(), 0.0
        self._progress.start()

    def update(self, done: int, total: int, told: str) -> None:
        now = time.monotonic()
        if now - self._last < _REDRAW_S and done < total:
            return
        self._last = now
        left = duration((now - self._start) / done * max(total - done, 0))
        self._progress.update(self._task, completed=done, told=told, left=f"{left} left")
        self._progress.refresh()

    def note(self, line: str) -> None:
        self._progress.console.print(line, markup=False, soft_wrap=True)

    def stop(self) -> None:
        self._progress.stop()


def chosen_mode(config: pytest.Config, wanted: str) -> str:
    """bar, lines or letters: as wanted, else by what stands at the other end."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        return "letters"
    if wanted != "auto":
        return wanted
    if config.option.verbose > 0 or debugs(config) or getattr(config.option, "capture", "") == "no":
        return "letters"
    return "bar" if reporter.isatty and os.environ.get("TERM") != "dumb" else "lines"


def duration(seconds: float) -> str:
    """A time that is left, in the unit a person would use."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
