"""The run as a whole, in the process that the user started: header, results, summary, exit status."""

from __future__ import annotations

import os
import re
import sys
import uuid
from collections import Counter
from datetime import datetime, timezone
from typing import Any, NoReturn

import msgspec
import pytest

from harness.device import fingerprint
from harness.plugin.matrix import cell_of
from harness.plugin.progress import Progress, chosen_mode
from harness.plugin.protocol import attached_records, carries_records
from harness.plugin.resume import Resumed
from harness.plugin.settings import NO_REPORT, Settings, runs_no_case
from harness.results import (
    FILE_NAME,
    SCHEMA,
    BenchmarkRecord,
    CaseRecord,
    ContractInfo,
    Header,
    ResultsError,
    Store,
    TargetInfo,
    Verdict,
    worst,
)
from harness.results.reproduce import item_of
from harness.results.text import one_line
from harness.results.waivers import WaiverProblem, WaiverUse

BAD, USAGE, STOPPED = 1, 2, 3
_LISTED = 30
_PASTED = 5
_LETTERS = {
    Verdict.CRASH: "C",
    Verdict.HANG: "H",
    Verdict.ABSENT: "A",
    Verdict.DEVIATES: "d",
    Verdict.WORKS_THOUGH_UNSUPPORTED: "w",
    Verdict.OBSERVED: "o",
    Verdict.BLOCKED: "b",
    Verdict.WAIVED: "~",
}
_CELL = re.compile(r"\[(?:(acl\w+)-)?(\w+)-(EP|RC|ccpu)-(c|pyacl)(?:-|\])")

WITHOUT_REPORT = "no report was asked for"
"""What a run says instead of where its page is."""


class RunSession:
    """The hooks of the controlling process: only it writes results."""

    def __init__(
        self, config: pytest.Config, settings: Settings, eager: bool, resumed: Resumed, page: bool = True
    ) -> None:
        """Without `page`, the run ends with its results."""
        self._config = config
        self._settings = settings
        self._eager = eager
        self._page = page
        self._store: Store | None = None
        self._bad: list[CaseRecord] = []
        self._blocked: Counter[str] = Counter()
        self._counts: Counter[Verdict] = Counter()
        self._benchmarks = 0
        self._unmeasured: Counter[str] = Counter()
        self._interrupted = False
        self._told_to_stop = False
        self._report = ""
        self._trouble = ""
        self._waiver_use = WaiverUse(settings.waivers) if settings.waivers.entries else None
        self._waiver_problems: list[WaiverProblem] = []
        self._progress: Progress | None = None
        self._items = len(resumed.done)
        self._total = 0
        self._resumed = resumed
        for made in resumed.cases:
            self._count(made)
        self._started = False
        self._seen: tuple[pytest.TestReport | None, list[dict[str, Any]] | None] = (None, None)

    @property
    def bad_rules(self) -> set[str]:
        """The rules of the cases that were bad so far."""
        return {rule for made in self._bad for rule in made.rules}

    def pytest_report_header(self) -> list[str]:
        """What is tested, as what, by which contract, and where the results go."""
        if not self._eager:
            return []
        settings = self._settings
        target, contract = settings.target, settings.contract
        profiles = " ".join(str(profile) for profile in target.profiles)
        seed = f", seed {settings.seed}" if settings.seed is not None else ""
        fault = f", fault {settings.fault}" if settings.fault else ""
        kept = len(self._resumed.cases)
        return [
            *([f"resumed: {kept} cases are done"] if kept else []),
            f"target: {target.label} at {target.path}{fault}{seed}",
            f"profiles: {profiles} (CANN {target.profiles[0].cann}), surfaces: {' '.join(settings.surfaces)}",
            f"contract: API {contract.version}, {len(contract.rules)} rules, {contract.hash[:12]}",
            *([f"order: --shuffle {settings.shuffle}"] if settings.shuffle is not None else []),
            f"results: {settings.results}, isolation: {settings.isolate}, "
            f"{'strict' if settings.strict else 'not strict'}",
        ]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Open the results as soon as it is known that there are cases to run."""
        here = self._resumed.cases or any(cell_of(item) is not None for item in session.items)
        if here and not runs_no_case(self._config):
            self.open()
            self._expect(len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        """The same, where the workers collect."""
        if self._eager and (ids or self._resumed.cases) and not runs_no_case(self._config):
            self.open()
            self._expect(len(ids))

    def _expect(self, total: int) -> None:
        """Learn how many tests are to run, and show how far the run is where that was asked for."""
        self._total = len(self._resumed.done) + total
        if self._progress is not None or not self._eager or not total:
            return
        mode = chosen_mode(self._config, self._settings.progress)
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if mode != "letters" and reporter is not None:
            self._progress = Progress(reporter, mode, total, self._settings.strict)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Remember that the run was broken off, by a person or by what pytest raises in the same way."""
        self._interrupted = True
        self._told_to_stop = excinfo.type is KeyboardInterrupt

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write the records that a report carries, and one for a case whose worker died with it."""
        self._started = True
        records = self._records_of(report)
        if records is None and report.when not in ("setup", "call", "teardown"):
            version = self._settings.target.profiles[0].cann
            records = [_record_of_lost(report, version)] if _CELL.search(report.nodeid) else None
        for made in records or ():
            if made["kind"] == "benchmark":
                self.add_benchmark(msgspec.convert(made, BenchmarkRecord))
            else:
                self._append(msgspec.convert(made, CaseRecord))
        if records is not None and not any(made["kind"] == "benchmark" for made in records):
            self._items += 1
        if records is not None and self._progress is not None:
            self._progress.item()

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """A letter and a word for every verdict that pytest has no word for; none while progress is shown."""
        if self._progress is not None and self._progress.running:
            return (report.outcome, "", "") if carries_records(report) else None
        records = [made for made in self._records_of(report) or () if made["kind"] == "case"]
        if not records:
            return None
        verdict = worst(*(Verdict(made["verdict"]) for made in records))
        letter = _LETTERS.get(verdict)
        return (report.outcome, letter, verdict.value.upper()) if letter is not None else None

    def _records_of(self, report: pytest.TestReport) -> list[dict[str, Any]] | None:
        """The records of a report; it is asked for them twice in a row."""
        if report is not self._seen[0]:
            self._seen = report, attached_records(report)
        return self._seen[1]

    def _append(self, made: CaseRecord) -> None:
        self._write(made)
        self._count(made)
        if self._progress is not None:
            self._progress.case(made)

    def end_progress(self) -> None:
        """Show no more how far the run is; harmless when done already."""
        if self._progress is not None:
            self._progress.stop()

    def add_benchmark(self, made: BenchmarkRecord) -> None:
        """Write the record of a benchmark."""
        self._write(made)
        self._benchmarks += 1
        if made.samples is None:
            self._unmeasured[made.reason] += 1

    def _write(self, made: CaseRecord | BenchmarkRecord) -> None:
        if self._store is None:
            self.open()
        if self._store is not None:
            try:
                self._store.append(made)
            except ResultsError as error:
                # As an interrupt does: what was judged until then is summed up.
                pytest.exit(str(error), pytest.ExitCode.INTERRUPTED)

    def _count(self, made: CaseRecord) -> None:
        self._counts[made.verdict] += 1
        if self._waiver_use is not None:
            self._waiver_use.see(made)
        if made.verdict.is_bad(self._settings.strict):
            self._bad.append(made)
        elif made.verdict is Verdict.BLOCKED:
            self._blocked[made.reason] += 1

    def open(self) -> None:
        """Open the results, where that has not been done."""
        if self._store is not None:
            return
        try:
            self._store = Store(self._settings.results, self._header(), self._resumed.cases)
        except ResultsError as error:
            raise pytest.UsageError(str(error)) from None

    def _header(self) -> Header:
        settings = self._settings
        target = settings.target
        return Header(
            schema=SCHEMA,
            run_id=uuid.uuid4().hex,
            started=datetime.now(timezone.utc),
            target=TargetInfo(kind=target.kind, label=target.label, path=target.path, sha256=target.sha256),
            contract=ContractInfo(version=settings.contract.version, hash=settings.contract.hash),
            environment=fingerprint(target),
            products=list(dict.fromkeys(profile.product for profile in target.profiles)),
            forms=list(dict.fromkeys(profile.form for profile in target.profiles)),
            cann=target.profiles[0].cann,
            surfaces=list(settings.surfaces),
            options=settings.stated(),
            seed=settings.seed,
        )

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Close the results: with a footer where the run ended in order."""
        self.end_progress()
        if self._waiver_use is not None and self._store is not None:
            self._waiver_problems = self._waiver_use.problems(
                self._header(), self._settings.rules, self._settings.whole(session.config)
            )
        # With -x or --maxfail: pytest ends with 1 then, but as interrupted where there are workers.
        gave_up = bool(session.shouldfail) and not self._told_to_stop
        session.exitstatus = BAD if gave_up else self._status(int(exitstatus))
        if self._store is None:
            return
        whole = session.exitstatus in (0, BAD) and not (gave_up and self._items < self._total)
        if not self._end(self._store, int(session.exitstatus) if whole else None):
            session.exitstatus = STOPPED
        if self._page and not self._render() and session.exitstatus == 0:
            session.exitstatus = USAGE

    def _end(self, store: Store, status: int | None) -> bool:
        """Close the results, with a footer where there is a status; False where the disk refuses them."""
        try:
            if status is None:
                store.close()
            else:
                store.finish(status, self._items)
        except ResultsError as error:
            self._trouble = f"ERROR: {error}"
            return False
        return True

    def _render(self) -> bool:
        """Make the page and keep what the console says of it; False where it could not be made."""
        if self._settings.options.get("report") == NO_REPORT:
            self._report = WITHOUT_REPORT
            return True
        # A run without cases never needs the templates.
        from reports import render

        try:
            render([self._settings.results], self._settings.report)
        except ResultsError as error:
            self._report = f"ERROR: no report: {error}"
            return False
        self._report = f"report: {self._settings.report}"
        return True

    def _status(self, status: int) -> int:
        """pytest's exit status as ours: 0 nothing bad, 1 something bad, 2 usage, 3 stopped midway."""
        if status == pytest.ExitCode.NO_TESTS_COLLECTED and self._resumed.cases:
            status = pytest.ExitCode.OK
        if status in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED):
            return USAGE
        if status == pytest.ExitCode.INTERRUPTED:
            stopped = self._told_to_stop or (self._interrupted and self._started)
            return STOPPED if stopped else USAGE
        if status in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            return BAD if self._bad or self._waiver_problems or status else 0
        return STOPPED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Verdict counts, what was blocked and why, what failed and how to run it again."""
        if not self._counts and not self._benchmarks:
            return
        write = terminalreporter.write_line
        terminalreporter.section("verdicts")
        for verdict in Verdict:
            if self._counts[verdict]:
                worth = verdict.counts_as(self._settings.strict).value
                write(f"{verdict.value:<26}{self._counts[verdict]:>7}  {worth}")
        for reason, count in self._blocked.most_common(_LISTED):
            write(f"blocked {count:>6}: {one_line(reason)}")
        for problem in self._waiver_problems:
            write(f"waiver {problem.waiver.pattern}: {problem.told}")
        if self._benchmarks:
            write(f"{'benchmarks':<26}{self._benchmarks:>7}")
        for reason, count in self._unmeasured.most_common(_LISTED):
            write(f"not measured {count}: {one_line(reason)}")
        if self._bad:
            self._list_bad(terminalreporter)
        write(f"results: {self._settings.results / FILE_NAME}")
        if self._trouble:
            write(self._trouble)
        write(self._report)

    def _list_bad(self, terminalreporter: pytest.TerminalReporter) -> None:
        write = terminalreporter.write_line
        write("")
        for made in self._bad[:_LISTED]:
            reason = one_line(made.reason.strip().partition("\n")[0])
            write(f"{made.verdict.value}: {made.id}" + (f": {reason}" if reason else ""))
        if len(self._bad) > _LISTED:
            write(f"… and {len(self._bad) - _LISTED} more in the results")
        ids = list(dict.fromkeys(item_of(made) for made in self._bad))[:_PASTED]
        write(f"again: {self._settings.again(self._config, ids)}")


def _record_of_lost(report: pytest.TestReport, version: str) -> dict[str, Any]:
    """The record of a case whose worker process died with it, as far as its id tells."""
    found = _CELL.search(report.nodeid)
    api, product, form, surface = found.groups() if found is not None else ("", "", "", "")
    return {
        "kind": "case",
        "id": report.nodeid,
        "rules": [],
        "api": api or "",
        "surface": surface,
        "product": product,
        "form": form,
        "cann": version,
        "verdict": Verdict.CRASH.value,
        "reason": "the worker process died",
        "log": str(report.longrepr or ""),
    }


def end_with_usage_error(error: BaseException) -> int:
    """Say in one line what cannot be used; the exit status for it."""
    sys.stderr.write(f"ERROR: {error}\n")
    sys.stderr.flush()
    return USAGE


def refuse_options(message: str) -> NoReturn:
    """End with a line about options that pytest cannot make sense of, before there is a run."""
    raise SystemExit(end_with_usage_error(Exception(" ".join(message.split()))))


def cores() -> int:
    """The processor cores this process may use."""
    return len(os.sched_getaffinity(0))
