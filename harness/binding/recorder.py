"""The call recorder: what was called, with what, what came back, from which thread, when.

A recorded call appends one tuple to a ring and decodes nothing; `snapshot` decodes. The ring holds the
arguments themselves, so a decoded struct or array shows what it held when the snapshot was taken.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from harness.binding.journal import Journal

# Enough for any test; a stress loop keeps its last calls.
CAPACITY = 1024


class CallRecord(NamedTuple):
    """One finished call: C name, C-level arguments, what it returned, thread id, monotonic nanoseconds."""

    function: str
    args: tuple[Any, ...]
    code: Any
    thread: int
    start_ns: int
    end_ns: int


class Recorder:
    """The ring of one library. Appending is atomic, so any thread may call while another takes a snapshot.

    With a `journal`, each call is also written to a file before it starts and completed after it returns.
    """

    def __init__(self, describe: Callable[[CallRecord], dict[str, Any]], capacity: int = CAPACITY) -> None:
        self._describe = describe
        self._ring: deque[tuple[Any, ...]] = deque(maxlen=capacity)
        # Bound once: recorded calls look it up on every call.
        self.append = self._ring.append
        self.journal: Journal | None = None

    def __len__(self) -> int:
        return len(self._ring)

    def clear(self) -> None:
        """Forget every call, and let go of their arguments."""
        self._ring.clear()

    def records(self) -> list[CallRecord]:
        """The calls in the ring as they were made, oldest first."""
        return [CallRecord(*record) for record in list(self._ring)]

    def snapshot(self) -> list[dict[str, Any]]:
        """The calls in the ring for a reader, oldest first.

        Each has function, args (parameter name -> decoded value: enumerator names, pointers as hex text,
        sizes as numbers, structs as dicts), code and result (the return code and its name; for a function
        that returns no code, None and the value), thread, start_ns and end_ns.
        """
        return [self._describe(record) for record in self.records()]
