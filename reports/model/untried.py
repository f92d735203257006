"""Cases that could not be tried or are waived, by their reason."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from harness.results import CaseRecord, Counts, Verdict
from harness.results.text import clean, one_line
from reports.model.entries import Entry


@dataclass(slots=True)
class Listed:
    """Cases that could not be tried or are waived, by their reason."""

    verdict: Verdict
    reason: str
    cases: int
    profiles: list[str]
    rules: list[str]


def untried_of(entries: Iterable[Entry]) -> list[Listed]:
    """What could not be tried or is waived, worst first."""
    groups: dict[tuple[Verdict, str], list[Entry]] = {}
    for entry in entries:
        if entry.worth is Counts.NEUTRAL:
            groups.setdefault((entry.case.verdict, clean(_why(entry.case), 1_000)), []).append(entry)
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


def _why(case: CaseRecord) -> str:
    """Why a case counts neither way."""
    if case.waived is None:
        return case.reason
    waived = case.waived
    return f"{waived.reason} ({waived.owner}, until {waived.expires}, {waived.link})"
