"""The matrix: chapters, their functions, the rules of each, and how they ended on every profile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from harness.contract import Contract, Function, Rule
from harness.results import Counts, Verdict, worst
from harness.results.text import ARGUMENT_LIMIT, one_line
from reports.model.entries import ADDRESS, Entry, anchor_of, essence

OUTCOMES_SHOWN = 12
"""Different outcomes of one rule that a report lists."""


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


def chapters_of(
    entries: Iterable[Entry], contract: Contract, profiles: list[str], anchors: dict[str, str]
) -> list[ChapterView]:
    """The chapters in the order of their numbers; `anchors` gives the failure that a case belongs to."""
    by_api: dict[str, dict[str, dict[str, list[Entry]]]] = {}
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
        tally_of(row.cells[column] for function in functions for row in function.rules)
        for column in range(columns)
    ]
    worths = set().union(*(function.worths for function in functions))
    return ChapterView(token, anchor_of("c", token), functions, tallies, worths)


def _function(
    api: str,
    function: Function | None,
    judged: dict[str, dict[str, list[Entry]]],
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
        anchor=anchor_of("f", api),
        prototype=_prototype(api, function) if function else "",
        doc=(function.doc or "") if function else "",
        deprecated=bool(function and function.deprecated),
        supported=[_supported(contract, api, profile) for profile in profiles],
        tallies=[tally_of(row.cells[column] for row in rows) for column in range(len(profiles))],
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
    judged: dict[str, list[Entry]],
    profiles: list[str],
    anchors: dict[str, str],
) -> RuleRow:
    cells = [_cell(judged[profile], anchors) if profile in judged else None for profile in profiles]
    outcomes = _outcomes(judged)
    return RuleRow(
        id=one_line(rule_id, 400),
        anchor=anchor_of("r", rule_id),
        sentence=rule.rule if rule else "",
        strength=rule.strength if rule else "must",
        type=rule.type if rule else "",
        doc=rule.doc if rule else "",
        cells=cells,
        worths={cell.worth for cell in cells if cell},
        outcomes=outcomes[:OUTCOMES_SHOWN],
        more_outcomes=max(len(outcomes) - OUTCOMES_SHOWN, 0),
    )


def _cell(entries: list[Entry], anchors: dict[str, str]) -> Cell:
    if len(entries) == 1:
        case, worth, _, _ = entries[0]
        return Cell(case.verdict, worth, 1, 1, anchors.get(case.id, ""))
    verdict = worst(*(entry.case.verdict for entry in entries))
    alike = [entry for entry in entries if entry.case.verdict is verdict]
    anchor = next((anchors[entry.case.id] for entry in alike if entry.case.id in anchors), "")
    return Cell(verdict, alike[0].worth, len(alike), len(entries), anchor)


_SHOWN_OUTCOMES = frozenset({Verdict.OBSERVED, Verdict.DEVIATES, Verdict.WORKS_THOUGH_UNSUPPORTED})


def _outcomes(judged: dict[str, list[Entry]]) -> list[Outcome]:
    found: dict[tuple[Verdict, str], tuple[str, dict[str, None]]] = {}
    for profile, entries in judged.items():
        for case, _, _, _ in entries:
            if case.verdict in _SHOWN_OUTCOMES:
                text = one_line(case.observed or essence(case.reason), ARGUMENT_LIMIT)
                _, profiles = found.setdefault((case.verdict, ADDRESS.sub("", text)), (text, {}))
                profiles[profile] = None
    return [
        Outcome(verdict, text, list(profiles), len(profiles) == len(judged))
        for (verdict, _), (text, profiles) in found.items()
    ]


_PART_ORDER = (Counts.BAD, Counts.GOOD, Counts.REMARK, Counts.NEUTRAL)


def tally_of(cells: Iterable[Cell | None]) -> Tally | None:
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
