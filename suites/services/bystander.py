"""Another thread that makes a runtime call when it is told to."""

from __future__ import annotations

import threading
from typing import Any

_PATIENCE_S = 10.0


class Bystander:
    """Has the context of the thread that makes it, and allocates device memory once after `go`."""

    def __init__(self, acl: Any) -> None:
        self._acl = acl
        self._context = acl.call("aclrtGetCurrentContext").context
        self._ready, self._go, self._done = threading.Event(), threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()
        self._ready.wait(_PATIENCE_S)
        self.result: Any = None
        """What the allocation gave; None until it has returned."""

    def go(self) -> None:
        """Let it make its call."""
        self._go.set()

    def returns_within(self, seconds: float) -> bool:
        """Whether its call has returned in time."""
        return self._done.wait(seconds)

    def leave(self) -> None:
        """Wait for its end."""
        self._go.set()
        self._thread.join(_PATIENCE_S)

    def _work(self) -> None:
        call = self._acl.call
        call("aclrtSetCurrentContext", context=self._context)
        self._ready.set()
        self._go.wait()
        self.result = call("aclrtMalloc", size=64, policy="ACL_MEM_MALLOC_HUGE_FIRST")
        self._done.set()
        if self.result.ok:
            call("aclrtFree", devPtr=self.result.devPtr)
