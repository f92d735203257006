"""A context of its own for streams that stop when a task of one of them fails."""

from __future__ import annotations

from typing import Any

from harness.device import require
from harness.plugin import Block, Case
from suites.failing import put_failing_task


class Stopping:
    """A second context of device 0 with streams, current inside the block; it goes with all that it holds."""

    def __init__(self, case: Case) -> None:
        case.needs("aclrtCreateContext", "aclrtSetStreamFailureMode")
        self._case = case
        self._call = case.engine.c.call
        self._home = 0

    def __enter__(self) -> Stopping:
        self._home = int(self._must("aclrtGetCurrentContext").context)
        self._made = int(self._must("aclrtCreateContext", deviceId=0).context)
        return self

    def __exit__(self, *_: object) -> None:
        self._must("aclrtDestroyContext", context=self._made)
        self._must("aclrtSetCurrentContext", context=self._home)

    def stream(self) -> int:
        """A stream of the context."""
        return int(self._must("aclrtCreateStream").stream)

    def stops(self, stream: int) -> None:
        """Put a stream into stop mode."""
        self._must("aclrtSetStreamFailureMode", stream=stream, mode="ACL_STOP_ON_FAILURE")

    def fail(self, stream: int, behind: Block | None = None) -> int:
        """Let a task of a stream fail, with a fill of a block behind it; the code of waiting for both."""
        put_failing_task(self._case, stream)
        if behind is not None:
            self._fill(behind, stream)
        return self._wait(stream)

    def work(self, stream: int, block: Block) -> list[int]:
        """The codes of filling a block on a stream and of waiting for it."""
        return [self._fill(block, stream), self._wait(stream)]

    def elsewhere(self, stream: int, block: Block) -> list[int]:
        """The same for a stream of the context that was current before."""
        self._must("aclrtSetCurrentContext", context=self._home)
        codes = self.work(stream, block)
        self._must("aclrtSetCurrentContext", context=self._made)
        return codes

    def _fill(self, block: Block, stream: int) -> int:
        fill = {"devPtr": block.ptr, "maxCount": block.size, "value": 1, "count": block.size}
        return int(self._call("aclrtMemsetAsync", **fill, stream=stream).code)

    def _wait(self, stream: int) -> int:
        return int(self._call("aclrtSynchronizeStream", stream=stream).code)

    def _must(self, api: str, **args: Any) -> Any:
        return require(self._call(api, **args), "preparing a context of its own")
