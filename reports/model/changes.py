"""What is different from another run: changes that are alike told as one, worst first."""

from __future__ import annotations

import re
from typing import NamedTuple

from harness.contract import Contract
from harness.results.compare import KINDS, Change, Comparison
from harness.results.text import one_line
from reports.model.entries import anchor_of

ROWS_SHOWN = 300
"""Different changes of one kind that a report lists."""

_MATRIX = re.compile(r"\[([^\[\]]*)\](?=$|::)")
# What a kind of change counts as; the others are good news.
_WORTH = {"worse": "bad", "removed": "bad", "code": "remark", "slower": "remark", "verdict": "remark"}


class ChangeRow(NamedTuple):
    """Cases that changed alike: where they stand, their rule, and on how many profiles."""

    what: str
    anchor: str
    before: str
    now: str
    cases: int
    places: list[str]


class ChangeGroup(NamedTuple):
    """Every change of one kind: the rows shown, and how many more there are."""

    kind: str
    worth: str
    cases: int
    rows: list[ChangeRow]
    more: int


class Changes(NamedTuple):
    """The comparison with a run before: its groups, and how many cases stayed or were in one run only."""

    baseline: str
    unchanged: int
    outside: int
    groups: list[ChangeGroup]


def changes_of(baseline: str, comparison: Comparison, contract: Contract) -> Changes:
    """The comparison as a report shows it; `baseline` names the run before."""
    kinds: dict[str, list[Change]] = {kind: [] for kind in KINDS}
    for change in comparison.changes:
        kinds[change.kind].append(change)
    return Changes(
        baseline=one_line(baseline),
        unchanged=comparison.unchanged,
        outside=comparison.outside,
        groups=[_group(kind, changes, contract) for kind, changes in kinds.items() if changes],
    )


def _group(kind: str, changes: list[Change], contract: Contract) -> ChangeGroup:
    alike: dict[tuple[str, str, str], list[Change]] = {}
    for change in changes:
        what = " ".join(change.rules) or _MATRIX.sub("", change.id)
        alike.setdefault((what, change.before, change.now), []).append(change)
    rows = [
        ChangeRow(
            what=one_line(what, 400),
            anchor=anchor_of("r", what) if what in contract.rules and kind != "removed" else "",
            before=one_line(before),
            now=one_line(now),
            cases=len(group),
            places=list(dict.fromkeys(one_line(_place(change.id)) for change in group)),
        )
        for (what, before, now), group in list(alike.items())[:ROWS_SHOWN]
    ]
    return ChangeGroup(kind, _WORTH.get(kind, "good"), len(changes), rows, max(len(alike) - ROWS_SHOWN, 0))


def _place(case_id: str) -> str:
    found = _MATRIX.search(case_id)
    return found.group(1) if found else ""
