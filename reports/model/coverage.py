"""How much of the contract the runs judged, chapter by chapter, and how much of it a fault stands behind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from harness.contract import Contract
from harness.results import Counts
from reports.model.entries import Entry, is_version


class ChapterCoverage(NamedTuple):
    """The rules of a chapter that hold on a profile of the report, and how many of them were judged.

    `untried` were blocked or waived everywhere, `missing` have no case at all. `proved` of the judged ones
    have a known fault that breaks them; None where the faults are not known here.
    """

    token: str
    rules: int
    judged: int
    untried: int
    missing: int
    proved: int | None


def coverage_of(
    entries: Iterable[Entry], contract: Contract, proofs: Mapping[str, object] | None
) -> list[ChapterCoverage]:
    """Every chapter of the contract that promises something on the profiles of the entries.

    `proofs` names the rules that a fault breaks.
    """
    tried: set[str] = set()
    judged: set[str] = set()
    profiles: set[tuple[str, str, str]] = set()
    for entry in entries:
        tried.update(entry.case.rules)
        version = entry.case.cann or entry.header.cann
        if is_version(version):
            profiles.add((entry.case.product, entry.case.form, version))
        if entry.worth is not Counts.NEUTRAL:
            judged.update(entry.case.rules)
    chapters: dict[str, list[str]] = {}
    for rule in contract.rules.values():
        if rule.id in tried or any(rule.applies(*profile) for profile in profiles):
            chapters.setdefault(contract.functions[rule.api].chapter or "none", []).append(rule.id)
    return [
        ChapterCoverage(
            token=token,
            rules=len(rules),
            judged=len(judged.intersection(rules)),
            untried=len(tried.intersection(rules) - judged),
            missing=len(set(rules) - tried),
            proved=None if proofs is None else len(judged.intersection(rules, proofs)),
        )
        for token, rules in sorted(chapters.items())
    ]
