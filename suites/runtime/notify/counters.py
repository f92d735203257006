"""A counting notify, and streams that wait for its count."""

from __future__ import annotations

from typing import Any

from suites.runtime.desk import Desk

_SET, _EQUAL = 0, 1


class Counter:
    """A counting notify whose count is 0."""

    def __init__(self, acl: Any, desk: Desk, handle: int) -> None:
        self._acl = acl
        self.desk = desk
        self.handle = handle

    def set(self, count: int, stream: int | None) -> None:
        """The count becomes this, once the stream has come to it."""
        info = {"mode": _SET, "value": count}
        self.desk.must("aclrtCntNotifyRecord", cntNotify=self.handle, stream=stream, info=info)

    def wait(self, mode: int, value: int, stream: int | None, clear: int = 0, seconds: int = 0) -> Any:
        """The answer to telling a stream to wait, for ever or with a bound."""
        info = {"mode": mode, "value": value, "timeout": seconds, "isClear": clear}
        api = "aclrtCntNotifyWaitWithTimeout"
        return self._acl.call(api, cntNotify=self.handle, stream=stream, info=info)

    def held(self, free: int, waiting: int) -> tuple[bool, bool]:
        """Whether two streams still wait, the first one being expected not to."""
        return not self.desk.through(free), self.desk.held(waiting)

    def waiting(self, free: int, waiting: int, count: int, other: int) -> tuple[bool, bool]:
        """Whether a stream waits for one count, and another stream for another; both go on afterwards."""
        self.wait(_EQUAL, count, free)
        self.desk.through(free)
        self.wait(_EQUAL, other, waiting)
        found = self.held(free, waiting)
        self.set(other, free)
        self.desk.through(waiting)
        return found
