"""What a set of cases amounts to: counts, must-pass, the product matrix, the exit status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from harness.contract import Contract
from harness.results.records import CaseRecord
from harness.results.verdicts import Counts, Verdict


class MustPassState(str, Enum):
    """Whether the promises that must hold do hold."""

    MET = "met"
    NOT_MET = "not met"
    UNDECIDED = "undecided"


@dataclass
class MustPass:
    """The judgement over the normative rules: how many cases, and the bad ones."""

    state: MustPassState
    cases: int = 0
    failed: list[CaseRecord] = field(default_factory=list)


def counts(cases: Iterable[CaseRecord]) -> dict[Verdict, int]:
    """How many cases ended with each verdict, worst first; every verdict has an entry."""
    counted = Counter(case.verdict for case in cases)
    return {verdict: counted[verdict] for verdict in Verdict}


def worth(counted: dict[Verdict, int], strict: bool) -> dict[Counts, int]:
    """The counts by what they are worth."""
    totals = dict.fromkeys(Counts, 0)
    for verdict, count in counted.items():
        totals[verdict.counts_as(strict)] += count
    return totals


def is_must(case: CaseRecord, contract: Contract) -> bool:
    """True where the case stands on a normative rule; a rule the contract does not know counts as one."""
    known = [contract.rules[rule] for rule in case.rules if rule in contract.rules]
    return len(known) < len(case.rules) or not known or any(rule.normative for rule in known)


def must_pass(
    cases: Iterable[CaseRecord], contract: Contract, strict: bool, finished: bool = True
) -> MustPass:
    """Whether must-pass is met: no bad verdict on a normative rule.

    Undecided where the run was cut off or judged no such rule, unless something failed already.
    """
    judged = [case for case in cases if is_must(case, contract)]
    failed = [case for case in judged if case.verdict.is_bad(strict)]
    if failed:
        return MustPass(MustPassState.NOT_MET, len(judged), failed)
    if not finished or all(case.verdict.counts_as(strict) is Counts.NEUTRAL for case in judged):
        return MustPass(MustPassState.UNDECIDED, len(judged))
    return MustPass(MustPassState.MET, len(judged))


def matrix(cases: Iterable[CaseRecord]) -> dict[str, dict[str, Counter[Verdict]]]:
    """Counts of verdicts by function, then by profile (`910b-EP`)."""
    cells: dict[str, dict[str, Counter[Verdict]]] = {}
    for case in cases:
        cells.setdefault(case.api, {}).setdefault(case.profile, Counter())[case.verdict] += 1
    return cells


def exit_status(cases: Iterable[CaseRecord], strict: bool) -> int:
    """1 where a case is bad, else 0."""
    return int(any(case.verdict.is_bad(strict) for case in cases))
