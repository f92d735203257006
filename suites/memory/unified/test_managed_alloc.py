"""aclrtMemAllocManaged: memory that the host and every device reach through one address."""

from __future__ import annotations

import pytest

from harness.plugin import covers, isolated
from suites.memory.unified.managed import told_fresh
from suites.memory.unified.places import GLOBAL, MOST, STEP
from suites.memory.virtual.properties import GIB, MIB, TIB


@covers("mem_alloc_managed.ok", uses=["aclrtFree"])
@pytest.mark.parametrize("size", [4 * MIB, STEP, 12345], ids=["4-mib", "2-mib", "odd"])
def test_shared(acl, managed, size):
    """What the host writes the device reads at the same address, and the other way round."""
    result = acl.aclrtMemAllocManaged(size=size, flag=GLOBAL)
    managed.expect_shared(result, size)


@covers("mem_alloc_managed.round_2m")
@pytest.mark.parametrize("size", [1, STEP - 1, STEP, STEP + 1], ids=["1", "2-mib-1", "2-mib", "2-mib+1"])
def test_rounding(managed, size):
    """Blocks reach to the next multiple of 2 MiB: both sides may write the last byte before it."""
    results = [managed.ask(size) for _ in range(3)]
    managed.expect_rounded(results, size)


@covers("mem_alloc_managed.address_range")
def test_addresses(managed):
    """A hundred blocks lie side by side in the documented window, each at a multiple of 2 MiB."""
    asked = managed.ask_for(100)
    managed.expect_in_window(asked)


@covers("mem_alloc_managed.limit_3t")
@pytest.mark.parametrize("size", [4 * TIB, MOST + 1, 2**63], ids=["4-tib", "3-tib+1", "8-eib"])
def test_too_large(acl, managed, size):
    """More than 3 TiB in one block is refused, and a small block can be had after it."""
    result = acl.aclrtMemAllocManaged(size=size, flag=GLOBAL)
    managed.expect_refused_alone(result)


@covers("mem_alloc_managed.limit_3t")
def test_too_much(managed):
    """Blocks of 1 TiB are served until they reach 3 TiB at most."""
    results = managed.ask_until_refused(TIB, most=4)
    managed.expect_limited(results, TIB)


@covers("mem_alloc_managed.lazy", uses=["aclrtGetMemInfo"])
def test_lazy(acl, managed):
    """8 GiB take no memory of the device before it writes to them."""
    before = managed.figures.free()
    result = acl.aclrtMemAllocManaged(size=8 * GIB, flag=GLOBAL)
    managed.expect_lazy(result, 8 * GIB, before)


@covers("mem_alloc_managed.free_by_aclrtfree", uses=["aclrtFree"])
def test_free(acl, managed):
    """A block that both sides have used is released, and another one can be had."""
    block = managed.on_device()
    result = acl.aclrtFree(devPtr=block.ptr)
    managed.expect_reusable([result, managed.ask(STEP)])


@covers("mem_alloc_managed.free_by_aclrtfree", uses=["aclrtFree"])
def test_freed_addresses(managed):
    """2 TiB can be had and released three times, though there is room for one such block only."""
    results = managed.in_turn(2 * TIB, times=3)
    managed.expect_reusable(results)


@covers("mem_alloc_managed.not_initialised")
def test_fresh_content(managed, expect):
    """What a fresh block holds is recorded."""
    block = managed.fresh()
    expect.observed(told_fresh(block))


@covers("mem_alloc_managed.migration_keeps_data")
def test_turns(managed):
    """Host and device change the same bytes in turn, and neither loses what the other has done."""
    block = managed.fresh(2 * STEP)
    managed.expect_kept_through_turns(block, turns=40)


@covers("mem_alloc_managed.needs_context")
@isolated("starts before any device is set")
def test_without_a_device(initialised_only, no_device):
    """Without a device nothing is given, and none is set behind the caller's back."""
    result = initialised_only.aclrtMemAllocManaged(size=STEP, flag=GLOBAL)
    no_device.expect_still_unset(result, "ptr")
