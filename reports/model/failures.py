"""The bad cases, those that broke a promise in the same way told as one, with the evidence of one of them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from harness.contract import Contract
from harness.results import CaseRecord, Verdict
from harness.results.repro import ReproError, c_source, program_of, python_source
from harness.results.reproduce import reproduce_line
from harness.results.summary import musts
from harness.results.text import arguments, clean, one_line
from reports.model.entries import ADDRESS, Entry, Reference, essence, reference_to

CALLS_SHOWN = 60
"""Calls of one case's trace that a report shows; the records hold all of them."""

GROUPS_SHOWN = 400
"""Groups of failures that a report tells in full; the ones after them stand in its table of failures only."""

RULES_SHOWN = 8
"""Rules of one group of failures that a report quotes."""

PROGRAMS_SHOWN = 60
"""Groups of failures that a report has standalone programs for; `aclcts repro` makes them for every case."""

CASES_SHOWN = 24
"""Case ids of one group that a report lists."""


_LONGEST_PROGRAM = 60_000


class CallView(NamedTuple):
    """One call of a trace; threads numbered, times in microseconds, `start` since the case's first call."""

    number: int
    function: str
    arguments: str
    code: str
    name: str
    thread: int
    start: str
    duration: str
    returned: bool
    failed: bool


class Program(NamedTuple):
    """A failure as a standalone program: the name of its language, and its source."""

    language: str
    source: str


@dataclass(slots=True)
class FailureGroup:
    """Cases that broke the same promise in the same way, with the trace of one of them."""

    number: int
    anchor: str
    verdict: Verdict
    must: bool
    api: str
    rules: list[Reference]
    more_rules: int
    profiles: list[str]
    surfaces: list[str]
    reasons: list[str]
    case_id: str
    cause: str
    cause_code: str
    cause_call: int
    error_text: str
    log: str
    calls: list[CallView]
    calls_hidden: int
    case_ids: list[str]
    more_cases: int
    reproduce: str
    programs: list[Program]

    @property
    def full(self) -> bool:
        """Whether the report tells the group in full."""
        return self.number <= GROUPS_SHOWN

    @property
    def cases(self) -> int:
        """How many cases the group stands for."""
        return len(self.case_ids) + self.more_cases


def failures_of(entries: list[Entry], contract: Contract, anchors: dict[str, str]) -> list[FailureGroup]:
    """The bad cases in groups, worst first; `anchors` receives the group's anchor of each case."""
    groups: dict[tuple[object, ...], list[Entry]] = {}
    for entry in entries:
        groups.setdefault(_alike(entry.case), []).append(entry)
    ordered = sorted(
        groups.values(),
        key=lambda group: (
            group[0].case.verdict.severity,
            not musts(group[0].case, contract),
            group[0].case.api,
            group[0].case.rules,
        ),
    )
    failures = []
    for number, group in enumerate(ordered, start=1):
        anchor = f"x-{number}"
        for entry in group:
            anchors[entry.case.id] = anchor
        failures.append(_failure(number, anchor, group, contract))
    return failures


def _alike(case: CaseRecord) -> tuple[object, ...]:
    """What failures told as one have in common: the missing function, or test, rules and first cause."""
    if case.verdict is Verdict.ABSENT:
        return case.verdict, case.api, case.reason
    cause = (case.first_cause.function, case.first_cause.code) if case.first_cause else None
    return case.verdict, case.api, tuple(case.rules), case.id.partition("[")[0], cause


def _failure(number: int, anchor: str, group: list[Entry], contract: Contract) -> FailureGroup:
    # The case with a trace tells most; of several the first.
    shown = next((entry for entry in group if entry.case.calls), group[0])
    case = shown.case
    reasons: dict[str, str] = {}
    for entry in group:
        if entry.case.reason:
            reason = clean(essence(entry.case.reason))
            reasons.setdefault(ADDRESS.sub("", reason), reason)
    rules = list(dict.fromkeys(rule for entry in group for rule in entry.case.rules))
    cause = case.first_cause
    return FailureGroup(
        number=number,
        anchor=anchor,
        verdict=case.verdict,
        must=bool(musts(case, contract)),
        api=one_line(case.api),
        rules=[reference_to(rule, contract) for rule in rules[:RULES_SHOWN]],
        more_rules=max(len(rules) - RULES_SHOWN, 0),
        profiles=list(dict.fromkeys(entry.profile for entry in group)),
        surfaces=list(dict.fromkeys(one_line(entry.case.surface) for entry in group)),
        reasons=list(reasons.values())[:3],
        case_id=one_line(case.id, 400),
        cause=one_line(cause.function) if cause else "",
        cause_code=one_line(f"{cause.code} {cause.name}") if cause and cause.code is not None else "",
        cause_call=cause.call + 1 if cause else 0,
        error_text=clean(case.error_text),
        log=clean(case.log),
        calls=_trace(case),
        calls_hidden=max(len(case.calls) - CALLS_SHOWN, 0),
        case_ids=[one_line(entry.case.id, 400) for entry in group[:CASES_SHOWN]],
        more_cases=max(len(group) - CASES_SHOWN, 0),
        reproduce=one_line(reproduce_line(case, shown.header), 800),
        programs=_programs(shown, contract) if number <= PROGRAMS_SHOWN else [],
    )


def _trace(case: CaseRecord) -> list[CallView]:
    """The calls of a case, the last ones of very many; what a dead process left behind has no times."""
    if not case.calls:
        return []
    begin = case.calls[0].start_ns
    threads = {thread: number for number, thread in enumerate(dict.fromkeys(c.thread for c in case.calls), 1)}
    first = max(len(case.calls) - CALLS_SHOWN, 0)
    return [
        CallView(
            number=number,
            function=one_line(call.function, 80),
            arguments=arguments(call.args),
            code="" if call.code is None else str(call.code),
            name=one_line(call.name, 80),
            thread=threads[call.thread],
            start=f"{(call.start_ns - begin) / 1000:.1f}" if call.start_ns else "",
            duration=f"{(call.end_ns - call.start_ns) / 1000:.1f}" if call.end_ns else "",
            returned=call.returned,
            failed=bool(call.code) or not call.returned,
        )
        for number, call in enumerate(case.calls[first:], start=first + 1)
    ]


def _programs(entry: Entry, contract: Contract) -> list[Program]:
    """The case in C and for pyACL; none where its calls cannot be told as a program."""
    case = entry.case
    found: list[Program] = []
    if not case.calls:
        return found
    with suppress(ReproError):
        told = program_of(case, contract)
        for language, write in (("C", c_source), ("pyACL", python_source)):
            source = write(told, case, entry.header, contract)
            if len(source) <= _LONGEST_PROGRAM:
                found.append(Program(language, clean(source, _LONGEST_PROGRAM)))
    return found
