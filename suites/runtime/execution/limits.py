"""The time limit of operators, in steps of the product's interval."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from harness.device import require
from harness.plugin import Case, Expect
from suites.threads import alone

SHORT_INTERVAL_US = 100_000
"""From this interval on no product switches the limit off."""


_AI_CORE_MS = {"310p": 547_000, "910": 68_000}
_LONG_MS, _AI_CPU_MS = 1_091_000, 28_000
_TOLERANCE = 0.02
_MOST_STEPS = 254
_OLDER = ("310b", "310p", "910")


def defaults(case: Case) -> tuple[int, ...]:
    """The limits in milliseconds that a product may tell from the start: of its AI cores, and where that is
    another one, of its AI CPUs.
    """
    product, form = case.profile.product, case.profile.form
    limit = _AI_CORE_MS.get(product, _LONG_MS)
    apart = product in _AI_CORE_MS or (product == "310b" and form == "RC")
    return (limit, _AI_CPU_MS) if apart else (limit,)


def close_to(observed: float, wanted: Sequence[int]) -> bool:
    """Whether a number is within two percent of one of these."""
    return any(abs(observed - each) <= each * _TOLERANCE for each in wanted)


class Limits:
    """What the tests of the time limit do; the limit is as it was when the case ends."""

    def __init__(self, acl: Any, case: Case, expect: Expect) -> None:
        self._acl, self._expect, self._product = acl, expect, case.profile.product
        call = case.engine.c.call
        before = int(require(call("aclrtGetOpExecuteTimeout"), "asking for the limit").timeoutMs)
        case.resources.afterwards("aclrtSetOpExecuteTimeOutV2", timeout=before * 1000)
        self.interval = int(require(call("aclrtGetOpTimeOutInterval"), "asking for the step").interval)
        """One step in microseconds."""

    def set_us(self, microseconds: int) -> int:
        """Set the limit; what is really in force, in microseconds."""
        result = self._expect.success(self._acl.aclrtSetOpExecuteTimeOutV2(timeout=microseconds))
        return int(result.actualTimeout)

    def set_s(self, seconds: int) -> int:
        """Set the limit by the older function; what is in force then, in milliseconds."""
        self._expect.success(self._acl.aclrtSetOpExecuteTimeOut(timeout=seconds))
        return self.now_ms()

    def without_context(self) -> Any:
        """The answer to setting the limit in a thread that has neither device nor context."""
        return alone(partial(self._acl.call, "aclrtSetOpExecuteTimeOutV2", timeout=1_000_000))

    def now_ms(self) -> int:
        """The limit in force, in milliseconds."""
        return int(self._expect.success(self._acl.aclrtGetOpExecuteTimeout()).timeoutMs)

    def long_enough(self, seconds: int) -> None:
        """Blocked where the product's longest limit, 254 steps, is shorter than this."""
        if self._product not in _OLDER and self.interval * _MOST_STEPS < seconds * 1_000_000:
            self._expect.blocked(f"the interval is {self.interval} us")

    def can_be_off(self) -> None:
        """Blocked where the interval is too long for a limit that is off."""
        if self.interval >= SHORT_INTERVAL_US:
            self._expect.blocked(f"the interval is {self.interval} us")

    def can_not_be_off(self) -> None:
        """Blocked where the interval is short, so that 0 may switch the limit off."""
        if self.interval < SHORT_INTERVAL_US:
            self._expect.blocked(f"the interval is {self.interval} us")
