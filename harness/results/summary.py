"""What a set of cases amounts to: counts, must-pass, the product matrix, the exit status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from harness.contract import Contract
from harness.results.reader import Run
from harness.results.records import CaseRecord
from harness.results.verdicts import Counts, Verdict


class MustPassState(str, Enum):
    """Whether the promises that must hold do hold."""

    MET = "met"
    NOT_MET = "not met"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class MustPass:
    """The judgement over the promises that must hold: the rules that were judged, and the broken ones."""

    state: MustPassState
    judged: frozenset[str]
    broken: frozenset[str]


Judged = tuple[CaseRecord, Counts]
"""A case with what its verdict counts as in its run."""


def judge(run: Run) -> list[Judged]:
    """The cases of a run with what each counts as, by the run's strictness."""
    strict = run.header.strict
    return [(case, case.verdict.counts_as(strict)) for case in run.cases]


def counts(cases: Iterable[CaseRecord]) -> dict[Verdict, int]:
    """How many cases ended with each verdict, worst first; every verdict has an entry."""
    counted = Counter(case.verdict for case in cases)
    return {verdict: counted[verdict] for verdict in Verdict}


def musts(case: CaseRecord, contract: Contract) -> list[str]:
    """The normative rules a case stands on.

    A rule the contract does not know is taken for one, and so is a case without any rule: by its id.
    """
    if not case.rules:
        return [case.id]
    return [rule for rule in case.rules if rule not in contract.rules or contract.rules[rule].normative]


def must_pass(judged: Iterable[Judged], contract: Contract, finished: bool = True) -> MustPass:
    """Whether must-pass is met: no bad verdict on a normative rule.

    Undecided where the run was cut off or tried no such rule, unless one is broken already.
    """
    seen: set[str] = set()
    broken: set[str] = set()
    tried = False
    for case, worth in judged:
        rules = musts(case, contract)
        seen.update(rules)
        tried = tried or (bool(rules) and worth is not Counts.NEUTRAL)
        if worth is Counts.BAD:
            broken.update(rules)
    if broken:
        state = MustPassState.NOT_MET
    else:
        state = MustPassState.MET if finished and tried else MustPassState.UNDECIDED
    return MustPass(state, frozenset(seen), frozenset(broken))


def matrix(cases: Iterable[CaseRecord]) -> dict[str, dict[str, Counter[Verdict]]]:
    """Counts of verdicts by function, then by profile (`910b-EP`)."""
    cells: dict[str, dict[str, Counter[Verdict]]] = {}
    for case in cases:
        cells.setdefault(case.api, {}).setdefault(case.profile, Counter())[case.verdict] += 1
    return cells


def exit_status(judged: Iterable[Judged]) -> int:
    """1 where a case is bad, else 0."""
    return int(any(worth is Counts.BAD for _, worth in judged))
