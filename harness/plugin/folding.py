"""One message from a worker for all that a passed case tells: pytest-xdist would send six.

Between the processes of a run a message costs more than many a case. The controller takes this one apart
again: whoever listens there hears three reports and the end of the item, as without workers.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.plugin.protocol import attach_text, records_text

_PHASES = ("setup", "call", "teardown")
_KIND = "aclcts folded"
_FOLDED = "aclcts_folded"
_SENDER = "WorkerInteractor"
_PLACE = ("node", "item_index", "worker_id", "testrun_uid")


def passed_reports(
    nodeid: str,
    location: tuple[str, int | None, str],
    keywords: Sequence[str],
    times: Sequence[Sequence[float]],
) -> list[pytest.TestReport]:
    """The three reports of a case that passed without a word: start, stop and duration of each phase."""
    return [
        pytest.TestReport(
            nodeid,
            location,
            dict.fromkeys(keywords, 1),
            "passed",
            None,
            when,  # type: ignore[arg-type]
            duration=duration,
            start=start,
            stop=stop,
        )
        for when, (start, stop, duration) in zip(_PHASES, times, strict=True)
    ]


class Folding:
    """The side of the process that runs items: logs their reports, those of a passed case to the controller
    as one.
    """

    def __init__(self, config: pytest.Config) -> None:
        manager = config.pluginmanager
        hooks = [getattr(manager.hook, f"pytest_runtest_log{what}") for what in ("start", "report", "finish")]
        listening = [impl for hook in hooks for impl in hook.get_hookimpls()]
        self._sender: Any = next(
            (impl.plugin for impl in listening if type(impl.plugin).__name__ == _SENDER), None
        )
        # A conftest.py may listen to the items of its own folder only.
        self._local = any(Path(impl.plugin_name).name == "conftest.py" for impl in listening)
        # Whom it sends to hears of it there, and what a worker's terminal would show is seen by nobody.
        deaf = [each for each in (self._sender, manager.get_plugin("terminalreporter")) if each is not None]
        # Only a talkative controller shows that a case has started.
        self._tells_start = not self._possible or config.get_verbosity() > 0
        self._start_here = manager.subset_hook_caller("pytest_runtest_logstart", deaf)
        self._report_here = manager.subset_hook_caller("pytest_runtest_logreport", deaf)
        self._finish_here = manager.subset_hook_caller("pytest_runtest_logfinish", deaf)

    @property
    def _possible(self) -> bool:
        """Whether this process sends reports to another one, and everybody here listens to all of them."""
        return self._sender is not None and not self._local

    def begin(self, item: pytest.Item) -> None:
        """Log that an item starts; to the controller only where it has to know at once."""
        start = item.ihook.pytest_runtest_logstart if self._tells_start else self._start_here
        start(nodeid=item.nodeid, location=item.location)

    def end(self, item: pytest.Item, reports: Sequence[pytest.TestReport], quiet: bool) -> None:
        """Log the reports of an item, and its end; `quiet`: they are what `passed_reports` makes."""
        if quiet and self._possible:
            self._fold(reports)
            return
        if not self._tells_start:
            self._sender.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def _fold(self, reports: Sequence[pytest.TestReport]) -> None:
        for report in reports:
            self._report_here(report=report)
        main = reports[1]
        self._finish_here(nodeid=main.nodeid, location=main.location)
        times = [[report.start, report.stop, report.duration] for report in reports]
        setattr(main, _FOLDED, [not self._tells_start, times])
        self._sender.pytest_runtest_logreport(report=main)


class Unfolding:
    """The hooks that put a folded message together and, on the other side, take it apart."""

    def __init__(self, config: pytest.Config) -> None:
        self._hook = config.hook

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_to_serializable(self, report: Any) -> dict[str, Any] | None:
        """A folded report as one text, which takes the least time on the way."""
        folded = getattr(report, _FOLDED, None)
        if folded is None:
            return None
        told = [report.nodeid, report.location, list(report.keywords), folded, records_text(report)]
        return {"$report_type": _KIND, "told": msgspec.json.encode(told).decode()}

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_from_serializable(self, data: dict[str, Any]) -> pytest.TestReport | None:
        """The report of the call, which still carries the times of the other phases."""
        if data.get("$report_type") != _KIND:
            return None
        nodeid, location, keywords, folded, records = msgspec.json.decode(data["told"])
        report = passed_reports(nodeid, tuple(location), keywords, folded[1])[1]
        attach_text(report, records)
        setattr(report, _FOLDED, folded)
        _place(report, data)
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, Any, Any]:
        """Log what came before the report of the call, and after it."""
        folded = report.__dict__.pop(_FOLDED, None)
        if folded is None:
            return (yield)
        starts, times = folded
        if starts:
            self._hook.pytest_runtest_logstart(nodeid=report.nodeid, location=report.location)
        before, _, after = passed_reports(report.nodeid, report.location, list(report.keywords), times)
        for each in (before, after):
            _place(each, vars(report))
        self._hook.pytest_runtest_logreport(report=before)
        result = yield
        self._hook.pytest_runtest_logreport(report=after)
        self._hook.pytest_runtest_logfinish(nodeid=report.nodeid, location=report.location)
        return result


def _place(report: pytest.TestReport, found: Mapping[str, Any]) -> None:
    """Write on a report which worker it is from, as pytest-xdist does."""
    report.__dict__.update({name: found[name] for name in _PLACE if name in found})
