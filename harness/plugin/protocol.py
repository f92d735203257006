"""Running one case where the library is: in the runner, in a fresh child, or here with --isolate none."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from harness.device import DeviceError, Engine
from harness.plugin.case import Case
from harness.plugin.matrix import Cell, cell_of
from harness.plugin.outcome import Mess, judge, together
from harness.plugin.records import WITHOUT_EVIDENCE, record, recorded_calls, trace
from harness.plugin.settings import Settings, settings_of
from harness.results import Verdict

CASE_KEY = pytest.StashKey[Case]()
PHASES_KEY = pytest.StashKey["Phases"]()
JUDGED_RULES_KEY = pytest.StashKey[frozenset[str] | None]()
ENGINE_KEY = pytest.StashKey[Engine]()

RECORDS = "aclcts_records"
"""The attribute of a report that carries a case's records as JSON values."""


def new_engine(config: pytest.Config, journal: Path | None = None) -> Engine:
    """An engine over the run's target, whose calls are written to `journal` too."""
    settings = settings_of(config)
    return Engine(settings.target, settings.contract, settings.fault, settings.seed, journal)


def engine_of(config: pytest.Config) -> Engine:
    """The engine of this process, made by its first use."""
    found = config.stash.get(ENGINE_KEY, None)
    if found is None:
        found = config.stash[ENGINE_KEY] = new_engine(config)
    return found


@dataclass
class CaseResult:
    """What running a case gave: its reports and records, and whether this process may go on with another
    one.
    """

    reports: list[pytest.TestReport]
    records: list[dict[str, Any]] = field(default_factory=list)
    spent: bool = False

    @property
    def main(self) -> pytest.TestReport:
        """The report of the call, or of the set-up where there was none; subtests' reports come before it."""
        calls = [report for report in self.reports if report.when == "call"]
        return calls[-1] if calls else self.reports[0]


@dataclass
class Phases:
    """How the phases of a case have ended: their exceptions, and the calls made by the time of the first
    one.
    """

    errors: dict[str, BaseException] = field(default_factory=dict)
    calls: list[dict[str, Any]] | None = None

    def note(self, config: pytest.Config, call: pytest.CallInfo[None]) -> None:
        """Take in the end of a phase."""
        self.errors.pop(call.when, None)
        if call.excinfo is None:
            return
        self.errors[call.when] = call.excinfo.value
        if self.calls is None:
            self.calls = _calls_so_far(config)


def _calls_so_far(config: pytest.Config) -> list[dict[str, Any]]:
    engine = config.stash.get(ENGINE_KEY, None)
    return recorded_calls(engine.library.recorder) if engine is not None and engine.loaded else []


class Witness:
    """Keeps the exception of each phase of the case that runs."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Note the exception beside pytest's report of it."""
        phases = item.stash.get(PHASES_KEY, None)
        if phases is not None:
            phases.note(item.config, call)
        return (yield)


def run_case(
    item: pytest.Item, nextitem: pytest.Item | None, rules: Sequence[str] | None = None
) -> CaseResult:
    """Run a case's set-up, call and tear-down, and judge it; with `rules`, only these of a derived case."""
    cell = cell_of(item)
    if cell is None:
        raise TypeError(f"{item.nodeid} is no case")
    item.stash[PHASES_KEY] = Phases()
    item.stash[JUDGED_RULES_KEY] = frozenset(rules) if rules is not None else None
    settings = settings_of(item.config)
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    case = item.stash.get(CASE_KEY, None)
    judgement = _Judgement(item, cell, case, settings, reports)
    records = judgement.records() if not item.config.option.setuponly else []
    judgement.mend_reports()
    if case is not None:
        del item.stash[CASE_KEY]
    del item.stash[PHASES_KEY], item.stash[JUDGED_RULES_KEY]
    result = CaseResult(judgement.reports, records)
    if judgement.messy:
        result.spent = not _clean(item.config)
    return result


def _clean(config: pytest.Config) -> bool:
    """Drop what a case has left behind; False where only a new process can."""
    engine = config.stash.get(ENGINE_KEY, None)
    try:
        return engine is None or engine.reset()
    except DeviceError:
        return False


class _Judgement:
    """What a case's phases amount to."""

    def __init__(
        self,
        item: pytest.Item,
        cell: Cell,
        case: Case | None,
        settings: Settings,
        reports: list[pytest.TestReport],
    ) -> None:
        self._item = item
        self._cell = cell
        self._case = case
        self._settings = settings
        self.reports = reports
        self._phases = item.stash[PHASES_KEY]
        self._errors = self._phases.errors
        self.verdict, self.reason = self._whole()

    @property
    def messy(self) -> bool:
        """Whether the library can no longer be taken to be as a new case needs it."""
        prepared = self._case is not None
        return "teardown" in self._errors or ("setup" in self._errors and not prepared)

    def _whole(self) -> tuple[Verdict, str]:
        judged = [
            judge(error, self._settings.contract, self._cell.profile)
            for when in ("setup", "call", "teardown")
            if (error := self._errors.get(when)) is not None
        ]
        if not judged:
            return self._without_error()
        return together(judged)

    def _without_error(self) -> tuple[Verdict, str]:
        called = any(report.when == "call" for report in self.reports)
        if self._case is None or self._cell.derived or not called:
            return Verdict.PASS, ""
        return self._case.expect.conclude()

    def records(self) -> list[dict[str, Any]]:
        """The records of the case: one, or for a derived case one for each rule."""
        if self._cell.derived:
            return self._records_of_rules()
        return [self._record(self._item.nodeid, None)]

    def _record(self, item_id: str, rules: list[str] | None) -> dict[str, Any]:
        telling = self.verdict not in WITHOUT_EVIDENCE
        engine = self._item.config.stash.get(ENGINE_KEY, None)
        return record(
            item_id,
            self._cell,
            self.verdict,
            rules=rules,
            reason=self.reason,
            observed="; ".join(self._case.expect.observations) if self._case is not None else "",
            duration=sum(report.duration for report in self.reports),
            calls=self._calls() if telling else (),
            error_text=engine.error_text() if telling and engine is not None and not self.messy else "",
            log="".join(content for _, content in self.reports[-1].sections) if telling else "",
        )

    def _records_of_rules(self) -> list[dict[str, Any]]:
        judged = list(self._case.records) if self._case is not None else []
        if self.verdict is Verdict.PASS:
            bad = sum(Verdict(made["verdict"]).is_bad(self._settings.strict) for made in judged)
            if bad:
                self.verdict, self.reason = Verdict.FAIL, f"{bad} of {len(judged)} rules"
            return judged
        # The item itself went wrong: no rule of it was shown to hold.
        named = self._item.stash[JUDGED_RULES_KEY]
        done = {made["rules"][0] for made in judged if Verdict(made["verdict"]) is not Verdict.PASS}
        missing = [
            rule.id
            for rule in self._cell.rules
            if rule.id not in done and (named is None or rule.id in named)
        ]
        kept = [made for made in judged if made["rules"][0] in done]
        return kept + [self._record(f"{self._item.nodeid}::{rule_id}", [rule_id]) for rule_id in missing]

    def mend_reports(self) -> None:
        """Make pytest's outcome the verdict's: bad is failed, blocked is skipped, everything else passed."""
        main = next((report for report in self.reports if report.when == "call"), self.reports[0])
        if self.verdict.is_bad(self._settings.strict):
            if main.outcome != "failed":
                main.outcome, main.longrepr = "failed", self.reason
            self._show_calls(main)
        elif self.verdict is Verdict.BLOCKED:
            path, line, _ = self._item.location
            main.outcome, main.longrepr = "skipped", (path, (line or 0) + 1, f"Skipped: {self.reason}")
        else:
            main.outcome, main.longrepr = "passed", None
        if isinstance(self._errors.get("teardown"), Mess):
            # What the case left behind is the case's own failure, not an error of its fixtures.
            last = self.reports[-1]
            last.outcome, last.longrepr = "passed", None

    def _show_calls(self, main: pytest.TestReport) -> None:
        if not self._cell.derived and (calls := self._calls()):
            main.sections.append(("ACL calls", trace(calls)))

    def _calls(self) -> list[dict[str, Any]]:
        if self._phases.calls is None:
            self._phases.calls = _calls_so_far(self._item.config)
        return self._phases.calls
