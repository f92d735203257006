"""Prefetches of managed memory, memory mapped for a peer, and claims about both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.device import pattern, require
from harness.plugin import Block, Case, Expect, Hold
from suites.memory.copy.peers import Peer
from suites.memory.unified.managed import Managed
from suites.memory.unified.places import STEP, Place

_ONE, _SEVERAL = "aclrtMemManagedPrefetchAsync", "aclrtMemManagedPrefetchBatchAsync"


class Prefetches:
    """Prefetches on the surface under test, and what must be true after them."""

    def __init__(self, acl: Any, case: Case, expect: Expect, managed: Managed) -> None:
        self._acl = acl
        self._case = case
        self._expect = expect
        self._managed = managed

    # Calls

    def move(
        self, block: Block, place: Place, stream: int | None, offset: int = 0, size: int | None = None
    ) -> Any:
        """The answer to a prefetch of a block or a part of it."""
        length = block.size - offset if size is None else size
        args = {"ptr": block.at(offset), "size": length, "location": place, "flags": 0, "stream": stream}
        return self._acl.call(_ONE, **args)

    def move_all(self, blocks: Sequence[Block], places: Mapping[int, Place], stream: int | None) -> Any:
        """The answer to one prefetch of whole blocks; `places` are by the first block that goes there."""
        args: dict[str, Any] = {"ptrs": [block.ptr for block in blocks], "count": len(blocks), "flags": 0}
        args |= {"sizes": [block.size for block in blocks], "stream": stream}
        args |= {
            "prefetchLocs": [*places.values()],
            "prefetchLocIdxs": [*places],
            "numPrefetchLocs": len(places),
        }
        return self._acl.call(_SEVERAL, **args)

    def written(self, count: int) -> list[Block]:
        """Blocks of 2 MiB, each filled by the host with the bytes of its number."""
        return [self._managed.written(STEP, seed) for seed in range(1, count + 1)]

    # Claims

    def expect_kept(self, result: Any, blocks: Sequence[Block], stream: int | None) -> None:
        """The prefetch was accepted; once the stream is through, both sides see what the blocks must hold."""
        self._expect.success(result)
        self._settle(stream)
        for block in blocks:
            self._managed.expect_both_see(block)

    def expect_queued(self, result: Any, hold: Hold) -> None:
        """The prefetch came back while its stream is held, and that gets through it once released."""
        expect_held(self._expect, self._acl, result, hold)

    def expect_usable(self, result: Any, block: Block, stream: int | None) -> None:
        """The prefetch was accepted, and both sides can change the block after it."""
        self.expect_kept(result, [block], stream)
        block.write(pattern(block.size, 5))
        self._managed.expect_device_sees(block)
        self._managed.device_writes(block, pattern(block.size, 6))
        self._expect.data(block, block.expected(), "what the device has written, seen from the host")

    def expect_mapped_for(self, peer: Peer, result: Any, block: Block) -> None:
        """The block was mapped, and a stream of the peer copies it."""
        self._expect.success(result)
        target = peer.memory(block.size)
        with peer.current():
            stream = int(require(self._acl.call("aclrtCreateStream"), "creating a stream").stream)
            args = {"dst": target, "destMax": block.size, "src": block, "count": block.size, "stream": stream}
            copied = self._acl.call("aclrtMemcpyAsync", **args, kind="ACL_MEMCPY_DEVICE_TO_DEVICE")
            waited = self._acl.call("aclrtSynchronizeStream", stream=stream)
            require(self._acl.call("aclrtDestroyStream", stream=stream), "destroying a stream")
        self._expect.success(copied)
        self._expect.success(waited)
        self._expect.data(target, block.expected(), "what the second device has copied")

    def _settle(self, stream: int | None) -> None:
        self._expect.success(self._acl.call("aclrtSynchronizeStream", stream=stream))


def expect_held(expect: Expect, acl: Any, result: Any, hold: Hold) -> None:
    """The call was accepted while its stream is held and has work to do; let go, the stream gets through."""
    expect.success(result)
    status = require(acl.call("aclrtStreamQuery", stream=hold.stream), "asking for a stream").status
    expect.true("the stream is not complete", status != 0)
    hold.release()
    expect.success(acl.call("aclrtSynchronizeStream", stream=hold.stream))
