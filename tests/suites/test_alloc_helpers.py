"""The allocation, host memory and allocator suites' own arithmetic and bookkeeping."""

from __future__ import annotations

import mmap
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from harness.device import DeviceError, Profile
from suites.memory.alloc import sizes
from suites.memory.alloc.allocations import ALL_AT_ONCE, own_bytes, windows
from suites.memory.alloc.figures import Figures
from suites.memory.holdings import Holdings
from suites.memory.host.host_blocks import host_view
from suites.memory.host.system_io import WAYS, through_the_system

A2 = Profile("910b", "EP", "9.0")
A5 = Profile("950", "EP", "9.0")
SMALL = Profile("310b", "EP", "9.0")


@pytest.mark.parametrize(
    ("size", "padded", "bare"),
    [(1, 64, 32), (31, 64, 32), (32, 64, 32), (33, 96, 64), (64, 96, 64), (65, 128, 96)],
)
def test_usable_bytes(size: int, padded: int, bare: int) -> None:
    assert sizes.usable(size, A2) == padded
    assert sizes.usable(size, A2, padded=False) == bare
    assert sizes.usable(size, A5) == bare


def test_mixed_sizes_come_over_and_over() -> None:
    assert sizes.mixed(5, [1, 2]) == [1, 2, 1, 2, 1]


def test_pieces_are_aligned_and_do_not_overlap() -> None:
    lengths = (1, 33, 64, 100, 4097)
    offsets, size = sizes.pieces(lengths, A2)
    ends = [offset + sizes.usable(length, A2) for offset, length in zip(offsets, lengths, strict=True)]
    assert all(offset % sizes.ALIGNMENT == 0 for offset in offsets)
    assert all(end <= start for end, start in zip(ends, offsets[1:], strict=False))
    assert ends[-1] == size


def test_policies_of_a_product_without_peers() -> None:
    assert not set(sizes.P2P_POLICIES) & set(sizes.policies(SMALL))
    assert set(sizes.P2P_POLICIES) < set(sizes.policies(A2))


def test_a_small_block_is_one_window() -> None:
    assert windows(ALL_AT_ONCE, ALL_AT_ONCE) == ((0, ALL_AT_ONCE),)


def test_a_large_block_is_looked_at_on_both_ends() -> None:
    size = 4 * ALL_AT_ONCE + 1
    parts = windows(size, ALL_AT_ONCE)
    assert parts[0][0] == 0
    assert sum(parts[-1]) == size
    assert all(start >= 0 and start + length <= size for start, length in parts)


def test_neighbours_have_other_bytes_at_every_offset() -> None:
    blocks = [own_bytes(256, number) for number in range(8)]
    for first in range(8):
        for second in range(first):
            assert np.count_nonzero(blocks[first] == blocks[second]) < 16


def test_own_bytes_are_the_same_every_time() -> None:
    assert np.array_equal(own_bytes(1000, 7), own_bytes(2000, 7)[:1000])


# Figures


class Told:
    """Answers of aclrtGetMemInfo for a device of 1000 bytes, of one kind of memory."""

    def __init__(self, kind: str, free: int) -> None:
        self.kind = kind
        self.free = free

    def call(self, api: str, attr: str) -> Any:
        there = attr.startswith(f"ACL_{self.kind}_MEM")
        free, total = (self.free, 1000) if there else (0, 0)
        return SimpleNamespace(api=api, ok=True, name="ACL_SUCCESS", free=free, total=total)


class Claimed:
    """Takes down the claims that are made."""

    def __init__(self) -> None:
        self.ranges: list[tuple[float, float, float]] = []

    def within(self, claim: str, observed: float, low: float, high: float) -> None:
        self.ranges.append((observed, low, high))


def figures(told: Told, claimed: Claimed, reference: bool) -> Figures:
    library = SimpleNamespace(control=object() if reference else None)
    case: Any = SimpleNamespace(engine=SimpleNamespace(library=library), profile=A2)
    expect: Any = claimed
    return Figures(told, case, expect)


@pytest.mark.parametrize("kind", ["HBM", "DDR"])
def test_figures_are_those_of_the_memory_there_is(kind: str) -> None:
    made = figures(Told(kind, 700), Claimed(), reference=True)
    assert (made.free("HUGE"), made.total()) == (700, 1000)
    assert made.attribute("HUGE") == f"ACL_{kind}_MEM_HUGE"


def test_missing_bytes_are_exact_on_the_reference() -> None:
    claimed = Claimed()
    figures(Told("HBM", 600), claimed, reference=True).expect_missing(700, 100, up_to=150)
    assert claimed.ranges == [(100, 100, 150)]


def test_missing_bytes_have_a_slack_elsewhere() -> None:
    claimed = Claimed()
    made = figures(Told("HBM", 600), claimed, reference=False)
    made.expect_missing(700, 100)
    assert claimed.ranges == [(100, 100 - made.slack, 100 + made.slack)]


# Holdings


class Library:
    """Takes down what is given back; refuses the addresses in `refused`."""

    def __init__(self, *refused: int) -> None:
        self.calls: list[tuple[str, int]] = []
        self._refused = refused

    def call(self, api: str, /, **args: Any) -> Any:
        (thing,) = args.values()
        self.calls.append((api, thing))
        ok = thing not in self._refused
        return SimpleNamespace(api=api, ok=ok, code=0 if ok else 1, name="")


def answer(ok: bool = True, value: int = 0, **outputs: int) -> Any:
    return SimpleNamespace(ok=ok, value=value, outputs=outputs)


def test_what_uses_a_thing_is_given_back_before_it() -> None:
    holdings, library = Holdings(), Library()
    holdings.note("aclrtMallocHost", {"size": 8}, answer(hostPtr=0x10))
    holdings.note("aclrtMalloc", {"size": 8}, answer(devPtr=0x20))
    holdings.note("aclrtHostRegisterV2", {"ptr": 0x10, "size": 8}, answer())
    holdings.give_back(library)
    assert library.calls == [("aclrtHostUnregister", 0x10), ("aclrtFreeHost", 0x10), ("aclrtFree", 0x20)]


def test_nothing_is_given_back_twice() -> None:
    holdings, library = Holdings(), Library()
    holdings.note("aclrtMallocWithCfg", {"size": 8}, answer(devPtr=0x20))
    holdings.note("aclrtFreeWithDevSync", {"devPtr": 0x20}, answer())
    holdings.give_back(library)
    holdings.give_back(library)
    assert library.calls == []


def test_a_refused_call_changes_nothing() -> None:
    holdings = Holdings()
    holdings.note("aclrtMalloc", {"size": 8}, answer(devPtr=0x20))
    holdings.note("aclrtFree", {"devPtr": 0x20}, answer(ok=False))
    holdings.note("aclrtMalloc", {"size": 8}, answer(ok=False))
    assert holdings.of("device") == [0x20]


def test_an_address_may_come_back_before_its_release_is_noted() -> None:
    holdings = Holdings()
    holdings.note("aclrtMalloc", {"size": 8}, answer(devPtr=0x20))
    holdings.note("aclrtMalloc", {"size": 8}, answer(devPtr=0x20))
    holdings.note("aclrtFree", {"devPtr": 0x20}, answer())
    assert holdings.of("device") == [0x20]


def test_unregistering_nothing_does_not_hide_a_later_registration() -> None:
    holdings = Holdings()
    holdings.note("aclrtAllocatorUnregister", {"stream": 5}, answer())
    holdings.note("aclrtAllocatorRegister", {"stream": 5, "allocatorDesc": 6}, answer())
    assert holdings.of("allocator") == [5]


def test_a_thing_that_is_returned_is_held() -> None:
    holdings, library = Holdings(), Library()
    holdings.note("aclrtAllocatorCreateDesc", {}, answer(value=0x30))
    holdings.give_back(library)
    assert library.calls == [("aclrtAllocatorDestroyDesc", 0x30)]


def test_everything_is_tried_before_a_failure_is_told() -> None:
    holdings, library = Holdings(), Library(0x20)
    holdings.note("aclrtMalloc", {"size": 8}, answer(devPtr=0x10))
    holdings.note("aclrtMalloc", {"size": 8}, answer(devPtr=0x20))
    with pytest.raises(DeviceError, match="giving back"):
        holdings.give_back(library)
    assert library.calls == [("aclrtFree", 0x20), ("aclrtFree", 0x10)]


def test_a_failure_is_expected_where_the_outcome_is_open() -> None:
    holdings, library = Holdings(), Library(0x10)
    holdings.note("aclrtMalloc", {"size": 8}, answer(devPtr=0x10))
    holdings.outcome_open()
    holdings.give_back(library)
    assert library.calls == [("aclrtFree", 0x10)]


# The operating system


@pytest.mark.parametrize("way", list(WAYS))
def test_ordinary_memory_passes_through_the_system(way: str) -> None:
    memory = np.zeros(70_000, np.uint8)
    block = host_view(memory.ctypes.data, memory.size)
    assert through_the_system(way, block) == ""
    assert np.array_equal(memory, block.expected())


@pytest.mark.parametrize("way", list(WAYS))
def test_memory_the_system_cannot_write_is_told(way: str) -> None:
    with mmap.mmap(-1, 4096, prot=mmap.PROT_READ) as pages:
        view = np.frombuffer(pages, np.uint8)
        told = through_the_system(way, host_view(view.ctypes.data, 4096))
        del view
    assert "address" in told
