"""Running one case where the library is: in the runner, in a fresh child, or here with --isolate none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest
from _pytest.runner import runtestprotocol

from harness.device import DeviceError
from harness.plugin.case import Case
from harness.plugin.matrix import Cell, cell_of
from harness.plugin.outcome import Mess, judge, together
from harness.plugin.phases import CASE_KEY, ENGINE_KEY, JUDGED_RULES_KEY, PHASES_KEY, Phases
from harness.plugin.quick import QuickWay
from harness.plugin.records import WITHOUT_EVIDENCE, legible, record, trace
from harness.plugin.settings import Settings, settings_of
from harness.results import Verdict

_RECORDS = "aclcts_records"


def attach_records(report: pytest.TestReport, records: list[dict[str, Any]]) -> None:
    """Let a report carry a case's records to the process that writes them.

    As a text: what brings reports from the workers knows no numbers below -2**31.
    """
    attach_text(report, msgspec.json.encode(records).decode())


def attach_text(report: pytest.TestReport, records: str) -> None:
    """Let a report carry records that are a text already, as `records_text` gives it."""
    setattr(report, _RECORDS, records)


def records_text(report: pytest.TestReport) -> str:
    """The records that a report carries, as they travel."""
    return str(getattr(report, _RECORDS))


def carries_records(report: pytest.TestReport) -> bool:
    """Whether a report carries records; cheaper than looking at them."""
    return hasattr(report, _RECORDS)


def attached_records(report: pytest.TestReport) -> list[dict[str, Any]] | None:
    """The records that a report carries, as JSON values; None where it carries none."""
    text = getattr(report, _RECORDS, None)
    records: list[dict[str, Any]] | None = None if text is None else msgspec.json.decode(text)
    return records


@dataclass
class CaseResult:
    """What running a case gave: reports and records, and whether this process can go on with another one.

    A case that passed without a word has no reports but `times`: start, stop and duration of each phase, in
    seconds.
    """

    reports: list[pytest.TestReport]
    records: list[dict[str, Any]] = field(default_factory=list)
    spent: bool = False
    times: list[list[float]] | None = None

    @property
    def main(self) -> pytest.TestReport:
        """The report of the call, or of the set-up where there was none; subtests' reports come before it."""
        calls = [report for report in self.reports if report.when == "call"]
        return calls[-1] if calls else self.reports[0]


def run_case(
    item: pytest.Item,
    nextitem: pytest.Item | None,
    rules: Sequence[str] | None = None,
    quick: QuickWay | None = None,
) -> CaseResult:
    """Run a case's set-up, call and tear-down, and judge it; with `rules`, only these of a derived case.

    With `quick`, the short way is taken where it suits the case.
    """
    cell = cell_of(item)
    if cell is None:
        raise TypeError(f"{item.nodeid} is no case")
    item.stash[PHASES_KEY] = Phases()
    item.stash[JUDGED_RULES_KEY] = frozenset(rules) if rules is not None else None
    if quick is not None and quick.suits(item):
        result = _run_quickly(item, nextitem, cell, quick)
    else:
        result = _run_by_the_book(item, nextitem, cell)
    if CASE_KEY in item.stash:
        del item.stash[CASE_KEY]
    del item.stash[PHASES_KEY], item.stash[JUDGED_RULES_KEY]
    return result


def _run_by_the_book(item: pytest.Item, nextitem: pytest.Item | None, cell: Cell) -> CaseResult:
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    return _Judgement(item, cell, [report.when for report in reports]).result(reports)


def _run_quickly(item: Any, nextitem: pytest.Item | None, cell: Cell, quick: QuickWay) -> CaseResult:
    calls = quick.run(item, nextitem)
    judgement = _Judgement(item, cell, [call.when for call in calls])
    quiet = not item._report_sections and not item.user_properties
    if quiet and judgement.passed:
        times = [[call.start, call.stop, call.duration] for call in calls]
        result = CaseResult([], judgement.records(sum(call.duration for call in calls), ""), times=times)
    else:
        told = calls if judgement.bad else [_lightly(call) for call in calls]
        result = judgement.result(
            [item.ihook.pytest_runtest_makereport(item=item, call=call) for call in told]
        )
    item._request, item.funcargs = False, None
    return result


def _lightly(call: pytest.CallInfo[None]) -> pytest.CallInfo[None]:
    """The end of a phase of a case that is not bad, as that of a skipped one: pytest writes no traceback of
    it, which would take longer than the case and which nobody would be shown.
    """
    if call.excinfo is None or call.when == "teardown":
        return call
    skipped = pytest.skip.Exception(str(call.excinfo.value))
    call.excinfo = pytest.ExceptionInfo.from_exc_info((type(skipped), skipped, call.excinfo.tb))
    return call


def _clean(config: pytest.Config) -> bool:
    """Drop what a case has left behind; False where only a new process can."""
    engine = config.stash.get(ENGINE_KEY, None)
    try:
        return engine is None or engine.reset()
    except DeviceError:
        return False


class _Judgement:
    """What a case's phases amount to."""

    def __init__(self, item: pytest.Item, cell: Cell, phases: Sequence[str]) -> None:
        self._item = item
        self._cell = cell
        self._case = item.stash.get(CASE_KEY, None)
        self._settings: Settings = settings_of(item.config)
        self._called = "call" in phases
        self._phases = item.stash[PHASES_KEY]
        self._errors = self._phases.errors
        self.verdict, self.reason = self._whole()

    @property
    def passed(self) -> bool:
        """Whether every phase ended well and pytest counts the case as passed."""
        return not self._errors and not self.bad and self.verdict is not Verdict.BLOCKED

    @property
    def bad(self) -> bool:
        """Whether the run fails by it."""
        return self.verdict.is_bad(self._settings.strict)

    @property
    def _messy(self) -> bool:
        """Whether the library can no longer be taken to be as a new case needs it."""
        return "teardown" in self._errors or ("setup" in self._errors and self._case is None)

    def result(self, reports: list[pytest.TestReport]) -> CaseResult:
        """The records, and the reports with the verdict's outcome."""
        log = "".join(content for _, content in reports[-1].sections)
        records = []
        if not self._item.config.getoption("setuponly", False):
            records = self.records(sum(report.duration for report in reports), log)
            self._excuse(records)
        self._mend(reports)
        for report in reports:
            report.sections = [(name, legible(content)) for name, content in report.sections]
        return CaseResult(reports, records, spent=self._messy and not _clean(self._item.config))

    def _excuse(self, records: list[dict[str, Any]]) -> None:
        """Where somebody answers for all that is bad, the case as a whole is no failure."""
        verdicts = [Verdict(made["verdict"]) for made in records]
        if self.bad and verdicts and not any(each.is_bad(self._settings.strict) for each in verdicts):
            self.verdict = Verdict.WAIVED

    def _whole(self) -> tuple[Verdict, str]:
        judged = [
            judge(error, self._settings.contract, self._cell.profile)
            for when in ("setup", "call", "teardown")
            if (error := self._errors.get(when)) is not None
        ]
        if judged:
            return together(judged)
        if self._case is None or not self._called:
            return Verdict.PASS, ""
        return self._whole_of_rules(self._case) if self._cell.derived else self._case.expect.conclude()

    def _whole_of_rules(self, case: Case) -> tuple[Verdict, str]:
        bad = sum(Verdict(made["verdict"]).is_bad(self._settings.strict) for made in case.records)
        return (Verdict.FAIL, f"{bad} of {len(case.records)} rules") if bad else (Verdict.PASS, "")

    def records(self, duration: float, log: str) -> list[dict[str, Any]]:
        """The records of the case: one, or for a derived case one for each rule."""
        if not self._cell.derived:
            return [self._record(self._item.nodeid, None, duration, log)]
        judged = list(self._case.records) if self._case is not None else []
        if not self._errors:
            return judged
        # The item itself went wrong: no rule of it was shown to hold.
        named = self._item.stash[JUDGED_RULES_KEY]
        kept = [made for made in judged if Verdict(made["verdict"]) is not Verdict.PASS]
        done = {made["rules"][0] for made in kept}
        missing = [
            rule.id
            for rule in self._cell.rules
            if rule.id not in done and (named is None or rule.id in named)
        ]
        return kept + [
            self._record(f"{self._item.nodeid}::{rule}", [rule], duration, log) for rule in missing
        ]

    def _record(self, record_id: str, rules: list[str] | None, duration: float, log: str) -> dict[str, Any]:
        telling = self.verdict not in WITHOUT_EVIDENCE
        engine = self._item.config.stash.get(ENGINE_KEY, None)
        return record(
            record_id,
            self._cell,
            self.verdict,
            rules=rules,
            reason=self.reason,
            observed="; ".join(self._case.expect.observations) if self._case is not None else "",
            duration=duration,
            calls=self._phases.calls(self._item.config) if telling else (),
            error_text=engine.error_text() if telling and engine is not None and not self._messy else "",
            log=log,
            excuse=self._settings.excuse,
        )

    def _mend(self, reports: list[pytest.TestReport]) -> None:
        """Make pytest's outcome the verdict's: bad is failed, blocked is skipped, everything else passed."""
        main = next((report for report in reports if report.when == "call"), reports[0])
        if self.bad:
            if main.outcome != "failed":
                main.outcome, main.longrepr = "failed", self.reason
            if not self._cell.derived and (calls := self._phases.calls(self._item.config)):
                main.sections.append(("ACL calls", trace(calls)))
        elif self.verdict is Verdict.BLOCKED:
            path, line, _ = self._item.location
            main.outcome, main.longrepr = "skipped", (path, (line or 0) + 1, f"Skipped: {self.reason}")
        else:
            main.outcome, main.longrepr = "passed", None
        if isinstance(self._errors.get("teardown"), Mess):
            # What the case left behind is the case's own failure, not an error of its fixtures.
            last = reports[-1]
            last.outcome, last.longrepr = "passed", None
