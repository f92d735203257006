"""Tasks that fail, and the functions that hear of them."""

from __future__ import annotations

from typing import Any

from harness.device import require
from harness.plugin import Case, Expect, Memory

FAILURE = "ACL_ERROR_RT_AICORE_EXCEPTION"
INFO = ("Task", "Stream", "Thread", "Device")


class Listener:
    """A function that hears of failing tasks and notes what it can ask about them."""

    def __init__(self, acl: Any, library: Any) -> None:
        self._acl = acl
        self.heard: list[dict[str, int]] = []
        """What was told, one entry for each failure."""
        self.pointer = library.callback("aclrtExceptionInfoCallback", self.hear)
        """The function as C knows it: the same address each time."""

    def hear(self, info: int) -> None:
        """Note what there is to know of a failure."""
        told = {name: self._ask(f"aclrtGet{name}IdFromExceptionInfo", info) for name in INFO}
        self.heard.append({**told, "Code": self._ask("aclrtGetErrorCodeFromExceptionInfo", info)})

    def _ask(self, api: str, info: int) -> int:
        return int(self._acl.call(api, info=info).value)


class Failures:
    """Tasks that fail on purpose; blocked where no task can be made to fail."""

    def __init__(self, acl: Any, case: Case, memory: Memory, expect: Expect, stream: int) -> None:
        self._acl, self._case, self._memory, self.stream = acl, case, memory, stream
        self._call = case.engine.c.call
        self._control = case.engine.library.control
        if self._control is None:
            expect.blocked("only the reference device can be told to let a task fail")
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
        assert self._control is not None
        block = self._memory.device(64)
        self._control.inject_task_error(self.stream, self._case.contract.value(FAILURE))
        fill = {"devPtr": block.ptr, "maxCount": 64, "value": 0, "count": 64, "stream": self.stream}
        require(self._call("aclrtMemsetAsync", **fill), "queueing a task that fails")
        return int(self._call("aclrtSynchronizeStream", stream=self.stream).code)

    def _silence(self) -> None:
        self._call("aclrtSetExceptionInfoCallback", callback=None)
        for pointer in self._registered:
            self._call("aclrtExceptionInfoCallbackUnregister", callback=pointer)
        self._call("aclrtSynchronizeDevice")
