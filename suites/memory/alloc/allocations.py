"""Device memory as the allocation functions hand it out: asking for it, using it, judging it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np

from harness.device.blocks import CopyAccess
from harness.plugin import Block, Bytes, Case, Expect, pattern
from suites.memory.alloc.figures import Figures
from suites.memory.alloc.sizes import (
    ALIGNMENT,
    APPLICATION,
    BASE_POLICIES,
    CACHED,
    FOR_SCHEDULER,
    FREED_ALIKE,
    HUGE1G_ONLY,
    HUGE_FIRST,
    HUGE_PAGE,
    P2P_POLICIES,
    WITH_CFG,
    has_1g_pages,
    mixed,
    pieces,
    policies,
    usable,
)
from suites.memory.virtual.properties import GIB, KIB, MIB, overlaps
from suites.threads import together

ALL_AT_ONCE = 64 * KIB
"""Blocks up to this size are looked at byte by byte, larger ones at their ends and their middle."""

_WINDOW = 4 * KIB
_NOT_SUPPORTED = "ACL_ERROR_RT_FEATURE_NOT_SUPPORT"
# Steps in which a kind of page is used up, from large to small, until the last one is refused.
_STEPS = {"HUGE": (GIB, 64 * MIB, HUGE_PAGE - 64), "NORMAL": (GIB, 64 * MIB, MIB, 64 * KIB), "HUGE1G": (GIB,)}
_MOST_BLOCKS = 4096

Policy = str | int


@dataclass(frozen=True)
class Asked:
    """A request for memory and what came of it."""

    size: int
    policy: Policy
    result: Any

    @property
    def ptr(self) -> int:
        """Where the memory begins."""
        return int(self.result.outputs["devPtr"])


class Allocations:
    """Asks for device memory on the surface under test and judges it; the case gives all of it back."""

    def __init__(self, acl: Any, case: Case, expect: Expect, figures: Figures) -> None:
        self._acl = acl
        self._case = case
        self._expect = expect
        self._figures = figures
        self._access = CopyAccess(case.engine.c)

    # Asking

    def request(self, api: str, size: int, policy: Policy = HUGE_FIRST) -> dict[str, Any]:
        """The arguments of a function of the family; aclrtMallocWithCfg gets a configuration."""
        args: dict[str, Any] = {"size": size, "policy": policy}
        configs = {WITH_CFG: APPLICATION, FOR_SCHEDULER: None}
        return {**args, "cfg": configs[api]} if api in configs else args

    def ask(self, api: str, size: int, policy: Policy = HUGE_FIRST) -> Asked:
        """One request."""
        return Asked(size, policy, self._acl.call(api, **self.request(api, size, policy)))

    def ask_for(self, api: str, sizes: Iterable[int], turns: Sequence[Policy] = (HUGE_FIRST,)) -> list[Asked]:
        """A request for every size, the policies taking turns; what is given stays live."""
        return [self.ask(api, size, policy) for size, policy in zip(sizes, cycle(turns), strict=False)]

    def ask_for_each(self, api: str, sizes: Sequence[int], turns: Sequence[Policy]) -> list[Asked]:
        """A request for every size by every policy; what is given stays live."""
        return [self.ask(api, size, policy) for size in sizes for policy in turns]

    def ask_every_source(self, size: int) -> list[Asked]:
        """A request to every function here whose memory aclrtFree is known to release."""
        return [self.ask(api, size) for api in FREED_ALIKE if self._case.supports(api)]

    def ask_for_cached(self) -> list[Asked]:
        """A request for cached memory by every policy that is documented for it and this product."""
        asked = self.ask_for(CACHED, [4 * MIB] * 3, BASE_POLICIES)
        if has_1g_pages(self._case.profile):
            asked.append(self.needs_pages(self.ask(CACHED, GIB, HUGE1G_ONLY)))
        return asked

    def ask_every_way(self, api: str, count: int) -> list[Asked]:
        """So many requests of mixed sizes, by every policy the product has."""
        return self.ask_for(api, mixed(count), policies(self._case.profile))

    def taken(self, size: int, policy: Policy = HUGE_FIRST, api: str = "aclrtMalloc") -> Block:
        """A block that a test needs: it must be had."""
        return self.block(self.expect_given(self.ask(api, size, policy)))

    def block(self, asked: Asked, size: int | None = None) -> Block:
        """The memory of a request, or its first bytes, as a block reached through copies."""
        return self.view(asked.ptr, asked.size if size is None else size)

    def view(self, address: int, size: int) -> Block:
        """Device memory at an address as a block reached through copies."""
        return Block("device", address, size, 0, self._access, lambda: None)

    def rewritten(self, size: int, api: str) -> Block:
        """A block that a test needs, filled twice, with different bytes."""
        return self.taken(size, api=api).write(pattern(size, 1)).write(pattern(size, 2))

    def copy(self, api: str, target: Block, source: Block, stream: int) -> list[Any]:
        """The answers to a copy inside the device, and to the wait for it where it is asynchronous."""
        ends = {"dst": target.ptr, "destMax": target.size, "src": source.ptr, "count": source.size}
        on_stream = {"stream": stream} if api.endswith("Async") else {}
        result = self._acl.call(api, **ends, kind="ACL_MEMCPY_DEVICE_TO_DEVICE", **on_stream)
        return [result, *([self._acl.call("aclrtSynchronizeStream", **on_stream)] if on_stream else ())]

    def free(self, api: str, address: int) -> Any:
        """The answer to a release."""
        return self._acl.call(api, devPtr=address)

    def freed(self, sizes: Iterable[int]) -> list[Asked]:
        """Requests whose blocks were released again; both must succeed."""
        asked = [self.expect_given(each) for each in self.ask_for("aclrtMalloc", sizes)]
        for result in self.free_all("aclrtFree", asked):
            self._expect.success(result)
        return asked

    def free_all(self, api: str, asked: Sequence[Asked]) -> list[Any]:
        """The answers to releasing every block."""
        return [self.free(api, each.ptr) for each in asked]

    def use_up(self, pages: str, policy: Policy) -> list[Asked]:
        """Take memory by a policy in ever smaller steps until not even the smallest is given; the blocks."""
        given: list[Asked] = []
        for size in _STEPS[pages]:
            while len(given) < _MOST_BLOCKS and (asked := self.ask("aclrtMalloc", size, policy)).result.ok:
                given.append(asked)
        return given

    def take_until_refused(self, size: int, policy: Policy = HUGE_FIRST) -> list[Asked]:
        """Take blocks of one size until one is refused; the refused request is the last one."""
        asked = [self.ask("aclrtMalloc", size, policy)]
        while asked[-1].result.ok and len(asked) < _MOST_BLOCKS:
            asked.append(self.ask("aclrtMalloc", size, policy))
        return asked

    def pieces(self, lengths: Sequence[int]) -> list[Block]:
        """Pieces of one big block, laid out as the documents say."""
        offsets, size = pieces(lengths, self._case.profile)
        whole = self.taken(size)
        return [self.view(whole.at(offset), length) for offset, length in zip(offsets, lengths, strict=True)]

    def copy_into(self, blocks: Sequence[Block]) -> list[Any]:
        """The answers to copies from the host, each filling one block with bytes of its own."""
        results = []
        for number, block in enumerate(blocks):
            data = own_bytes(block.size, number)
            ends = {"dst": block.ptr, "destMax": block.size, "src": data, "count": block.size}
            results.append(self._acl.call("aclrtMemcpy", **ends, kind="ACL_MEMCPY_HOST_TO_DEVICE"))
            block.written = data
        return results

    def rounds(self, count: int, sizes: Sequence[int]) -> list[Any]:
        """Allocate and release, over and over; the answers that are no success."""
        failed = []
        for size in mixed(count, sizes):
            asked = self.ask("aclrtMalloc", size)
            freed = self.free("aclrtFree", asked.ptr) if asked.result.ok else asked.result
            failed += [result for result in (asked.result, freed) if not result.ok]
        return failed

    def replace_every_second(self, asked: list[Asked], times: int) -> list[Asked]:
        """Release every second block and take others of other sizes instead, over and over; what is live."""
        for turn in range(times):
            for place in range(turn % 2, len(asked), 2):
                old = asked[place]
                self._expect.success(self.free("aclrtFree", old.ptr))
                size = asked[place - 1].size
                asked[place] = self.ask("aclrtMalloc", size, old.policy)
                self._fill(asked[place], seed=place)
        return asked

    def fill(self, asked: Sequence[Asked]) -> None:
        """Put bytes of its own into every block."""
        for number, each in enumerate(asked):
            self._fill(each, seed=number)

    def in_threads(self, threads: int, each: int) -> list[Asked]:
        """So many threads take blocks at the same time and release every third; what is live then."""
        taken = together(self._acl, [self._churn(each)] * threads)
        return [asked for blocks in taken for asked in blocks]

    # Judging

    def expect_given(self, asked: Asked) -> Asked:
        """The request succeeded with an address that is not null; gives the request back."""
        self._expect.success(asked.result)
        self._expect.true("an address that is not null", asked.ptr != 0)
        return asked

    def expect_usable(
        self,
        *asked: Asked,
        room: Callable[[int], int] = lambda size: size,
        most: int = ALL_AT_ONCE,
    ) -> None:
        """Every block was given, can be set and written from end to end, and keeps what it holds.

        All of them live at the same time. `room` says how many bytes a block of a size has; of blocks with
        more than `most` bytes the ends and the middle are looked at.
        """
        self._expect.true("requests were made", len(asked) > 0)
        for each in asked:
            self.expect_given(each)
        for number, each in enumerate(asked):
            self._expect_set(each.ptr, room(each.size), 0x5A, most)
            self._write(each.ptr, room(each.size), number, most)
        for number, each in enumerate(asked):
            self._expect_written(each.ptr, room(each.size), number, most)

    def expect_usable_throughout(self, *asked: Asked) -> None:
        """As `expect_usable`, with a look at every byte of every block."""
        self.expect_usable(*asked, most=max(each.size for each in asked))

    def expect_usable_padding(self, *asked: Asked) -> None:
        """Every block can be used to the end of the padding that aclrtMalloc promises."""
        self.expect_usable(*_served(asked), room=lambda size: usable(size, self._case.profile))

    def expect_usable_rounded(self, *asked: Asked) -> None:
        """Every block can be used to the next multiple of 32 bytes."""
        self.expect_usable(*_served(asked), room=lambda size: usable(size, self._case.profile, padded=False))

    def expect_usable_where_given(self, asked: Asked) -> None:
        """What the request answered is recorded; the memory it gave is usable and can be released."""
        if not asked.result.ok:
            self._expect.observed(asked.result)
            return
        self.expect_usable(asked)
        self._expect.success(self.free("aclrtFree", asked.ptr))

    def expect_aligned(self, *asked: Asked) -> None:
        """Every address is a multiple of 64; the P2P policies may refuse, the others must not."""
        self._expect.true("requests were made", len(asked) > 0)
        for each in asked:
            if _served([each]):
                self.expect_given(each)
                where = f"the remainder of {each.ptr:#x} ({each.size} bytes by {each.policy})"
                self._expect.true(where, each.ptr % ALIGNMENT, 0)

    def expect_distinct(self, asked: Sequence[Asked]) -> None:
        """No block reaches into another one, and each holds the bytes that were put into it last."""
        live = [each for each in asked if each.result.ok]
        self._expect.true("blocks were given", len(live) > len(asked) // 2)
        ranges = [(each.ptr, each.size) for each in live]
        self._expect.true("blocks that begin inside another", overlaps(ranges), [])
        for number, each in enumerate(asked):
            if each.result.ok:
                self._expect_written(each.ptr, each.size, number, ALL_AT_ONCE)

    def expect_released(self, results: Sequence[Any], before: int, pages: str = "") -> None:
        """Every release succeeded, and the memory is back."""
        self._expect.true("releases were made", len(results) > 0)
        for result in results:
            self._expect.success(result)
        self._figures.expect_missing(before, 0, pages)

    def expect_out_of_memory(self, result: Any, before: int) -> None:
        """The request was refused, has left its output alone and taken nothing; 1 MiB can be had at once."""
        self.expect_nothing_given(result)
        self._figures.expect_missing(before, 0)
        self.expect_usable(self.ask("aclrtMalloc", MIB))

    def expect_refused_without_loss(self, result: Any, before: int) -> None:
        """The request failed with any code, has left its output alone and taken nothing."""
        self._expect.true("the request failed", not result.ok)
        self._expect.true("devPtr is untouched", result.untouched("devPtr"))
        self._figures.expect_missing(before, 0)
        self.expect_usable(self.ask("aclrtMalloc", MIB))

    def expect_nothing_given(self, result: Any) -> None:
        """The request was refused and has left its output alone."""
        self._expect.refused(result)
        self._expect.true("devPtr is untouched", result.untouched("devPtr"))

    def expect_refused_harmlessly(self, results: Sequence[Any], others: Sequence[Block]) -> None:
        """Every call was refused, other blocks are unharmed, and later blocks have no byte in common."""
        self._expect.true("calls were made", len(results) > 0)
        for result in results:
            self._expect.refused(result, unchanged=others)
        asked = self.ask_for("aclrtMalloc", [others[0].size] * 16)
        self.fill(asked)
        self.expect_distinct(asked)
        self._expect.unchanged(*others, where="after other blocks were written")

    def expect_recovered(self, taken: Sequence[Asked], before: int) -> None:
        """The device gave several blocks and then refused; when they are free, it gives the same again."""
        *given, refused = taken
        self._expect.true("the device gave blocks and then refused", bool(given) and not refused.result.ok)
        self._expect.success(self.free("aclrtFree", given[0].ptr))
        again = self.expect_given(self.ask("aclrtMalloc", given[0].size, given[0].policy))
        self.expect_released(self.free_all("aclrtFree", [again, *given[1:]]), before)
        self.expect_usable(self.ask("aclrtMalloc", given[0].size, given[0].policy))

    def expect_other_pages_left(self, result: Any, before: int, pages: str) -> None:
        """The request was refused though pages of another kind are free, and none of those was taken."""
        self._expect.true(f"{pages} pages were left", before > 0)
        self.expect_nothing_given(result)
        self._figures.expect_missing(before, 0, pages)

    def expect_fell_back(self, asked: Asked) -> None:
        """The request was served from small pages, where enough of them are left to judge."""
        normal = self._figures.free("NORMAL")
        if not self._figures.exact and not asked.result.ok and normal < 2 * self._figures.slack:
            self._expect.blocked(f"only {normal} bytes of normal pages are left")
        self.expect_pages([asked], 4 * KIB)
        self.expect_usable(asked)

    def expect_pages_taken(self, before: int, count: int) -> None:
        """So many huge pages are missing from what was free before; on hardware it may be more."""
        missing, least = before - self._figures.free("HUGE"), count * HUGE_PAGE
        self._expect.true(f"{missing} missing bytes are a multiple of 2 MiB", missing % HUGE_PAGE, 0)
        most = least if self._figures.exact else least + self._figures.slack
        self._expect.within("bytes missing from the huge pages", missing, least, most)

    def expect_pages(self, asked: Sequence[Asked], size: int) -> None:
        """Every block was given and lies on pages of this size, where the product can say so.

        Pages of 2 MiB may be larger ones; small pages are smaller than 2 MiB.
        """
        for each in asked:
            self.expect_given(each)
            if self._case.supports("aclrtPointerGetAttributes"):
                got = self._page_size(each.ptr)
                kind = "small" if got < HUGE_PAGE else "huge"
                wanted = "small" if size < HUGE_PAGE else "huge"
                self._expect.true(f"pages of {each.size} bytes ({got} bytes a page)", kind, wanted)

    def expect_same(self, ones: Sequence[Asked], others: Sequence[Asked]) -> None:
        """Request by request, two functions answered the same, with memory alike."""
        codes = [each.result.code for each in ones]
        self._expect.true("the codes of both", [each.result.code for each in others], codes)
        self.expect_aligned(*ones, *others)
        self.expect_usable_rounded(*[each for each in (*ones, *others) if each.result.ok])

    def expect_pieces_apart(self, results: Sequence[Any], blocks: Sequence[Block]) -> None:
        """What the copies answered is recorded; each piece holds what was copied to it."""
        for result in results:
            self._expect.observed(result, corrupted=blocks)

    def expect_copied(self, results: Sequence[Any], target: Block, source: Block) -> None:
        """Every call succeeded, and the target holds what the source does."""
        for result in results:
            self._expect.success(result)
        self._expect.data(target, source.expected(), "what was copied inside the device")

    def expect_kept(self, result: Any, block: Block) -> None:
        """The call was accepted, or refused as not supported; the block holds what it held."""
        self._expect.true("accepted, or not supported", result.name in ("ACL_SUCCESS", _NOT_SUPPORTED))
        self._expect.unchanged(block)

    def expect_tracked(self, asked: Asked, before: int, pages: str) -> None:
        """The block's size, rounded to its pages, is missing from what was free; released, it is back."""
        self.expect_given(asked)
        self._figures.expect_missing(before, asked.size, pages, up_to=asked.size + HUGE_PAGE)
        self.expect_released([self.free("aclrtFree", asked.ptr)], before, pages)

    def expect_all_tracked(self, asked: Sequence[Asked], before: int) -> None:
        """All sizes, rounded to pages, are missing from what was free; released, they are back."""
        for each in asked:
            self.expect_given(each)
        size = sum(each.size for each in asked)
        self._figures.expect_missing(before, size, up_to=size + len(asked) * HUGE_PAGE)
        self.expect_released(self.free_all("aclrtFree", asked), before)

    def expect_no_failures(self, failed: Sequence[Any], before: int) -> None:
        """No call failed, and no memory was lost."""
        self._expect.true("calls that failed", list(failed), [])
        self._figures.expect_missing(before, 0)

    def needs_pages(self, asked: Asked) -> Asked:
        """On hardware the case is blocked where 1 GiB pages have run out; gives the request back."""
        if not self._figures.exact and not asked.result.ok:
            self._expect.blocked(f"no 1 GiB page is free: {asked.result.name}")
        return asked

    def _page_size(self, address: int) -> int:
        answer = self._expect.success(self._acl.call("aclrtPointerGetAttributes", ptr=address))
        return int(answer.attributes["pageSize"])

    def _expect_set(self, address: int, size: int, byte: int, most: int) -> None:
        for start, length in windows(size, most):
            args = {"devPtr": address + start, "maxCount": size - start, "value": byte, "count": length}
            self._expect.success(self._acl.call("aclrtMemset", **args))
            where = f"a block of {size} bytes that was set, from +{start}"
            self._expect.data(self._access.read(address + start, length), byte, where)

    def _fill(self, asked: Asked, seed: int) -> None:
        if asked.result.ok:
            self._write(asked.ptr, asked.size, seed, ALL_AT_ONCE)

    def _write(self, address: int, size: int, seed: int, most: int) -> None:
        for start, length in windows(size, most):
            self._access.write(address + start, own_bytes(length, seed))

    def _expect_written(self, address: int, size: int, seed: int, most: int) -> None:
        for start, length in windows(size, most):
            where = f"block {seed} of {size} bytes, from +{start}"
            self._expect.data(self._access.read(address + start, length), own_bytes(length, seed), where)

    def _churn(self, count: int) -> Callable[[], list[Asked]]:
        def work() -> list[Asked]:
            asked = self.ask_for("aclrtMalloc", mixed(count))
            for each in asked[::3]:
                self._expect.success(self.free("aclrtFree", each.ptr))
            return [each for place, each in enumerate(asked) if place % 3]

        return work


def _served(asked: Sequence[Asked]) -> list[Asked]:
    """The requests that must have been served: the P2P policies may refuse, the others must not."""
    return [each for each in asked if each.result.ok or each.policy not in P2P_POLICIES]


def windows(size: int, most: int) -> Sequence[tuple[int, int]]:
    """Offset and length of the parts of a block that are looked at: all of it, or with more than `most` bytes
    its ends and its middle.
    """
    if size <= most:
        return ((0, size),)
    return tuple((start, _WINDOW) for start in (0, size // 2, size - _WINDOW))


def own_bytes(size: int, number: int) -> Bytes:
    """The bytes of the block with this number: different from those of its neighbours, at every offset."""
    shift = number % 251
    return np.bitwise_xor(pattern(size + 251, 3)[shift : shift + size], np.uint8(number & 0xFF))
