"""Stream-ordered memory pools: blocks asked for and given back on streams, figures, and claims about both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, pairwise
from typing import Any

import numpy as np

from harness.device import require
from harness.plugin import Block, Case, Expect, Memory, pattern
from suites.memory.copy.peers import Peer
from suites.memory.stream.pool_books import PoolBooks
from suites.memory.virtual.properties import GIB, MIB
from suites.memory.virtual.space import viewer
from suites.tracked import Tracked

STEP = 2 * MIB
"""Bytes in steps of which a pool hands memory out."""

_REUSE, _ATTRIBUTE = "ACL_RT_MEM_POOL_REUSE_", "ACL_RT_MEM_POOL_ATTR_"
FOLLOW_EVENTS = f"{_REUSE}FOLLOW_EVENT_DEPENDENCIES"
OPPORTUNISTIC = f"{_REUSE}ALLOW_OPPORTUNISTIC"
INTERNAL = f"{_REUSE}ALLOW_INTERNAL_DEPENDENCIES"
THRESHOLD = f"{_ATTRIBUTE}RELEASE_THRESHOLD"
RESERVED, RESERVED_PEAK = f"{_ATTRIBUTE}RESERVED_MEM_CURRENT", f"{_ATTRIBUTE}RESERVED_MEM_HIGH"
USED, USED_PEAK = f"{_ATTRIBUTE}USED_MEM_CURRENT", f"{_ATTRIBUTE}USED_MEM_HIGH"

SWITCHES = (FOLLOW_EVENTS, OPPORTUNISTIC, INTERNAL)
FIGURES = (RESERVED, RESERVED_PEAK, USED, USED_PEAK)
PEAKS = (RESERVED_PEAK, USED_PEAK)
CURRENT = (RESERVED, USED)

ALL_OFF = {name.removeprefix("ACL_RT_MEM_POOL_"): 0 for name in SWITCHES}
"""Attributes of a pool that reuses memory on one stream only."""

LARGEST = 8 * GIB
"""Bytes of the largest pool there is in these cases."""

_SLACK = 64 * MIB
"""Bytes by which a figure of free memory may be off on hardware."""

_WINDOW = 64 * 1024
_SWITCH_BYTES, _NUMBER_BYTES = 4, 8
_D2H = "ACL_MEMCPY_DEVICE_TO_HOST"


def properties(max_size: int = GIB, device: int = 0) -> dict[str, Any]:
    """Properties of a pool on a device."""
    return {
        "allocType": "ACL_MEM_ALLOCATION_TYPE_PINNED",
        "handleType": "ACL_MEM_HANDLE_TYPE_NONE",
        "location": {"id": device, "type": "ACL_MEM_LOCATION_TYPE_DEVICE"},
        "maxSize": max_size,
        "reserved": [0] * 32,
    }


def width(attribute: str) -> int:
    """Bytes of the value of an attribute."""
    return _SWITCH_BYTES if attribute in SWITCHES else _NUMBER_BYTES


@dataclass
class Job:
    """A block of a pool that was filled on a stream and copied to the host there."""

    result: Any
    byte: int
    size: int
    out: Block
    block: int = 0


class Pools:
    """Pools of a case on the surface under test; all of them are given back when it ends."""

    def __init__(self, acl: Tracked, books: PoolBooks, case: Case, memory: Memory, expect: Expect) -> None:
        """`acl` notes its calls in the books."""
        self._acl = acl
        self._books = books
        self._case = case
        self._memory = memory
        self._expect = expect
        self.view = viewer(case.engine.c)
        """`view(address, size)` gives a block through which the host reaches pool memory."""
        self.slack = 0 if case.engine.library.control is not None else _SLACK
        """Bytes by which a figure of free memory may be off."""

    def outcome_open(self) -> None:
        """The call under test may leave things in a state in which giving them back is refused."""
        self._books.outcome_open()

    # Pools

    def pool(self, max_size: int = GIB, **attributes: int) -> int:
        """A fresh pool with some attributes set, by the name behind ACL_RT_MEM_POOL_."""
        made = self._must("aclrtMemPoolCreate", poolProps=properties(max_size))
        for name, value in attributes.items():
            require(self.set(made.memPool, f"ACL_RT_MEM_POOL_{name}", value), "preparing a pool")
        return int(made.memPool)

    def keeping(self, max_size: int = GIB) -> int:
        """A fresh pool that keeps all memory it has taken."""
        return self.pool(max_size, ATTR_RELEASE_THRESHOLD=max_size)

    def destroy(self, pool: int) -> Any:
        """The answer to destroying a pool."""
        return self._acl.call("aclrtMemPoolDestroy", memPool=pool)

    # Attributes

    def set(self, pool: int, attribute: str | int, value: int) -> Any:
        """The answer to setting an attribute."""
        room = self._memory.pageable(_NUMBER_BYTES).write(value.to_bytes(_NUMBER_BYTES, "little"))
        return self._acl.call("aclrtMemPoolSetAttr", memPool=pool, attr=attribute, value=room)

    def ask(self, pool: int, attribute: str | int, fill: int = 0, size: int = 32) -> tuple[Any, Block]:
        """The answer to asking for an attribute, and the block it was written to."""
        room = self._memory.pageable(size).fill(fill)
        return self._acl.call("aclrtMemPoolGetAttr", memPool=pool, attr=attribute, value=room), room

    def get(self, pool: int, attribute: str) -> int:
        """The value of an attribute."""
        result, room = self.ask(pool, attribute)
        require(result, "asking for an attribute")
        return int.from_bytes(room.read(0, width(attribute)).tobytes(), "little")

    def settings(self, pool: int) -> dict[str, int]:
        """The switches and the threshold of a pool."""
        return {attribute: self.get(pool, attribute) for attribute in (*SWITCHES, THRESHOLD)}

    def used(self, pool: int) -> int:
        """Bytes used of a pool."""
        return self.get(pool, USED)

    def figures(self, pool: int) -> dict[str, int]:
        """What a pool has reserved and what is used of it, now and at most."""
        return {attribute: self.get(pool, attribute) for attribute in FIGURES}

    # Blocks

    def malloc(self, pool: int, size: int, stream: int | None) -> Any:
        """The answer to asking for a block."""
        return self._acl.call("aclrtMemPoolMallocAsync", size=size, memPool=pool, stream=stream)

    def block(self, pool: int, size: int, stream: int) -> Block:
        """A block that must be given, as a stream may use it."""
        return self.view(int(require(self.malloc(pool, size, stream), "taking a block").ptr), size)

    def settled_block(self, pool: int, size: int, stream: int) -> Block:
        """A block that must be given, as the host may use it."""
        block = self.block(pool, size, stream)
        self.settle(stream)
        return block

    def free(self, block: Block, stream: int) -> Any:
        """The answer to giving a block back."""
        return self._acl.call("aclrtMemPoolFreeAsync", ptr=block.ptr, stream=stream)

    def freed(self, block: Block, stream: int) -> None:
        """Give a block back; that must succeed."""
        require(self.free(block, stream), "giving a block back")

    def malloc_each(self, pool: int, sizes: Sequence[int], stream: int) -> list[Any]:
        """The answers to asking for a block of each size."""
        return [self.malloc(pool, size, stream) for size in sizes]

    def malloc_until_refused(self, pool: int, size: int, streams: Sequence[int], most: int) -> list[Any]:
        """The answers to asking for blocks of one size, on the streams by turns, until each of them has been
        refused one or too many were asked for.
        """
        results: list[Any] = []
        for _, stream in zip(range(most), cycle(streams), strict=False):
            results.append(self.malloc(pool, size, stream))
            if not any(result.ok for result in results[-len(streams) :]):
                break
        return results

    def take_and_give_back(self, pool: int, sizes: Sequence[int], stream: int) -> None:
        """Ask for a block of each size and give it back before the next, without waiting."""
        for size in sizes:
            self.freed(self.block(pool, size, stream), stream)

    def give_back_every_second(self, jobs: Sequence[Job], stream: int) -> list[Job]:
        """Give back the blocks of every second job and wait for that; the others."""
        for job in jobs[1::2]:
            self.freed(self.view(job.block, job.size), stream)
        self.settle(stream)
        return [*jobs[::2]]

    def trim(self, pool: int, keep: int) -> Any:
        """The answer to letting a pool give memory back."""
        return self._acl.call("aclrtMemPoolTrimTo", memPool=pool, minBytesToKeep=keep)

    def trimmed(self, pool: int) -> None:
        """Let a pool give back all that it can; that must succeed."""
        require(self.trim(pool, 0), "letting a pool give memory back")

    def mark(self, block: Block) -> list[Block]:
        """Windows at the ends and in the middle of a block, each filled with bytes of its own."""
        starts = (0, block.size // 2 - _WINDOW // 2, block.size - _WINDOW)
        return [
            self.view(block.at(start), _WINDOW).write(pattern(_WINDOW, seed))
            for seed, start in enumerate(starts, 1)
        ]

    def plain_block(self, size: int) -> Block:
        """Memory that belongs to no pool."""
        made = self._must("aclrtMalloc", size=size, policy="ACL_MEM_MALLOC_HUGE_FIRST")
        return self.view(int(made.devPtr), size)

    def free_plain_block(self, block: Block, unless: Any) -> None:
        """Free memory of no pool, unless the call under test has taken it."""
        if not unless.ok:
            self._must("aclrtFree", devPtr=block.ptr)

    def fill(self, block: Block, byte: int, stream: int) -> None:
        """Queue a fill of a block."""
        args = {"maxCount": block.size, "value": byte, "count": block.size, "stream": stream}
        self._must("aclrtMemsetAsync", devPtr=block.ptr, **args)

    def fetch(self, block: Block, stream: int, room: Block, offset: int = 0) -> None:
        """Queue a copy of a block to page-locked host memory."""
        args = {"destMax": block.size, "count": block.size, "kind": _D2H, "stream": stream}
        self._must("aclrtMemcpyAsync", dst=room.at(offset), src=block.ptr, **args)

    def job(self, pool: int, size: int, byte: int, stream: int) -> Job:
        """Ask for a block, fill it and copy it to the host, all queued."""
        out = self._memory.pinned(size)
        result = self.malloc(pool, size, stream)
        job = Job(result, byte, size, out)
        if result.ok:
            job.block = int(result.ptr)
            block = self.view(job.block, size)
            self.fill(block, byte, stream)
            self.fetch(block, stream, out)
        return job

    def reuse_in_turn(
        self, pool: int, sizes: Sequence[int], stream: int
    ) -> tuple[list[Any], Block, list[int]]:
        """For each size a block that is filled with its number, copied to the host and given back, all
        queued; the answers, the host memory, and where in it each block is.
        """
        starts = [int(at) for at in np.cumsum([0, *sizes])]
        out, results = self._memory.pinned(starts[-1]), []
        for number, (size, start) in enumerate(zip(sizes, starts, strict=False)):
            result = self.malloc(pool, size, stream)
            results.append(result)
            block = self.view(int(require(result, "taking a block").ptr), size)
            self.fill(block, number % 251, stream)
            self.fetch(block, stream, out, start)
            self.freed(block, stream)
        return results, out, starts

    def held_work(self, pool: int, size: int, stream: int) -> tuple[Block, Block]:
        """A block that is filled, and its memory; for work that is held from then on."""
        block = self.block(pool, size, stream)
        self.fill(block, 0x11, stream)
        self.settle(stream)
        return block, self._memory.pinned(size)

    def workload(self, pool: int, seed: int, steps: int, stream: int) -> list[dict[str, int]]:
        """Blocks of many sizes taken and given back in an order that the seed decides; the figures after
        each step.
        """
        rng, seen = np.random.default_rng(seed), [self.figures(pool)]
        live: list[Block] = []
        for _ in range(steps):
            if live and rng.random() < 0.4:
                self.freed(live.pop(int(rng.integers(len(live)))), stream)
                if rng.random() < 0.3:
                    self.settle(stream)
            else:
                live.append(self.block(pool, int(rng.integers(1, 8 * MIB)), stream))
            seen.append(self.figures(pool))
        return seen

    def settle(self, stream: int | None) -> None:
        """Wait for a stream."""
        self._expect.success(self._acl.call("aclrtSynchronizeStream", stream=stream))

    def wait_for(self, *streams: int) -> None:
        """Wait for several streams."""
        for stream in streams:
            self.settle(stream)

    def free_memory(self) -> int:
        """Bytes of free device memory."""
        return int(self._must("aclrtGetMemInfo", attr="ACL_HBM_MEM").free)

    def total_memory(self) -> int:
        """Bytes of device memory there are."""
        return int(self._must("aclrtGetMemInfo", attr="ACL_HBM_MEM").total)

    # Claims

    def expect_pool(self, result: Any, stream: int) -> None:
        """A pool was made that is not null, gives a usable block, and can be destroyed."""
        pool = self._expect.success(result).memPool
        self._expect.true("a pool that is not null", pool != 0)
        self.expect_usable(pool, MIB, stream)
        self._expect.success(self.destroy(pool))

    def expect_pool_there(self, result: Any, peer: Peer) -> None:
        """A pool of the second device was made: its block comes out of that device's memory and serves its
        streams, and it can be destroyed.
        """
        pool, size = self._expect.success(result).memPool, 256 * MIB
        with peer.current():
            stream, before = int(self._must("aclrtCreateStream").stream), self.free_memory()
            block = self.view(int(self._expect.success(self.malloc(pool, size, stream)).ptr), size)
            self.expect_missing(before, size)
            self._expect.unchanged(*self.mark(block))
            self._expect.success(self.free(block, stream))
            self.settle(stream)
            self._expect.success(self.destroy(pool))
            self.expect_given_back(before)
            self._must("aclrtDestroyStream", stream=stream)

    def expect_usable(self, pool: int, size: int, stream: int) -> None:
        """The pool gives a block of this size whose bytes are kept, and takes it back."""
        block = self.view(int(self._expect.success(self.malloc(pool, size, stream)).ptr), size)
        self.settle(stream)
        self._expect.data(block.write(pattern(size, 3)), pattern(size, 3), "the block")
        self._expect.success(self.free(block, stream))
        self.settle(stream)

    def expect_done(self, job: Job, stream: int) -> None:
        """The block was given; once the stream is through, the host has what it was filled with."""
        self._expect.success(job.result)
        self.settle(stream)
        self._expect.data(job.out, job.byte, "what was copied out of the block")

    def expect_given(self, results: Sequence[Any]) -> None:
        """Every block was given, at an address of its own."""
        given = [self._expect.success(result).ptr for result in results]
        self._expect.true("different blocks", len(set(given)), len(given))

    def expect_own_bytes(self, jobs: Sequence[Job], stream: int) -> None:
        """Every block was given, and holds its own bytes beside the others."""
        for job in jobs:
            self.expect_done(job, stream)
        for job in jobs:
            self._expect.data(self.view(job.block, job.size), job.byte, "a block beside others")

    def expect_apart(self, jobs: Mapping[int, Job], stream: int, used: int) -> None:
        """Of every pool so much is used; the end of one leaves the figures and blocks of others alone."""
        left = dict(jobs)
        while left:
            for pool, job in left.items():
                self._expect.true("bytes used", self.get(pool, USED), used)
                self._expect.data(self.view(job.block, job.size), job.byte, "a block beside other pools'")
            pool, job = left.popitem()
            self._expect.success(self.free(self.view(job.block, job.size), stream))
            self.settle(stream)
            self._expect.success(self.destroy(pool))

    def expect_within_maximum(self, results: Sequence[Any], pool: int, size: int, maximum: int) -> None:
        """Some blocks were given, no more than fit, the last request was refused, and so do the figures
        say.
        """
        given = [result.ptr for result in results if result.ok]
        self._expect.true("a block was given", len(given) > 0)
        self._expect.true("different blocks", len(set(given)), len(given))
        self._expect.refused(results[-1])
        self._expect.within("bytes handed out", len(given) * size, 1, maximum)
        for attribute, value in self.figures(pool).items():
            self._expect.within(attribute, value, 0, maximum)

    def expect_given_back(self, before: int) -> None:
        """As much device memory is free as before."""
        self.expect_missing(before, 0)

    def expect_missing(self, before: int, size: int) -> None:
        """So many bytes are missing from what was free before."""
        missing = before - self.free_memory()
        self._expect.within(
            "bytes missing from the free memory", missing, size - self.slack, size + self.slack
        )

    def expect_value(self, result: Any, pool: int, attribute: str, value: int) -> None:
        """The call succeeded, and the attribute has this value."""
        self._expect.success(result)
        self._expect.true(f"the value of {attribute}", self.get(pool, attribute), value)

    def expect_changed_alone(self, result: Any, settings: Mapping[int, Mapping[str, int]]) -> None:
        """The call succeeded, and these are the settings of these pools."""
        self._expect.success(result)
        for pool, wanted in settings.items():
            self._expect.true("the settings of a pool", self.settings(pool), dict(wanted))

    def expect_refused(self, result: Any, pool: int, before: Mapping[str, int]) -> None:
        """The call was refused, and the pool's figures are as they were."""
        self._expect.refused(result)
        self._expect.true("the figures of the pool", self.figures(pool), dict(before))

    def expect_defaults(self, results: Mapping[str, tuple[Any, Block]]) -> None:
        """Every attribute of a fresh pool is told; figures are 0, switches 0 or 1."""
        for attribute, (result, room) in results.items():
            self._expect.success(result)
            value = int.from_bytes(room.read(0, width(attribute)).tobytes(), "little")
            wanted = value in (0, 1) if attribute in SWITCHES else value == 0
            self._expect.true(f"the default of {attribute}, {value}, is a default", wanted)

    def expect_width(self, results: Sequence[tuple[Any, Block]], attribute: str) -> None:
        """Both answers wrote the same bytes, as many as the type has, over different ones, and no more."""
        size, values = width(attribute), []
        for result, room in results:
            self._expect.success(result)
            values.append(room.read(0, size).tobytes())
            self._expect.data(room.read(size), room.expected()[size:], "the bytes behind the value")
        self._expect.true("both answers", values[0], values[1])

    def expect_used(self, pool: int, least: int, peak: int) -> None:
        """At least so much is used of the pool (0: nothing), and at its peak at least so much was."""
        used = self.get(pool, USED)
        self._expect.within("bytes used", used, least, least + (STEP if least else 0))
        self._expect.within("bytes used at the peak", self.get(pool, USED_PEAK), max(peak, used), LARGEST)

    def expect_figures(self, pool: int, least: int, most: int) -> None:
        """Everything that the pool tells of itself lies between these bytes."""
        for attribute, value in self.figures(pool).items():
            self._expect.within(attribute, value, least, most)

    def expect_ordered(self, seen: Sequence[Mapping[str, int]]) -> None:
        """Never is more used than reserved, or a peak below the value or falling."""
        for before, now in zip([seen[0], *seen], seen, strict=False):
            used, reserved = now[USED], now[RESERVED]
            self._expect.true("used is at most reserved", used <= reserved)
            peaks = now[USED_PEAK] >= used, now[RESERVED_PEAK] >= reserved
            self._expect.true("the peaks are at least the current values", peaks, (True, True))
            falling = [peak for peak in PEAKS if now[peak] < before[peak]]
            self._expect.true("peaks that fall", falling, [])
        self._expect.true("something was used", max(now[USED] for now in seen) > 0)

    def expect_steps(self, pool: int, results: Sequence[Any], before: int, rises: Sequence[int]) -> None:
        """The blocks were given, and what is used has risen by these bytes in all."""
        for result in results:
            self._expect.success(result)
        self._expect.true("bytes used by them", self.get(pool, USED) - before, sum(rises))

    def expect_no_growth(self, pool: int, before: int) -> None:
        """The pool has reserved no more than before, and something."""
        self._expect.within("bytes reserved", self.get(pool, RESERVED), 1, before)

    def expect_slots(self, results: Sequence[Any], out: Block, starts: Sequence[int], stream: int) -> None:
        """Every block was given; once the stream is through, each place holds its own number."""
        for result in results:
            self._expect.success(result)
        self.settle(stream)
        want = out.expected().copy()
        for number, (start, end) in enumerate(pairwise(starts)):
            want[start:end] = number % 251
        self._expect.data(out, want, "what was copied out of the blocks")

    def expect_undisturbed(self, out: Block, job: Job, first: int, second: int) -> None:
        """Once both streams are through, the first one's block was copied as it was, and so was the second
        one's where it was given.
        """
        self.wait_for(first, second)
        self._expect.data(out, 0x11, "what the first stream has copied")
        if job.result.ok:
            self._expect.data(job.out, job.byte, "what the second stream has copied")

    def expect_reserved(self, pool: int, low: int, high: int) -> None:
        """The pool has reserved so many bytes."""
        self._expect.within("bytes reserved", self.get(pool, RESERVED), low, high)

    def _must(self, api: str, **args: Any) -> Any:
        return require(self._acl.call(api, **args), "preparing a memory pool")
