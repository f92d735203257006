"""How a case can end other than by returning, and the verdict each way amounts to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from harness.binding import AbsentFunction
from harness.contract import Contract, Rule
from harness.device import DeviceError, GuardViolation, Profile
from harness.results import Verdict, worst


class RuleViolation(Exception):
    """The opposite of a promise was observed; `strength` is how strong the promise is: must, expected,
    observed.
    """

    def __init__(self, text: str, strength: str = "must") -> None:
        super().__init__(text)
        self.strength = strength


class ProcessLost(RuleViolation):
    """The library took another process of the case down, or did not return in it."""

    def __init__(self, text: str, hung: bool) -> None:
        super().__init__(text)
        self.verdict = Verdict.HANG if hung else Verdict.CRASH


class Blocked(Exception):
    """The case could not be tried here; the text says why."""


class Mess(Exception):
    """What a case has left behind: leaks, pending errors, written guards, failed callbacks."""


_BY_STRENGTH = {"must": Verdict.FAIL, "expected": Verdict.DEVIATES, "observed": Verdict.OBSERVED}


def strongest(rules: Iterable[Rule]) -> str:
    """The strength of the strongest of some rules; `must` for none."""
    strengths = {rule.strength for rule in rules}
    return next((name for name in _BY_STRENGTH if name in strengths), "must")


def together(judged: Sequence[tuple[Verdict, str]]) -> tuple[Verdict, str]:
    """The worst of some verdicts, with the reasons of all."""
    return worst(*(verdict for verdict, _ in judged)), "; ".join(reason for _, reason in judged if reason)


def judge(error: BaseException, contract: Contract, profile: Profile) -> tuple[Verdict, str]:
    """The verdict and reason of a case that ended with this exception."""
    # Only a case that ended badly pays for the import; most runs never need it.
    from harness.pyacl import SurfaceLimit

    text = str(error)
    if isinstance(error, ProcessLost):
        return error.verdict, text
    if isinstance(error, RuleViolation):
        return _BY_STRENGTH[error.strength], text
    if isinstance(error, Blocked):
        return Verdict.BLOCKED, text
    if isinstance(error, AbsentFunction):
        supported = contract.supports(error.function, profile.product, profile.form)
        reason = f"{error.function} is not exported"
        return (Verdict.ABSENT if supported else Verdict.REFUSED_AS_DOCUMENTED), reason
    if isinstance(error, SurfaceLimit):
        return Verdict.BLOCKED, f"this surface cannot express the call: {text}"
    if isinstance(error, pytest.skip.Exception):
        return Verdict.BLOCKED, text
    if isinstance(error, Mess | GuardViolation):
        return Verdict.FAIL, text
    if isinstance(error, DeviceError):
        return Verdict.FAIL, f"set-up failed: {text}"
    return Verdict.FAIL, f"error in the test: {type(error).__name__}: {text}"
