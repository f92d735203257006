"""Cache operations on streams, with and without descriptors and barriers, and claims about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.device import require
from harness.plugin import Block, Case, Expect, Hold, Memory, pattern
from suites.memory.unified.models import BoundStream
from suites.memory.unified.prefetches import expect_held

PREFETCH, WRITEBACK, DROP, FLUSH = (
    f"ACL_RT_CMO_TYPE_{name}" for name in ("PREFETCH", "WRITEBACK", "INVALID", "FLUSH")
)

_PLAIN, _DESCRIBED = "aclrtCmoAsync", "aclrtCmoAsyncWithDesc"
_KIB = 1024
SIZES = (1, 64, 4097, 1024 * _KIB)
"""Sizes of blocks: one byte, one line, no multiple of a line, and 1 MiB."""

_BARRIERS = 6
"""Room for barriers in the structure that a wait takes."""


class Caches:
    """Cache operations on the surface under test."""

    def __init__(self, acl: Any, case: Case, memory: Memory, expect: Expect) -> None:
        self._acl = acl
        self._case = case
        self._memory = memory
        self._expect = expect

    # Memory

    def block(self, size: int = 4096) -> Block:
        """A block of device 0 whose every byte is known."""
        return self._memory.device(size).write(pattern(size, 1))

    def blocks(self) -> list[Block]:
        """A block of every size."""
        return [self.block(size) for size in SIZES]

    # Operations on streams

    def operate(self, block: Block, kind: str | int, stream: int | None) -> Any:
        """The answer to an operation on a whole block."""
        return self._acl.call(_PLAIN, src=block.ptr, size=block.size, cmoType=kind, stream=stream)

    def operate_on_each(self, blocks: Sequence[Block], kind: str, stream: int) -> list[Any]:
        """The answers to an operation on each block."""
        return [self.operate(block, kind, stream) for block in blocks]

    # Descriptors

    def descriptor(self) -> Block:
        """Room for a descriptor in device memory."""
        size = require(self._call("aclrtCmoGetDescSize"), "asking for the size of a descriptor").size
        return self._memory.device(int(size))

    def describe(self, descriptor: Block | int, block: Block) -> Any:
        """The answer to putting a whole block into a descriptor."""
        return self._acl.call("aclrtCmoSetDesc", cmoDesc=descriptor, src=block.ptr, size=block.size)

    def described(self, block: Block) -> Block:
        """A descriptor of a whole block."""
        made = self.descriptor()
        require(self.describe(made, block), "setting a descriptor")
        made.snapshot()
        return made

    def launch(self, descriptor: Block | int, stream: int | None) -> Any:
        """The answer to running what a descriptor tells."""
        return self._acl.call(_DESCRIBED, cmoDesc=descriptor, cmoType=PREFETCH, stream=stream, reserve=None)

    def launch_each(self, blocks: Sequence[Block], stream: int) -> list[Any]:
        """The answers to running a descriptor of each block."""
        return [self.launch(self.described(block), stream) for block in blocks]

    # Barriers

    def drop(self, bound: BoundStream, block: Block, barrier: int) -> Any:
        """The answer to dropping what the cache has of a block, with a barrier to wait for."""
        args = {"src": block.ptr, "size": block.size, "cmoType": DROP, "barrierId": barrier}
        return self._acl.call("aclrtCmoAsyncWithBarrier", **args, stream=bound.stream)

    def drop_each(self, bound: BoundStream, blocks: Mapping[int, Block]) -> list[Any]:
        """The answers to dropping what the cache has of each block, by barrier."""
        return [self.drop(bound, block, barrier) for barrier, block in blocks.items()]

    def wait(self, bound: BoundStream, *barriers: int) -> Any:
        """The answer to letting the stream wait for barriers."""
        listed = [*barriers, *[0] * (_BARRIERS - len(barriers))]
        infos = [{"cmoType": DROP, "barrierId": barrier} for barrier in listed]
        task = {"barrierNum": len(barriers), "cmoInfo": infos}
        return self._acl.call("aclrtCmoWaitBarrier", taskInfo=task, stream=bound.stream, flag=0)

    def copy_behind(self, bound: BoundStream) -> Block:
        """Put a copy on the stream; the block that it goes to."""
        source, target = self.block(), self._memory.device(4096)
        args = {"dst": target, "destMax": 4096, "src": source, "count": 4096, "stream": bound.stream}
        require(self._call("aclrtMemcpyAsync", **args, kind="ACL_MEMCPY_DEVICE_TO_DEVICE"), "queueing a copy")
        target.written = source.expected()
        return target

    # Claims

    def expect_harmless(self, results: Sequence[Any], blocks: Sequence[Block], stream: int | None) -> None:
        """The operations were accepted, the stream gets through, and no byte has changed."""
        self._expect.true("calls were made", len(results) > 0)
        for result in results:
            self._expect.success(result)
        self._expect.success(self._call("aclrtSynchronizeStream", stream=stream))
        self._expect.unchanged(*blocks, where="after the cache operation")

    def expect_queued(self, result: Any, hold: Hold) -> None:
        """The operation came back while its stream is held, and that gets through it once released."""
        expect_held(self._expect, self._acl, result, hold)

    def expect_observed(self, result: Any, stream: int | None, *corrupted: Block) -> None:
        """What the call and the wait for its stream give is recorded; the blocks are unharmed."""
        waited = self._call("aclrtSynchronizeStream", stream=stream)
        self._expect.observed(f"{result.name}, the wait answered {waited.name}", corrupted=corrupted)

    def expect_run(self, results: Sequence[Any], bound: BoundStream, target: Block) -> None:
        """The operations were accepted, and the model runs up to the copy behind them."""
        for result in results:
            self._expect.success(result)
        self._expect.success(bound.run())
        self._expect.data(target, target.expected(), "what is copied behind the cache operations")

    def expect_recorded(self, result: Any, descriptor: Block) -> None:
        """The descriptor was set: it is not what it was before, and nothing beside it has changed."""
        self._expect.success(result)
        kept = bool((descriptor.read() == descriptor.expected()).all())
        self._expect.true("the descriptor is what it was before", kept, False)
        descriptor.snapshot()

    def expect_same_size(self, results: Sequence[Any]) -> None:
        """Every call tells the same size, which is not 0."""
        sizes = {int(self._expect.success(result).size) for result in results}
        self._expect.true("different sizes", len(sizes), 1)
        self._expect.within("bytes of a descriptor", min(sizes), 1, 1024 * _KIB)

    def _call(self, api: str, **args: Any) -> Any:
        return self._case.engine.c.call(api, **args)
