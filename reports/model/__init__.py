"""What a report shows, computed from the runs and the contract: plain data, no HTML.

A section of the report is a field of `Report`; every text in it that came from a library is clean already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from harness.contract import Contract
from harness.results import Counts, ResultsError, Run, Verdict
from harness.results.compare import Comparison
from harness.results.mustpass import must_pass_rules
from harness.results.summary import MustPassState, judge, must_pass
from harness.results.text import one_line
from reports.model.benchmarks import Change, FigureView, figures_of
from reports.model.capture import CaptureRow, capture_of
from reports.model.changes import Changes, changes_of
from reports.model.chapters import ChapterView, RuleRow, chapters_of
from reports.model.coverage import ChapterCoverage, coverage_of
from reports.model.entries import Entry, is_version
from reports.model.failures import FailureGroup, failures_of
from reports.model.runs import RunView, run_view
from reports.model.untried import Listed, untried_of

__all__ = ["Beside", "Change", "Report", "build"]


@dataclass(frozen=True, slots=True)
class Beside:
    """What a report tells besides the runs' own records, each where it is known.

    `proofs` names the rules that a known fault breaks, with the faults; `bench_changes` what a comparison of
    benchmarks with a baseline says, by benchmark id; `comparison` what changed since the run that `baseline`
    names.
    """

    proofs: Mapping[str, Sequence[str]] | None = None
    bench_changes: Mapping[str, Change] = field(default_factory=dict)
    baseline: str = ""
    comparison: Comparison | None = None


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
    must_missing: int
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
    capture: list[CaptureRow]
    figures: list[FigureView]
    coverage: list[ChapterCoverage]
    changes: Changes | None


def build(runs: Sequence[Run], contract: Contract, beside: Beside | None = None) -> Report:
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
    beside = beside or Beside()
    # A run has few profiles and many cases.
    shown = cache(one_line)
    entries = [
        Entry(case, worth, run.header, shown(case.profile)) for run in runs for case, worth in judge(run)
    ]
    must = must_pass(
        ((entry.case, entry.worth) for entry in entries), contract, all(run.finished for run in runs)
    )
    profiles = _profiles(entries, contract)
    anchors: dict[str, str] = {}
    failures = failures_of([entry for entry in entries if entry.worth is Counts.BAD], contract, anchors)
    chapters = chapters_of(entries, contract, profiles, anchors)
    rows = [row for chapter in chapters for function in chapter.functions for row in function.rules]
    verdicts = Counter((entry.case.verdict, entry.worth) for entry in entries)
    worth = Counter(entry.worth for entry in entries)
    return Report(
        kind="reference" if "reference" in kinds else "cann" if kinds == {"cann"} else "other",
        synthetic=any("synthetic" in run.header.options for run in runs),
        runs=[run_view(run) for run in runs],
        strict=any(run.header.strict for run in runs),
        state=must.state,
        must_rules=len(must.judged),
        must_broken=len(must.broken),
        must_missing=_missing(entries, runs, contract),
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
        neutral=untried_of(entries),
        capture=capture_of(chapters, len(profiles)),
        figures=figures_of(runs, beside.bench_changes),
        coverage=coverage_of(entries, contract, beside.proofs),
        changes=changes_of(beside.baseline, beside.comparison, contract) if beside.comparison else None,
    )


def _missing(entries: Iterable[Entry], runs: Sequence[Run], contract: Contract) -> int:
    """How many promises that must hold on a product of the runs have no case there, neutral or not."""
    has: dict[tuple[str, str], set[str]] = {}
    versions: dict[tuple[str, str], str] = {}
    matrix = set(contract.matrix())
    for run in runs:
        for product in run.header.products:
            for form in run.header.forms:
                if (product, form) in matrix and is_version(run.header.cann):
                    versions[product, form] = run.header.cann
    for entry in entries:
        has.setdefault((entry.case.product, entry.case.form), set()).update(entry.case.rules)
    lacking: set[str] = set()
    for (product, form), version in versions.items():
        required = {rule.id for rule in must_pass_rules(contract, product, form, version)}
        lacking |= required - has.get((product, form), set())
    return len(lacking)


def _profiles(entries: Iterable[Entry], contract: Contract) -> list[str]:
    seen = {entry.profile for entry in entries}
    known = [f"{product}-{form}" for product, form in contract.matrix()]
    return [profile for profile in known if profile in seen] + sorted(seen - set(known))
