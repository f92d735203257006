"""What a case can end with, and what that is worth."""

from __future__ import annotations

from enum import Enum


class Counts(str, Enum):
    """What a verdict counts as when a run is judged (docs/verdicts.md)."""

    GOOD = "good"
    BAD = "bad"
    REMARK = "remark"
    NEUTRAL = "neutral"


class Verdict(str, Enum):
    """The outcome of one case (docs/verdicts.md). The order is the order of reports: worst first."""

    CRASH = "crash"
    HANG = "hang"
    FAIL = "fail"
    ABSENT = "absent"
    DEVIATES = "deviates"
    WORKS_THOUGH_UNSUPPORTED = "works-though-unsupported"
    OBSERVED = "observed"
    BLOCKED = "blocked"
    WAIVED = "waived"
    REFUSED_AS_DOCUMENTED = "refused-as-documented"
    PASS = "pass"

    def __str__(self) -> str:
        return self.value

    def counts_as(self, strict: bool = False) -> Counts:
        """What the verdict is worth; with `strict`, `deviates` is bad instead of a remark."""
        if strict and self is Verdict.DEVIATES:
            return Counts.BAD
        return _COUNTS[self]

    def is_bad(self, strict: bool = False) -> bool:
        """True where the verdict makes the run's exit status 1."""
        return self.counts_as(strict) is Counts.BAD

    @property
    def severity(self) -> int:
        """0 for the worst verdict, rising; the worst of several has the smallest."""
        return _SEVERITY[self]


_COUNTS = {
    Verdict.CRASH: Counts.BAD,
    Verdict.HANG: Counts.BAD,
    Verdict.FAIL: Counts.BAD,
    Verdict.ABSENT: Counts.BAD,
    Verdict.DEVIATES: Counts.REMARK,
    Verdict.WORKS_THOUGH_UNSUPPORTED: Counts.REMARK,
    Verdict.OBSERVED: Counts.REMARK,
    Verdict.BLOCKED: Counts.NEUTRAL,
    Verdict.WAIVED: Counts.NEUTRAL,
    Verdict.REFUSED_AS_DOCUMENTED: Counts.GOOD,
    Verdict.PASS: Counts.GOOD,
}
_SEVERITY = {verdict: position for position, verdict in enumerate(Verdict)}


def worst(*verdicts: Verdict) -> Verdict:
    """The worst of one or more verdicts; ValueError when there is none."""
    return min(verdicts, key=lambda verdict: verdict.severity)
