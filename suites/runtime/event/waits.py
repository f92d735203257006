"""A stream that waits for an event which comes late, and the limit that all waits of the process have."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeAlias

from harness.plugin import Case, Expect, Hold
from suites.runtime.desk import Desk

Blocking: TypeAlias = "Callable[[int | None], AbstractContextManager[Hold]]"

LIMIT_S = 1
"""The shortest limit there is."""

_BEYOND_S = 1.2
_APART_S = 0.03
_PATIENCE_S = 20.0


class Waits:
    """What the tests of the limit do; there is none any more when the case ends."""

    def __init__(self, acl: Any, case: Case, desk: Desk, expect: Expect, blocked: Blocking) -> None:
        self._acl, self._case, self._desk, self._expect = acl, case, desk, expect
        self._blocked = blocked
        self._filled = 0

    def limit(self, *seconds: int) -> None:
        """Set the limit to each of these numbers, one after the other."""
        self._case.resources.afterwards("aclrtSetOpWaitTimeout", timeout=0)
        for each in seconds:
            self._expect.success(self._acl.aclrtSetOpWaitTimeout(timeout=each))

    def apart(self, stream: int) -> tuple[int, int, float, float]:
        """Two events with a while between them, and the least and the most seconds that it was for the host;
        a tenth and a millisecond are left to the clock of the device. Both were recorded before, at one time.
        """
        start, end = self._case.resources.event(), self._case.resources.event()
        self._desk.record(start, stream)
        self._desk.done(end, stream)
        before = time.monotonic()
        self._desk.done(start, stream)
        after = time.monotonic()
        with self._blocked(stream) as hold:
            self._desk.record(end, stream)
            time.sleep(_APART_S)
            released = time.monotonic()
            hold.release()
            self._desk.sync(stream)
        over = time.monotonic()
        return start, end, 0.9 * (released - after), 1.1 * (over - before) + 0.001

    def filled_after(self, wait: Callable[..., Any], event: int, stream: int) -> int:
        """The byte that is in a block when a wait for an event comes back; the fill in front of the record
        was held a while, and its byte is one more each time. -1 where the wait failed.
        """
        self._filled += 1
        block = self._case.resources.memory().device(64).fill(0)
        with self._blocked(stream) as hold:
            self._desk.fill(block, self._filled, stream)
            self._desk.record(event, stream)
            self._desk.soon(hold.release)
            waited = wait(event=event)
            found = int(block.read()[0])
        return found if waited.ok else -1

    @contextmanager
    def late(self, event: int, stream: int) -> Iterator[Hold]:
        """Inside the block the event is recorded on a stream that is held."""
        with self._blocked(stream) as hold:
            self._desk.record(event, stream)
            yield hold

    def outlasts(self, hold: Hold, waiting: int) -> Any:
        """The answer to waiting for a stream whose own wait has lasted longer than the shortest limit."""
        time.sleep(_BEYOND_S)
        hold.release()
        return self._acl.aclrtSynchronizeStream(stream=waiting)

    def ended_by_limit(self, waiting: int) -> tuple[Any, float]:
        """The answer to waiting for a stream whose event does not come, and the seconds until it had ended;
        violated where it has not in the end.
        """
        start = time.monotonic()
        through = self._desk.through(waiting, patience=_PATIENCE_S)
        seconds = time.monotonic() - start
        self._expect.true("the wait has ended", through)
        return self._acl.aclrtSynchronizeStream(stream=waiting), seconds
