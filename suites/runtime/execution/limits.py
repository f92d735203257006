"""The time limit of operators, in steps of the product's interval."""

from __future__ import annotations

from functools import partial
from typing import Any

from harness.device import require
from harness.plugin import Case, Expect
from suites.threads import alone

SHORT_INTERVAL_US = 100_000
"""From this interval on no product switches the limit off."""


class Limits:
    """What the tests of the time limit do; the limit is as it was when the case ends."""

    def __init__(self, acl: Any, case: Case, expect: Expect) -> None:
        self._acl, self._expect = acl, expect
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

    def can_be_off(self) -> None:
        """Blocked where the interval is too long for a limit that is off."""
        if self.interval >= SHORT_INTERVAL_US:
            self._expect.blocked(f"the interval is {self.interval} us")

    def can_not_be_off(self) -> None:
        """Blocked where the interval is short, so that 0 may switch the limit off."""
        if self.interval < SHORT_INTERVAL_US:
            self._expect.blocked(f"the interval is {self.interval} us")
