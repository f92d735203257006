"""Whether a release may stand on results: every must-pass promise was judged and none is broken.

The producer of a bundle and everybody who verifies it ask this same code.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from harness.contract import Contract, ContractError, parse_version, perhaps
from harness.results.errors import ResultsError
from harness.results.mustpass import must_pass_rules
from harness.results.reader import Run
from harness.results.reproduce import item_of
from harness.results.summary import judge
from harness.results.verdicts import Counts, Verdict
from harness.results.waivers import Waivers, WaiverUse

FindingKind = Literal[
    "missing",
    "not_allowed",
    "not_run",
    "not_planned",
    "dropped",
    "added",
    "cut_off",
    "waiver_expired",
    "waiver_unmatched",
    "waiver_unexpected",
    "unstable",
    "misstated",
]

_INCOMPLETE = frozenset({"missing", "not_run", "not_planned", "cut_off"})

_OF_WAIVER: dict[str, FindingKind] = {
    "expired": "waiver_expired",
    "unmatched": "waiver_unmatched",
    "unexpected": "waiver_unexpected",
}


class State(str, Enum):
    """What the results amount to."""

    MET = "met"
    NOT_MET = "not met"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True)
class Finding:
    """One thing that keeps a release from standing on results (docs/qualification.md lists the kinds).

    `id` is a rule, a case, a waiver's pattern or a run; `detail` a fact about it: a verdict with its case, a
    number, a date.
    """

    kind: FindingKind
    id: str
    profile: str = ""
    detail: str = ""


@dataclass
class Qualification:
    """The judgement: how many promises had to hold, how many did, and everything that is wrong."""

    state: State = State.MET
    required: int = 0
    held: int = 0
    waived: int = 0
    blocked: int = 0
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True)
class Scope:
    """What was to be judged: profiles, CANN version, and the chapters it was narrowed to (none: all)."""

    profiles: tuple[tuple[str, str], ...]
    cann: str
    chapters: tuple[str, ...] = ()

    @classmethod
    def of(cls, run: Run, contract: Contract) -> Scope:
        """The scope that a run's header states; ResultsError where the contract does not know it."""
        header = run.header
        _check_known(run, contract)
        profiles = tuple(
            (product, form)
            for product in header.products
            for form in contract.forms(product)
            if form in header.forms
        )
        if not profiles:
            raise ResultsError(run.path, "states no product with a host form that it has: nothing to judge")
        chapters = header.options.get("chapter") or ()
        return cls(profiles, header.cann, tuple(each for entry in chapters for each in str(entry).split(",")))

    def rules(self, contract: Contract) -> frozenset[str] | None:
        """The rules of the chapters; None where every rule counts. ContractError for an unknown chapter."""
        if not self.chapters:
            return None
        return frozenset(rule.id for chapter in self.chapters for rule in contract.rules_of_chapter(chapter))

    def required(self, contract: Contract) -> dict[tuple[str, str], list[str]]:
        """The must-pass rules of each profile, (product, form)."""
        chosen = self.rules(contract)
        return {
            (product, form): [
                rule.id
                for rule in must_pass_rules(contract, product, form, self.cann)
                if chosen is None or rule.id in chosen
            ]
            for product, form in self.profiles
        }


def _check_known(run: Run, contract: Contract) -> None:
    header = run.header
    forms = list(dict.fromkeys(form for _, form in contract.matrix()))
    for what, names, known in (
        ("product", header.products, list(contract.products)),
        ("host form", header.forms, forms),
    ):
        for name in names:
            if name not in known:
                hint = perhaps(name, known) or f"; it has {', '.join(known)}"
                raise ResultsError(run.path, f"{what} {name!r} is not in this contract{hint}")
    try:
        parse_version(header.cann)
    except ContractError as error:
        raise ResultsError(run.path, str(error)) from None


def qualify(
    run: Run,
    scope: Scope,
    contract: Contract,
    plan: Collection[str] | None = None,
    waivers: Waivers | None = None,
) -> Qualification:
    """Judge one run; `plan` are the ids of the items that it was to run, where they are known."""
    result = Qualification()
    findings = result.findings
    if not run.finished:
        findings.append(Finding("cut_off", run.header.run_id, detail=str(len(run.cases))))
    if plan is not None:
        findings += _against_plan(run, plan)
    _judge_rules(run, scope, contract, result)
    if waivers is not None and waivers.entries:
        findings += _waiver_findings(run, scope, contract, waivers)
    result.state = state_of(findings)
    return result


def state_of(findings: Iterable[Finding]) -> State:
    """What some findings amount to: a broken promise weighs more than one that was not tried."""
    kinds = {finding.kind for finding in findings}
    if not kinds <= _INCOMPLETE:
        return State.NOT_MET
    return State.INCOMPLETE if kinds else State.MET


def changed_rules(before: Sequence[str], now: Sequence[str], profile: str) -> list[Finding]:
    """The rules by which two must-pass lists of a profile differ: dropped from the old, added by the new."""
    old, new = set(before), set(now)
    return [
        *(Finding("dropped", rule, profile) for rule in before if rule not in new),
        *(Finding("added", rule, profile) for rule in now if rule not in old),
    ]


def _against_plan(run: Run, plan: Collection[str]) -> list[Finding]:
    planned = set(plan)
    ran = dict.fromkeys(item_of(case) for case in run.cases)
    # A test whose surface cannot say any of its rules ends without a case; all have ended where so many have.
    all_ended = run.footer is not None and run.footer.items == len(planned)
    return [
        *(Finding("not_run", item) for item in plan if item not in ran and not all_ended),
        *(Finding("not_planned", item) for item in ran if item not in planned),
    ]


def _judge_rules(run: Run, scope: Scope, contract: Contract, result: Qualification) -> None:
    standing: dict[tuple[str, str, str], list[tuple[str, Verdict, Counts]]] = {}
    for case, worth in judge(run):
        if not case.rules and worth is Counts.BAD:
            result.findings.append(Finding("not_allowed", case.id, case.profile, case.verdict.value))
        for rule in case.rules:
            standing.setdefault((case.product, case.form, rule), []).append((case.id, case.verdict, worth))
    for (product, form), rules in scope.required(contract).items():
        profile = f"{product}-{form}"
        result.required += len(rules)
        for rule in rules:
            cases = standing.get((product, form, rule))
            if not cases:
                result.findings.append(Finding("missing", rule, profile))
                continue
            bad = [(case_id, verdict) for case_id, verdict, worth in cases if worth is Counts.BAD]
            verdicts = {verdict for _, verdict, _ in cases}
            if bad:
                case_id, verdict = bad[0]
                more = f" (+{len(bad) - 1})" if len(bad) > 1 else ""
                result.findings.append(Finding("not_allowed", rule, profile, f"{verdict} {case_id}{more}"))
            elif verdicts == {Verdict.BLOCKED}:
                result.blocked += 1
            elif Verdict.WAIVED in verdicts:
                result.waived += 1
            else:
                result.held += 1


def _waiver_findings(run: Run, scope: Scope, contract: Contract, waivers: Waivers) -> list[Finding]:
    use = WaiverUse(waivers)
    for case in run.cases:
        use.see(case)
    must = frozenset(rule for rules in scope.required(contract).values() for rule in rules)
    return [
        Finding(_OF_WAIVER[problem.kind], problem.waiver.pattern, detail=str(problem.waiver.expires))
        for problem in use.problems(run.header, must)
    ]
