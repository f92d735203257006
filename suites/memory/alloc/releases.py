"""Releasing memory: while streams are held, from other threads and contexts, by foreign addresses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from harness.device import require
from harness.plugin import Block, Bytes, Case, Expect, Hold, Memory, pattern
from suites.failing import put_failing_task
from suites.memory.copy.foreign import stack_bytes
from suites.memory.holdings import Holdings
from suites.threads import elsewhere, soon

_FIXED = {"first": 1, "last": 2**64 - 64}
_OTHER_SOURCES: Mapping[str, dict[str, Any]] = {
    "aclrtMallocWithCfg": {"size": 4096, "policy": "ACL_MEM_MALLOC_HUGE_FIRST", "cfg": None},
    "aclrtMemAllocManaged": {"size": 4096, "flag": "ACL_RT_MEM_ATTACH_GLOBAL"},
}


class Releases:
    """Releases on the surface under test, and what must be true while and after they happen."""

    def __init__(self, acl: Any, case: Case, memory: Memory, expect: Expect, holdings: Holdings) -> None:
        self._acl = acl
        self._case = case
        self._memory = memory
        self._expect = expect
        self._holdings = holdings
        self._call = case.engine.c.call

    # Work of the device

    def queue(self, stream: int, default: bool) -> int | None:
        """The stream, or the default stream; blocked where a context has none."""
        if default and not self._case.has_default_stream:
            self._expect.blocked("a context has no default stream")
        return None if default else stream

    def queue_copy(self, target: Block, source: Block, stream: int | None) -> Bytes:
        """Put a copy on a stream, between two blocks of the device or to the host; the bytes it moves."""
        kind = f"ACL_MEMCPY_DEVICE_TO_{'DEVICE' if target.kind == 'device' else 'HOST'}"
        ends = {"dst": target.ptr, "destMax": target.size, "src": source.ptr, "count": source.size}
        require(self._call("aclrtMemcpyAsync", **ends, kind=kind, stream=stream), "queueing a copy")
        return source.expected()

    @contextmanager
    def released_soon(self, hold: Hold) -> Iterator[None]:
        """Another thread releases the hold a little later; the block may wait for it."""
        timer = soon(self._acl, hold.release)
        try:
            yield
        finally:
            timer.join()

    def fail_task(self, stream: int, block: Block) -> None:
        """Put a task on a stream that fails when it runs; blocked where no task can be made to fail."""
        self._holdings.outcome_open()
        put_failing_task(self._case, stream, block)

    def forget_failure(self, stream: int) -> None:
        """Hear everything there is to hear about a task that has failed."""
        self._call("aclrtSynchronizeStream", stream=stream)
        self._call("aclrtSynchronizeDevice")

    def expect_done_while_held(self, result: Any, stream: int | None) -> None:
        """The call succeeded, and the stream still has work to do."""
        self._expect.success(result)
        self._expect_status(stream, "ACL_STREAM_STATUS_NOT_READY")

    def expect_all_done_while_held(self, results: Sequence[Any], stream: int | None) -> None:
        """Every call succeeded, and the stream still has work to do."""
        self._expect.true("calls were made", len(results) > 0)
        for result in results:
            self.expect_done_while_held(result, stream)

    def expect_waited(self, result: Any, stream: int | None, target: Block, data: Bytes) -> None:
        """The call succeeded, the stream has nothing left to do, and what it has copied is right."""
        self._expect.success(result)
        self._expect_status(stream, "ACL_STREAM_STATUS_COMPLETE")
        self._expect.data(target, data, "what the stream has copied")

    # Threads and contexts

    def in_another_thread(self, api: str, **args: Any) -> Any:
        """The answer to a call that another thread makes after it has set device 0."""

        def work() -> Any:
            require(self._acl.call("aclrtSetDevice", deviceId=0), "setting the device in another thread")
            return self._acl.call(api, **args)

        return elsewhere(self._acl, work)

    def new_context(self) -> int:
        """A context of device 0 beside the current one; destroyed after the case."""
        home = require(self._call("aclrtGetCurrentContext"), "asking for the context").context
        made = require(self._call("aclrtCreateContext", deviceId=0), "making a context").context
        self._case.resources.afterwards("aclrtDestroyContext", context=made)
        require(self._call("aclrtSetCurrentContext", context=home), "going back")
        return int(made)

    @contextmanager
    def context(self, context: int) -> Iterator[None]:
        """This context is current inside the block."""
        home = require(self._call("aclrtGetCurrentContext"), "asking for the context").context
        require(self._call("aclrtSetCurrentContext", context=context), "changing the context")
        try:
            yield
        finally:
            require(self._call("aclrtSetCurrentContext", context=home), "going back")

    # Memory of others

    def memory_of_other_sources(self) -> list[int]:
        """Blocks of functions whose own pages send them to aclrtFree, though its page does not name them."""
        addresses = []
        for api, args in _OTHER_SOURCES.items():
            if self._case.supports(api):
                made = require(self._acl.call(api, **args), "allocating")
                addresses.append(next(iter(made.outputs.values())))
        return addresses

    def free(self, api: str, addresses: Iterable[int]) -> list[Any]:
        """The answers to releasing every address."""
        return [self._acl.call(api, devPtr=address) for address in addresses]

    def foreign(self, kind: str, block: Block) -> int:
        """An address that is not the start of a device block; interior ones lie in `block`.

        Kinds: stack, host (pinned where there is such memory), pageable, interior, misaligned, first, last.
        """
        self._holdings.outcome_open()
        if kind in _FIXED:
            return _FIXED[kind]
        if kind in ("interior", "misaligned"):
            return block.at(64 if kind == "interior" else 1)
        if kind == "stack":
            return stack_bytes().ptr
        made = self._memory.pageable(4096) if kind == "pageable" else self._memory.host(4096, guard=0)
        return made.write(pattern(4096, 9)).ptr

    def expect_harmless(self, result: Any, address: int, others: Sequence[Block]) -> None:
        """What the release answered is recorded; the other blocks are unharmed, and a refused one is, too."""
        own = [block for block in self._case.resources.blocks if block.ptr == address]
        for block in own if result.ok else ():
            block.forget()
            self._release_if_live(block)
        self._expect.observed(result, corrupted=[*others, *(block for block in own if not result.ok)])

    def expect_left_alone(self, result: Any, *blocks: Block) -> None:
        """What the release answered is recorded; every block, the named one included, is unharmed."""
        self._expect.observed(result, corrupted=blocks)

    def _release_if_live(self, block: Block) -> None:
        """Release a block that a call has accepted and not released; only the reference device tells."""
        if self._case.engine.library.control is not None and block.kind == "pinned":
            self._call("aclrtFreeHost", hostPtr=block.ptr)

    def _expect_status(self, stream: int | None, wanted: str) -> None:
        if self._case.supports("aclrtStreamQuery"):
            answer = self._expect.success(self._call("aclrtStreamQuery", stream=stream))
            value = self._case.contract.value(wanted)
            self._expect.true(f"the stream's status is {wanted}", answer.status == value)
