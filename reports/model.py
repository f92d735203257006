"""What a report shows, computed from the runs and the contract: plain data, no HTML.

A section of the report is a field of `Report`; every text in it that came from a library is clean already.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from harness.contract import Contract, Function, Rule
from harness.results import CaseRecord, Counts, Header, ResultsError, Run, Verdict, worst
from harness.results.reproduce import reproduce_line
from harness.results.summary import MustPassState, judge, must_pass, musts
from reports.text import ARGUMENT_LIMIT, arguments, clean, one_line

CALLS_SHOWN = 60
"""Calls of one case's trace that a report shows; the records hold all of them."""

GROUPS_SHOWN = 400
"""Groups of failures that a report tells in full; the ones after them stand in its table of failures only."""

RULES_SHOWN = 8
"""Rules of one group of failures that a report quotes."""

CASES_SHOWN = 24
"""Case ids of one group that a report lists."""

OUTCOMES_SHOWN = 12
"""Different outcomes of one rule that a report lists."""


class Fact(NamedTuple):
    """One line of the facts about a run: a catalogue key or a plain name, and the value."""

    name: str
    value: str
    key: str = ""


@dataclass(slots=True)
class RunView:
    """One run's facts: the ones everybody asks for, and the rest."""

    title: str
    facts: list[Fact]
    environment: list[Fact]
    finished: bool
    truncated: bool
    fault: str
    synthetic: bool


@dataclass(slots=True)
class Cell:
    """A rule on one profile: the worst verdict of its cases, how many ended so, of how many."""

    verdict: Verdict
    worth: Counts
    count: int
    total: int
    anchor: str = ""


class Part(NamedTuple):
    """Rules of one worth in a function's or chapter's cell; `sign` names the symbol to show."""

    worth: Counts
    sign: str
    rules: int


@dataclass(slots=True)
class Tally:
    """Rules on one profile summed up for a function or a chapter: the parts to show, of how many rules."""

    parts: list[Part]
    total: int

    @property
    def worth(self) -> Counts:
        """What the cell as a whole counts as."""
        return self.parts[0].worth


class Outcome(NamedTuple):
    """Something that was observed and the profiles it was observed on: `everywhere` the rule was judged."""

    verdict: Verdict
    text: str
    profiles: list[str]
    everywhere: bool


@dataclass(slots=True)
class RuleRow:
    """One rule of one function with its verdict per profile, in the report's column order."""

    id: str
    anchor: str
    sentence: str
    strength: str
    type: str
    doc: str
    cells: list[Cell | None]
    worths: set[Counts]
    outcomes: list[Outcome]
    more_outcomes: int


@dataclass(slots=True)
class FunctionView:
    """One function: its prototype, document and rules; `silent` rules hold somewhere but were not judged."""

    name: str
    anchor: str
    prototype: str
    doc: str
    deprecated: bool
    supported: list[bool]
    tallies: list[Tally | None]
    rules: list[RuleRow]
    silent: list[str]
    worths: set[Counts]


@dataclass(slots=True)
class ChapterView:
    """One chapter of the API: its functions and their sum."""

    token: str
    anchor: str
    functions: list[FunctionView]
    tallies: list[Tally | None]
    worths: set[Counts]


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


class Reference(NamedTuple):
    """A rule as a failure cites it."""

    id: str
    anchor: str
    sentence: str
    strength: str
    doc: str


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

    @property
    def full(self) -> bool:
        """Whether the report tells the group in full."""
        return self.number <= GROUPS_SHOWN

    @property
    def cases(self) -> int:
        """How many cases the group stands for."""
        return len(self.case_ids) + self.more_cases


@dataclass(slots=True)
class Listed:
    """Cases that could not be tried or are waived, by their reason."""

    verdict: Verdict
    reason: str
    cases: int
    profiles: list[str]
    rules: list[str]


@dataclass(slots=True)
class Report:
    """Everything a report shows."""

    kind: str
    synthetic: bool
    runs: list[RunView]
    strict: bool
    state: MustPassState
    must_rules: int
    must_broken: int
    cases: int
    rules: int
    functions: int
    verdicts: list[tuple[Verdict, Counts, int]]
    worth: dict[Counts, int]
    profiles: list[str]
    chapters: list[ChapterView]
    failures: list[FailureGroup]
    observed: list[RuleRow]
    neutral: list[Listed]


class _Entry(NamedTuple):
    case: CaseRecord
    worth: Counts
    header: Header
    profile: str


def build(runs: Sequence[Run], contract: Contract) -> Report:
    """The report of one or more runs; ResultsError where they cannot be one report.

    A run of the reference device and one of anything else never share a report.
    """
    if not runs:
        raise ResultsError("report", "no results were given")
    kinds = {run.header.target.kind for run in runs}
    if "reference" in kinds and len(kinds) > 1:
        other = next(run for run in runs if run.header.target.kind != "reference")
        raise ResultsError(
            other.path, "not of the reference device, the other results are; report them apart"
        )
    # A run has few profiles and many cases.
    shown = cache(one_line)
    entries = [
        _Entry(case, worth, run.header, shown(case.profile)) for run in runs for case, worth in judge(run)
    ]
    must = must_pass(
        ((entry.case, entry.worth) for entry in entries), contract, all(run.finished for run in runs)
    )
    profiles = _profiles(entries, contract)
    anchors: dict[str, str] = {}
    failures = _failures([entry for entry in entries if entry.worth is Counts.BAD], contract, anchors)
    chapters = _chapters(entries, contract, profiles, anchors)
    rows = [row for chapter in chapters for function in chapter.functions for row in function.rules]
    verdicts = Counter((entry.case.verdict, entry.worth) for entry in entries)
    worth = Counter(entry.worth for entry in entries)
    return Report(
        kind="reference" if "reference" in kinds else "cann" if kinds == {"cann"} else "other",
        synthetic=any("synthetic" in run.header.options for run in runs),
        runs=[_run_view(run) for run in runs],
        strict=any(run.header.strict for run in runs),
        state=must.state,
        must_rules=len(must.judged),
        must_broken=len(must.broken),
        cases=len(entries),
        rules=len({row.id for row in rows}),
        functions=sum(len(chapter.functions) for chapter in chapters),
        verdicts=[
            (verdict, counts, verdicts[verdict, counts])
            for verdict in Verdict
            for counts in Counts
            if verdicts[verdict, counts]
        ],
        worth={counts: worth[counts] for counts in Counts},
        profiles=profiles,
        chapters=chapters,
        failures=failures,
        observed=[row for row in rows if row.outcomes],
        neutral=_neutral(entries),
    )


def _profiles(entries: Iterable[_Entry], contract: Contract) -> list[str]:
    seen = {entry.profile for entry in entries}
    known = [f"{product}-{form}" for product, form in contract.matrix()]
    return [profile for profile in known if profile in seen] + sorted(seen - set(known))


# --- runs --------------------------------------------------------------------------------------------------


def _run_view(run: Run) -> RunView:
    header = run.header
    finished = run.footer.finished if run.footer else None
    facts = [
        Fact("target", f"{header.target.label} ({header.target.kind})", "run.target"),
        Fact("library", header.target.path, "run.library"),
        Fact("sha256", header.target.sha256, "run.sha256"),
        Fact("started", header.started.strftime("%Y-%m-%d %H:%M:%S %Z"), "run.started"),
        Fact(
            "duration",
            _duration((finished - header.started).total_seconds()) if finished else "",
            "run.duration",
        ),
        Fact("products", ", ".join(header.products), "run.products"),
        Fact("forms", ", ".join(header.forms), "run.forms"),
        Fact("cann", header.cann, "run.cann"),
        Fact("surfaces", ", ".join(header.surfaces), "run.surfaces"),
        Fact("contract", f"{header.contract.version} ({header.contract.hash[:12]})", "run.contract"),
        Fact("seed", "" if header.seed is None else str(header.seed), "run.seed"),
        Fact("id", header.run_id, "run.id"),
    ]
    environment = [
        *_flat(header.environment),
        *_flat({f"option {name}": v for name, v in header.options.items()}),
    ]
    return RunView(
        title=one_line(header.target.label),
        facts=[fact._replace(value=one_line(fact.value, 400)) for fact in facts if fact.value],
        environment=environment,
        finished=run.finished,
        truncated=run.truncated,
        fault=one_line(str(header.options.get("fault") or "")),
        synthetic="synthetic" in header.options,
    )


def _flat(values: dict[str, object], prefix: str = "") -> list[Fact]:
    facts: list[Fact] = []
    for name, value in values.items():
        path = f"{prefix}{name}"
        if isinstance(value, dict):
            facts += _flat(value, f"{path}.")
        elif value not in (None, "", []):
            shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            facts.append(Fact(one_line(path), one_line(shown, 400)))
    return facts


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


# --- failures ----------------------------------------------------------------------------------------------


def _failures(entries: list[_Entry], contract: Contract, anchors: dict[str, str]) -> list[FailureGroup]:
    """The bad cases in groups, worst first; `anchors` receives the group's anchor of each case."""
    groups: dict[tuple[object, ...], list[_Entry]] = {}
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


def _failure(number: int, anchor: str, group: list[_Entry], contract: Contract) -> FailureGroup:
    # The case with a trace tells most; of several the first.
    shown = next((entry for entry in group if entry.case.calls), group[0])
    case = shown.case
    reasons: dict[str, str] = {}
    for entry in group:
        if entry.case.reason:
            reason = clean(_essence(entry.case.reason))
            reasons.setdefault(_ADDRESS.sub("", reason), reason)
    rules = list(dict.fromkeys(rule for entry in group for rule in entry.case.rules))
    cause = case.first_cause
    return FailureGroup(
        number=number,
        anchor=anchor,
        verdict=case.verdict,
        must=bool(musts(case, contract)),
        api=one_line(case.api),
        rules=[_reference(rule, contract) for rule in rules[:RULES_SHOWN]],
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
    )


# Addresses differ from case to case and say nothing about what happened.
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")

# Lines of a failure message that the report shows at places of their own.
_TOLD_ELSEWHERE = re.compile(r"^ *(promise|document|again): ")


def _essence(reason: str) -> str:
    """A failure message without its promise, document and command line."""
    return "\n".join(line for line in reason.splitlines() if not _TOLD_ELSEWHERE.match(line))


def _reference(rule_id: str, contract: Contract) -> Reference:
    rule = contract.rules.get(rule_id)
    if rule is None:
        return Reference(one_line(rule_id), "", "", "must", "")
    return Reference(rule.id, _anchor("r", rule.id), rule.rule, rule.strength, rule.doc)


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


# --- chapters, functions, rules ----------------------------------------------------------------------------


def _chapters(
    entries: Iterable[_Entry], contract: Contract, profiles: list[str], anchors: dict[str, str]
) -> list[ChapterView]:
    by_api: dict[str, dict[str, dict[str, list[_Entry]]]] = {}
    for entry in entries:
        rules = by_api.setdefault(entry.case.api, {})
        for rule in entry.case.rules or [entry.case.id]:
            rules.setdefault(rule, {}).setdefault(entry.profile, []).append(entry)
    by_chapter: dict[str, list[FunctionView]] = {}
    order = {name: number for number, name in enumerate(contract.functions)}
    for api in sorted(by_api, key=lambda name: (order.get(name, len(order)), name)):
        function = contract.functions.get(api)
        token = (function.chapter if function else None) or "none"
        view = _function(api, function, by_api[api], contract, profiles, anchors)
        by_chapter.setdefault(token, []).append(view)
    return [_chapter(token, functions, len(profiles)) for token, functions in sorted(by_chapter.items())]


def _chapter(token: str, functions: list[FunctionView], columns: int) -> ChapterView:
    tallies = [
        _tally(row.cells[column] for function in functions for row in function.rules)
        for column in range(columns)
    ]
    worths = set().union(*(function.worths for function in functions))
    return ChapterView(token, _anchor("c", token), functions, tallies, worths)


def _function(
    api: str,
    function: Function | None,
    judged: dict[str, dict[str, list[_Entry]]],
    contract: Contract,
    profiles: list[str],
    anchors: dict[str, str],
) -> FunctionView:
    order = {rule.id: number for number, rule in enumerate(contract.promised(api))} if function else {}
    rows = [
        _rule_row(rule_id, contract.rules.get(rule_id), judged[rule_id], profiles, anchors)
        for rule_id in sorted(judged, key=lambda rule_id: (order.get(rule_id, len(order)), rule_id))
    ]
    silent = [rule_id for rule_id in order if rule_id not in judged]
    return FunctionView(
        name=one_line(api),
        anchor=_anchor("f", api),
        prototype=_prototype(api, function) if function else "",
        doc=(function.doc or "") if function else "",
        deprecated=bool(function and function.deprecated),
        supported=[_supported(contract, api, profile) for profile in profiles],
        tallies=[_tally(row.cells[column] for row in rows) for column in range(len(profiles))],
        rules=rows,
        silent=silent,
        worths=set().union(*(row.worths for row in rows)),
    )


def _supported(contract: Contract, api: str, profile: str) -> bool:
    product, _, form = profile.rpartition("-")
    return (
        api in contract.functions and product in contract.products and contract.supports(api, product, form)
    )


def _prototype(api: str, function: Function) -> str:
    params = ", ".join(
        param.type if param.type == "..." else _declared(param.type, param.name) for param in function.params
    )
    return f"{_declared(function.returns, api)}({params or 'void'})"


def _declared(kind: str, name: str) -> str:
    base, bracket, size = kind.partition("[")
    return f"{base.rstrip()}{'' if base.endswith('*') else ' '}{name}{bracket}{size}"


def _rule_row(
    rule_id: str,
    rule: Rule | None,
    judged: dict[str, list[_Entry]],
    profiles: list[str],
    anchors: dict[str, str],
) -> RuleRow:
    cells = [_cell(judged[profile], anchors) if profile in judged else None for profile in profiles]
    outcomes = _outcomes(judged)
    return RuleRow(
        id=one_line(rule_id, 400),
        anchor=_anchor("r", rule_id),
        sentence=rule.rule if rule else "",
        strength=rule.strength if rule else "must",
        type=rule.type if rule else "",
        doc=rule.doc if rule else "",
        cells=cells,
        worths={cell.worth for cell in cells if cell},
        outcomes=outcomes[:OUTCOMES_SHOWN],
        more_outcomes=max(len(outcomes) - OUTCOMES_SHOWN, 0),
    )


def _cell(entries: list[_Entry], anchors: dict[str, str]) -> Cell:
    if len(entries) == 1:
        case, worth, _, _ = entries[0]
        return Cell(case.verdict, worth, 1, 1, anchors.get(case.id, ""))
    verdict = worst(*(entry.case.verdict for entry in entries))
    alike = [entry for entry in entries if entry.case.verdict is verdict]
    anchor = next((anchors[entry.case.id] for entry in alike if entry.case.id in anchors), "")
    return Cell(verdict, alike[0].worth, len(alike), len(entries), anchor)


_SHOWN_OUTCOMES = frozenset({Verdict.OBSERVED, Verdict.DEVIATES, Verdict.WORKS_THOUGH_UNSUPPORTED})


def _outcomes(judged: dict[str, list[_Entry]]) -> list[Outcome]:
    found: dict[tuple[Verdict, str], tuple[str, dict[str, None]]] = {}
    for profile, entries in judged.items():
        for case, _, _, _ in entries:
            if case.verdict in _SHOWN_OUTCOMES:
                text = one_line(case.observed or _essence(case.reason), ARGUMENT_LIMIT)
                _, profiles = found.setdefault((case.verdict, _ADDRESS.sub("", text)), (text, {}))
                profiles[profile] = None
    return [
        Outcome(verdict, text, list(profiles), len(profiles) == len(judged))
        for (verdict, _), (text, profiles) in found.items()
    ]


_PART_ORDER = (Counts.BAD, Counts.GOOD, Counts.REMARK, Counts.NEUTRAL)


def _tally(cells: Iterable[Cell | None]) -> Tally | None:
    """The sum of a column: only what is bad where something is, else good, remarks and untried."""
    present = [cell for cell in cells if cell]
    if not present:
        return None
    counted = Counter(cell.worth for cell in present)
    parts = [Part(worth, worth.value, counted[worth]) for worth in _PART_ORDER if counted[worth]]
    if parts[0].worth is Counts.BAD:
        parts = parts[:1]
    elif all(cell.verdict is Verdict.REFUSED_AS_DOCUMENTED for cell in present):
        parts = [Part(Counts.GOOD, Verdict.REFUSED_AS_DOCUMENTED.value, len(present))]
    return Tally(parts, len(present))


# --- what could not be tried -------------------------------------------------------------------------------


def _neutral(entries: Iterable[_Entry]) -> list[Listed]:
    groups: dict[tuple[Verdict, str], list[_Entry]] = {}
    for entry in entries:
        if entry.worth is Counts.NEUTRAL:
            groups.setdefault((entry.case.verdict, clean(entry.case.reason, 1_000)), []).append(entry)
    return [
        Listed(
            verdict=verdict,
            reason=reason,
            cases=len(group),
            profiles=list(dict.fromkeys(entry.profile for entry in group)),
            rules=list(dict.fromkeys(one_line(rule) for entry in group for rule in entry.case.rules)),
        )
        for (verdict, reason), group in sorted(
            groups.items(), key=lambda group: (group[0][0].severity, group[0][1])
        )
    ]


def _anchor(prefix: str, name: str) -> str:
    """An id for the page that a link can name; nothing of a hostile name survives in it."""
    return f"{prefix}-{re.sub(r'[^A-Za-z0-9_.-]', '_', name)[:200]}"
