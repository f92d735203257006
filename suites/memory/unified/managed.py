"""Managed memory: blocks that the host and the device reach through one address, and claims about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import cycle, islice
from typing import Any

from harness.device import pattern, require
from harness.device.blocks import HostAccess
from harness.plugin import Block, Bytes, Case, Expect, Memory
from suites.memory.alloc.figures import Figures
from suites.memory.unified.places import GLOBAL, MOST, STEP, WINDOW
from suites.memory.virtual.properties import MIB, overlaps
from suites.tracked import Tracked

ALLOCATE = "aclrtMemAllocManaged"

_D2D, _D2H = "ACL_MEMCPY_DEVICE_TO_DEVICE", "ACL_MEMCPY_DEVICE_TO_HOST"
_MIXED_SIZES = (1, STEP, STEP + 1, 3 * STEP, 4096)
_WINDOW = 64 * 1024
_TOUCHED = 96 * MIB
"""Bytes the device writes to see memory being taken: more than figures may be off on hardware."""

_SLACK = 64 * MIB


class Managed:
    """Managed memory on the surface under test; the case gives all of it back."""

    def __init__(self, acl: Tracked, case: Case, memory: Memory, expect: Expect, figures: Figures) -> None:
        self._acl = acl
        self._case = case
        self._memory = memory
        self._expect = expect
        self.figures = figures
        self._scratch: dict[int, Block] = {}

    # Asking

    def ask(self, size: int) -> Any:
        """The answer to one request."""
        return self._acl.call(ALLOCATE, size=size, flag=GLOBAL)

    def ask_for(self, count: int) -> list[tuple[int, Any]]:
        """So many requests of mixed sizes: each size and its answer."""
        return [(size, self.ask(size)) for size in islice(cycle(_MIXED_SIZES), count)]

    def ask_until_refused(self, size: int, most: int) -> list[Any]:
        """The answers to requests of one size up to the first refusal, `most` of them at most."""
        results: list[Any] = []
        while len(results) < most and all(result.ok for result in results):
            results.append(self.ask(size))
        return results

    def in_turn(self, size: int, times: int) -> list[Any]:
        """The answers to asking for a block and freeing it, over and over."""
        results: list[Any] = []
        for _ in range(times):
            made = self.ask(size)
            results += [made, self.free(made.ptr)] if made.ok else [made]
        return results

    def free(self, start: int) -> Any:
        """The answer to giving a block back."""
        return self._acl.call("aclrtFree", devPtr=start)

    def fresh(self, size: int = STEP) -> Block:
        """A block that nobody has touched, seen from the host."""
        return view(int(require(self.ask(size), "allocating managed memory").ptr), size)

    def written(self, size: int = STEP, seed: int = 1) -> Block:
        """A block that the host has filled with the bytes of a seed."""
        return self.fresh(size).write(pattern(size, seed))

    def on_device(self, size: int = STEP, seed: int = 1) -> Block:
        """A block that device 0 has filled with the bytes of a seed."""
        block = self.fresh(size)
        self.device_writes(block, pattern(size, seed))
        return block

    # What the device does

    def device_reads(self, block: Block, offset: int = 0, size: int | None = None) -> Bytes:
        """Bytes of a block as device 0 sees them: copied inside the device first."""
        length = block.size - offset if size is None else size
        if length not in self._scratch:
            self._scratch[length] = self._memory.device(length, guard=0)
        copy = self._scratch[length]
        self._copy(copy.ptr, block.at(offset), length)
        return copy.read()

    def device_writes(self, block: Block, data: Bytes, offset: int = 0) -> None:
        """Let device 0 put bytes into a block; they are what it must hold."""
        source = self._memory.device(data.size, guard=0).write(data)
        self._copy(block.at(offset), source.ptr, data.size)
        _remember(block, data, offset)

    def device_fills(self, start: int, size: int, byte: int) -> Any:
        """The answer to setting bytes from the device."""
        return self._acl.call("aclrtMemset", devPtr=start, maxCount=size, value=byte, count=size)

    # Claims

    def expect_shared(self, result: Any, size: int) -> None:
        """The block was given; what one side writes the other one reads at the same address; it can be
        freed.
        """
        self._expect.success(result)
        block = view(int(result.ptr), size).write(pattern(size, 1))
        self.expect_device_sees(block)
        self.device_writes(block, pattern(size, 2))
        self._expect.data(block, block.expected(), "what the device has written, seen from the host")
        self._expect.success(self.free(block.ptr))

    def expect_device_sees(self, block: Block, times: int = 1) -> None:
        """Device 0 reads what the block must hold, as often as it looks."""
        for _ in range(times):
            self._expect.data(self.device_reads(block), block.expected(), "what the device sees")

    def expect_both_see(self, block: Block, times: int = 1) -> None:
        """Device and host read what the block must hold, in turn."""
        for _ in range(times):
            self.expect_device_sees(block)
            self._expect.data(block, block.expected(), "what the host sees")

    def expect_rounded(self, results: Sequence[Any], size: int) -> None:
        """Blocks of this size reach to the next multiple of 2 MiB, and no other block begins there."""
        room = -(-size // STEP) * STEP
        for result in results:
            self._expect.success(result)
        found = overlaps([(int(result.ptr), room) for result in results])
        self._expect.true("blocks that begin inside another one's room", found, [])
        for result in results:
            last = int(result.ptr) + room - 1
            self._expect.success(self.device_fills(last, 1, 0x5A))
            self._expect.data(view(last, 1), 0x5A, "the last byte of the room")
            view(last, 1).fill(0xA5)
            self._expect.data(view(last, 1), 0xA5, "the last byte of the room")

    def expect_in_window(self, asked: Iterable[tuple[int, Any]]) -> None:
        """Every block begins at a multiple of 2 MiB, lies in the documented window and in no other block."""
        ranges = []
        for size, result in asked:
            start = int(self._expect.success(result).ptr)
            self._expect.true(f"the remainder of {start:#x}", start % STEP, 0)
            self._expect.within("the start of a block", start, WINDOW[0], WINDOW[1] - size)
            ranges.append((start, size))
        self._expect.true("blocks that begin inside another", overlaps(ranges), [])

    def expect_refused_alone(self, result: Any) -> None:
        """The request was refused and has left its output alone; a small one succeeds."""
        self._expect.refused(result)
        self._expect.true("ptr is untouched", result.untouched("ptr"))
        self._expect.success(self.ask(STEP))

    def expect_limited(self, results: Sequence[Any], size: int) -> None:
        """Some requests of one size were served, 3 TiB in all at most, and the last one was refused."""
        given = [result for result in results if result.ok]
        self._expect.within("blocks given", len(given), 1, MOST // size)
        self._expect.refused(results[-1])

    def expect_lazy(self, result: Any, size: int, before: int) -> None:
        """The block was given, took no memory of the device, and takes some once that has written to it."""
        self._expect.success(result)
        self.figures.expect_missing(before, 0)
        self._expect.success(self.device_fills(int(result.ptr), _TOUCHED, 0x5A))
        missing = before - self.figures.free()
        self._expect.within("bytes missing once touched", missing, _TOUCHED - _SLACK, size)

    def expect_reusable(self, results: Sequence[Any]) -> None:
        """Every block was given, and every one could be freed."""
        self._expect.true("calls were made", len(results) > 1)
        for result in results:
            self._expect.success(result)

    def expect_kept_through_turns(self, block: Block, turns: int) -> None:
        """Host and device change bytes round a border of 2 MiB in turn; neither loses what the other did."""
        offset = STEP - _WINDOW // 2
        seen = view(block.at(offset), _WINDOW)
        seen.write(pattern(_WINDOW, 1))
        for turn in range(turns):
            # The wrap at 256 is wanted.
            seen.write(seen.read() + 1)
            found = self.device_reads(seen)
            self._expect.data(found, seen.expected(), f"what the device sees in turn {turn}")
            half = _WINDOW // 2 * (turn % 2)
            self._expect.success(self.device_fills(seen.at(half), _WINDOW // 2, turn))
            wanted = seen.expected().copy()
            wanted[half : half + _WINDOW // 2] = turn
            self._expect.data(seen, wanted, f"what the host sees in turn {turn}")
            seen.written = wanted

    def _copy(self, target: int, source: int, size: int) -> None:
        args = {"dst": target, "destMax": size, "src": source, "count": size, "kind": _D2D}
        require(self._case.engine.c.call("aclrtMemcpy", **args), "copying managed memory")


def view(start: int, size: int) -> Block:
    """Managed memory at an address as a block that the host reaches with its own instructions."""
    return Block("managed", start, size, 0, HostAccess(), lambda: None)


def told_fresh(block: Block) -> str:
    """What a block that nobody has written to holds, in words."""
    return (
        f"{len(set(block.read(0, _WINDOW).tolist()))} different bytes in the first {_WINDOW} of a fresh block"
    )


def _remember(block: Block, data: Bytes, offset: int) -> None:
    whole = block.expected().copy()
    whole[offset : offset + data.size] = data
    block.written = whole
