"""Options of the process: set, read, and put back when the case ends."""

from __future__ import annotations

from functools import partial
from typing import Any

from harness.device import require
from harness.plugin import Case, Expect
from suites.threads import alone

DETERMINISTIC = "ACL_OPT_DETERMINISTIC"
SWITCHES = ("ACL_OPT_ENABLE_DEBUG_KERNEL", "ACL_OPT_STRONG_CONSISTENCY")
EVERY = (DETERMINISTIC, *SWITCHES)
_SET, _GET = "aclrtSetSysParamOpt", "aclrtGetSysParamOpt"


class Options:
    """Options on the surface under test."""

    def __init__(self, acl: Any, case: Case, expect: Expect) -> None:
        self._acl = acl
        self._expect = expect
        for option in EVERY:
            before = require(case.engine.c.call(_GET, opt=option), "reading an option").value
            case.resources.afterwards(_SET, opt=option, value=before)

    def set(self, option: str, value: int) -> Any:
        """The answer to setting an option."""
        return self._acl.call(_SET, opt=option, value=value)

    def read(self, option: str) -> int:
        """The value of an option, which must be told."""
        return int(self._expect.success(self._acl.call(_GET, opt=option)).value)

    def read_elsewhere(self, option: str) -> int:
        """The value of an option as a thread reads it that begins now."""
        return alone(partial(self.read, option))

    def set_and_read(self, option: str, values: tuple[int, ...]) -> tuple[int, ...]:
        """What is read after each of these values was set."""
        read = []
        for value in values:
            self._expect.success(self.set(option, value))
            read.append(self.read(option))
        return tuple(read)
