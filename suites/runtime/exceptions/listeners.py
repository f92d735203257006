"""Functions that hear of failing tasks."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from harness.plugin import Block, Case
from suites.failing import put_failing_task
from suites.threads import PATIENCE_S

_LASTS_S = 1.0
INFO = ("Task", "Stream", "Thread", "Device")


class Listener:
    """A function that hears of failing tasks and notes what it can ask about them."""

    def __init__(self, acl: Any, library: Any) -> None:
        self._acl = acl
        self.heard: list[dict[str, int]] = []
        """What was told, one entry for each failure."""
        self._gate, self._begun = threading.Event(), threading.Event()
        self._gate.set()
        self.pointer = library.callback("aclrtExceptionInfoCallback", self.hear)
        """The function as C knows it: the same address each time."""

    @contextmanager
    def lasting(self) -> Iterator[None]:
        """Inside the block the function does not end, but for a second at most."""
        self._gate.clear()
        try:
            yield
        finally:
            self._gate.set()

    def begun(self) -> None:
        """Wait until the function has begun."""
        self._begun.wait(PATIENCE_S)

    def hear(self, info: int) -> None:
        """Note what there is to know of a failure."""
        self._begun.set()
        self._gate.wait(_LASTS_S)
        told = {name: self._ask(f"aclrtGet{name}IdFromExceptionInfo", info) for name in INFO}
        self.heard.append({**told, "Code": self._ask("aclrtGetErrorCodeFromExceptionInfo", info)})

    def _ask(self, api: str, info: int) -> int:
        return int(self._acl.call(api, info=info).value)


class Failures:
    """Tasks that fail on one stream, and who hears of them."""

    def __init__(self, acl: Any, case: Case, stream: int) -> None:
        self._acl, self._case, self.stream = acl, case, stream
        self._call = case.engine.c.call
        self._registered: list[Any] = []
        case.resources.at_end(self._silence)

    def listener(self) -> Listener:
        """A function that nobody knows yet."""
        return Listener(self._acl, self._case.engine.library)

    def register(self, listener: Listener) -> Any:
        """The answer to registering a listener; it is taken out at the end."""
        self._registered.append(listener.pointer)
        return self._acl.aclrtExceptionInfoCallbackRegister(callback=listener.pointer)

    def unregister(self, listener: Listener) -> Any:
        """The answer to taking a listener out."""
        return self._acl.aclrtExceptionInfoCallbackUnregister(callback=listener.pointer)

    def fail(self) -> int:
        """Let a task fail and wait for its stream; the code of the wait."""
        self.begin()
        return self.end()

    def fail_on(self, stream: int, block: Block) -> None:
        """Let a task that works on a block fail on another stream of the current context, which goes."""
        put_failing_task(self._case, stream, block)
        self._call("aclrtSynchronizeStream", stream=stream)
        self._call("aclrtDestroyStream", stream=stream)

    def begin(self) -> None:
        """Let a task fail soon."""
        put_failing_task(self._case, self.stream)
        # Who asks for the stream lets it go on.
        self._call("aclrtStreamQuery", stream=self.stream)

    def end(self) -> int:
        """The code of waiting for the stream."""
        return int(self._call("aclrtSynchronizeStream", stream=self.stream).code)

    def timed_unregister(self, listener: Listener) -> tuple[Any, float]:
        """The answer to taking a listener out, and the seconds it took."""
        start = time.monotonic()
        result = self.unregister(listener)
        return result, time.monotonic() - start

    def _silence(self) -> None:
        self._call("aclrtSetExceptionInfoCallback", callback=None)
        for pointer in self._registered:
            self._call("aclrtExceptionInfoCallbackUnregister", callback=pointer)
        self._call("aclrtSynchronizeDevice")
