"""Calls that fail, and what a thread keeps of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from harness.binding import text
from harness.plugin import Case, Expect
from suites.threads import alone, alone_on

T = TypeVar("T")
LEVEL = "ACL_RT_THREAD_LEVEL"


class Errors:
    """What the tests of a thread's errors do. The thread of the case begins and ends without an error."""

    def __init__(self, acl: Any, case: Case, expect: Expect) -> None:
        self._acl, self._expect = acl, expect
        self._call = case.engine.c.call
        self._case = case
        self.forget()
        case.resources.at_end(self.forget)

    def forget(self) -> None:
        """Clear code and texts of this thread."""
        self._call("aclrtGetLastError", level=LEVEL)
        if self._case.supports("aclGetRecentErrMsg"):
            self._call("aclGetRecentErrMsg")

    def fail(self) -> int:
        """Ask for a device that there is not; the code, which is no success."""
        result = self._call("aclrtSetDevice", deviceId=-1)
        self._expect.true("device -1 is refused", result.ok, False)
        return int(result.code)

    def peek(self) -> int:
        """The error that the thread keeps."""
        return int(self._acl.aclrtPeekAtLastError(level=LEVEL).code)

    def take(self) -> int:
        """The error that the thread keeps; it is forgotten then."""
        return int(self._acl.aclrtGetLastError(level=LEVEL).code)

    def after_question(self) -> int:
        """The error that is kept after this thread has asked for its device."""
        self._call("aclrtGetDevice")
        return self.take()

    def words(self) -> str:
        """The text of what has failed; empty where there is none."""
        told = self._acl.aclGetRecentErrMsg().value
        return text(told) if isinstance(told, bytes) else told or ""

    def elsewhere(self, job: Callable[[], T]) -> T:
        """Do a job in a fresh thread with device 0."""
        return alone_on(self._call, 0, job)

    def without_device(self, job: Callable[[], T]) -> T:
        """Do a job in a fresh thread without a device."""
        return alone(job)
