"""What changed between two runs, case by case: verdicts, return codes, how long it takes."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from harness.results.benchmarks import BenchmarkRecord
from harness.results.reader import Run
from harness.results.records import CaseRecord, Header
from harness.results.verdicts import Counts

ChangeKind = Literal["worse", "better", "verdict", "code", "removed", "added", "slower", "faster"]
KINDS: tuple[ChangeKind, ...] = (
    "worse",
    "removed",
    "code",
    "verdict",
    "slower",
    "better",
    "faster",
    "added",
)
"""In the order in which they are told."""

_WORTH = {Counts.BAD: 0, Counts.NEUTRAL: 1, Counts.REMARK: 2, Counts.GOOD: 3}
_CLASSES_S = (0.001, 0.01, 0.1, 1.0, 10.0)
_TELLING_RATIO = 4.0
_TELLING_S = 0.05
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")


@dataclass(frozen=True)
class Change:
    """One case or benchmark that is not as it was; `before` and `now` say how, `rules` what it stands on.

    worse and better: its verdict, across what it counts as; verdict: another one of the same worth; code: the
    first bad return code or what was observed; slower and faster: another class of time, or a benchmark whose
    interval lies apart; removed and added: only one run has it, though both were to.
    """

    kind: ChangeKind
    id: str
    before: str
    now: str
    rules: tuple[str, ...] = ()


@dataclass
class Comparison:
    """Every change, worst first, and how many cases stayed as they were."""

    changes: list[Change] = field(default_factory=list)
    unchanged: int = 0
    outside: int = 0
    """Cases that only one run was to have: of another product, form, surface, chapter or tier."""

    @property
    def counts(self) -> dict[ChangeKind, int]:
        """How many changes there are of each kind."""
        counted = Counter(change.kind for change in self.changes)
        return {kind: counted[kind] for kind in KINDS}


def compare(old: Run, new: Run) -> Comparison:
    """What is different in `new`."""
    result = Comparison()
    before = {case.id: case for case in old.cases}
    for case in new.cases:
        was = before.pop(case.id, None)
        if was is None:
            _only_one(result, case, old.header, _same_choice(old.header, new.header), "added")
            continue
        changes = _changes(was, case, old.header.strict, new.header.strict)
        result.changes += changes
        result.unchanged += not changes
    for case in before.values():
        _only_one(result, case, new.header, _same_choice(old.header, new.header), "removed")
    result.changes += _benchmarks(old, new)
    result.changes.sort(key=lambda change: (KINDS.index(change.kind), change.id))
    return result


def _only_one(
    result: Comparison, case: CaseRecord, other: Header, same: bool, kind: Literal["added", "removed"]
) -> None:
    """A case that one run lacks; it counts only where that run was to have it."""
    inside = case.product in other.products and case.form in other.forms and case.surface in other.surfaces
    if not inside or not same:
        result.outside += 1
        return
    told = case.verdict.value
    result.changes.append(
        Change(
            kind,
            case.id,
            told if kind == "removed" else "",
            told if kind == "added" else "",
            tuple(case.rules),
        )
    )


def _same_choice(old: Header, new: Header) -> bool:
    return all(old.options.get(name) == new.options.get(name) for name in ("rule", "chapter", "tier"))


def _changes(was: CaseRecord, now: CaseRecord, old_strict: bool, new_strict: bool) -> list[Change]:
    rules = tuple(now.rules)
    if was.verdict is not now.verdict:
        step = _WORTH[now.verdict.counts_as(new_strict)] - _WORTH[was.verdict.counts_as(old_strict)]
        kind: ChangeKind = "worse" if step < 0 else "better" if step > 0 else "verdict"
        return [Change(kind, now.id, was.verdict.value, _with_cause(now), rules)]
    if _code(was) != _code(now):
        return [Change("code", now.id, _code(was), _code(now), rules)]
    if (kind_of_time := _timing(was.duration_s, now.duration_s)) is not None:
        return [Change(kind_of_time, now.id, f"{was.duration_s:.3g} s", f"{now.duration_s:.3g} s", rules)]
    return []


def _with_cause(case: CaseRecord) -> str:
    code = _code(case)
    return f"{case.verdict.value} ({code})" if code else case.verdict.value


def _code(case: CaseRecord) -> str:
    """The first bad code with its function, or what was observed; addresses differ from run to run."""
    if case.first_cause is not None:
        cause = case.first_cause
        code = "-" if cause.code is None else f"{cause.code} {cause.name}".strip()
        return f"{cause.function}: {code}"
    return _ADDRESS.sub("0x…", case.observed)


def timing_class(seconds: float) -> int:
    """The class of a time: below a millisecond, 10 ms, 100 ms, a second, 10 s, above."""
    return sum(seconds >= bound for bound in _CLASSES_S)


def _timing(was: float, now: float) -> Literal["slower", "faster"] | None:
    """Whether a time has changed its class, and by more than a busy host explains."""
    low, high = sorted((was, now))
    if timing_class(low) == timing_class(high) or high < _TELLING_S or high < _TELLING_RATIO * low:
        return None
    return "slower" if now > was else "faster"


def _benchmarks(old: Run, new: Run) -> list[Change]:
    """Benchmarks of equal environments whose medians' intervals lie apart."""
    before = {made.id: made for made in old.benchmarks}
    changes = []
    for made in new.benchmarks:
        was = before.get(made.id)
        if was is None or was.environment != made.environment or not (was.valid and made.valid):
            continue
        if (kind := _apart(was, made)) is not None:
            changes.append(Change(kind, made.id, _median(was), _median(made)))
    return changes


def _apart(was: BenchmarkRecord, now: BenchmarkRecord) -> Literal["slower", "faster"] | None:
    if was.samples is None or now.samples is None:
        return None
    before, after = was.samples.median, now.samples.median
    if after.low > before.high:
        return "slower"
    return "faster" if after.high < before.low else None


def _median(made: BenchmarkRecord) -> str:
    return f"{made.samples.median.value:.4g} s" if made.samples is not None else ""
