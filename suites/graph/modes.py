"""Capture modes of threads, and copies that are made at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from harness.binding import InOut
from harness.device import require
from suites.graph.captures import BYTES, ON_DEVICE, RELAXED, Captures, Copy


class Modes(Captures):
    """Captures, and the modes of threads."""

    def exchange(self, acl: Any, mode: str | int) -> int:
        """Set the mode of this thread; the one it had."""
        number = self._case.contract.value(mode) if isinstance(mode, str) else mode
        answer = acl.call("aclmdlRICaptureThreadExchangeMode", mode=InOut(number))
        return int(require(answer, "exchanging the mode of a thread").mode)

    def exchanges(self, acl: Any, modes: Sequence[str]) -> list[int]:
        """What setting these modes of this thread, one after the other, hands back each time."""
        return [self.exchange(acl, mode) for mode in modes]

    def mode(self, acl: Any) -> int:
        """The mode of this thread, which stays."""
        now = self.exchange(acl, RELAXED)
        self.exchange(acl, now)
        return now

    @contextmanager
    def relaxed(self, acl: Any, mode: str = RELAXED) -> Iterator[None]:
        """This thread has a laxer mode inside the block."""
        before = self.exchange(acl, mode)
        try:
            yield
        finally:
            self.exchange(acl, before)

    def copy_now(self, acl: Any, copy: Copy) -> Any:
        """The answer to the same copy, made at once."""
        blocks = {"dst": copy.target, "destMax": BYTES, "src": copy.source, "count": BYTES}
        return acl.call("aclrtMemcpy", **blocks, kind=ON_DEVICE)

    def copy_now_in_mode(self, acl: Any, copy: Copy, mode: str) -> Any:
        """The same in this thread while it has a mode."""
        with self.relaxed(acl, mode):
            return self.copy_now(acl, copy)
