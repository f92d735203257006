"""aclrtGetMemInfo: how much memory there is, how much is free, and of which kind."""

from __future__ import annotations

import pytest

from harness.plugin import covers, isolated, surfaces
from suites.memory.alloc.sizes import BASE_POLICIES, HUGE_ONLY, MALLOC, NORMAL_ONLY
from suites.memory.virtual.properties import KIB, MIB


@covers("get_mem_info.needs_device", uses=["aclrtSetDevice"])
@isolated("no device was ever set in the process")
def test_needs_device(initialised_only, no_device, expect):
    """Without a device the call is refused, sets none, and works once one is set."""
    result = initialised_only.aclrtGetMemInfo(attr="ACL_HBM_MEM")
    expect.refused(result)
    no_device.expect_still_unset(result, "free", "total")


@covers("get_mem_info.free_le_total")
def test_free_le_total(figures):
    """For every kind of memory no more is free than there is, and of the product's own there is some."""
    answers = figures.every_kind()
    figures.expect_sound(answers)


@covers("get_mem_info.free_le_total")
def test_free_le_total_after_a_release(allocations, figures):
    """No more is free than there is after blocks by every policy were released."""
    allocations.free_all("aclrtFree", allocations.ask_for(MALLOC, [MIB] * 3, BASE_POLICIES))
    answers = figures.every_kind()
    figures.expect_sound(answers)


@covers("get_mem_info.tracks_allocation")
@pytest.mark.parametrize(
    ("pages", "policy"), [("", HUGE_ONLY), ("HUGE", HUGE_ONLY), ("", NORMAL_ONLY), ("NORMAL", NORMAL_ONLY)]
)
def test_tracks_allocation(allocations, figures, pages, policy):
    """The figure falls by the size of a block, and rises again when it is released."""
    before = figures.free(pages)
    asked = allocations.ask(MALLOC, 256 * MIB, policy)
    allocations.expect_tracked(asked, before, pages)


@covers("get_mem_info.tracks_allocation")
def test_tracks_many_blocks(allocations, figures):
    """The figure falls with every one of many blocks, and rises again when all are released."""
    before = figures.free()
    asked = allocations.ask_for(MALLOC, [2 * MIB - 64 * KIB] * 64, [HUGE_ONLY, NORMAL_ONLY])
    allocations.expect_all_tracked(asked, before)


@covers("get_mem_info.tracks_allocation")
def test_tracks_every_source(allocations, figures):
    """The figure falls with a block of every function, and rises again when all are released."""
    before = figures.free()
    asked = allocations.ask_every_source(128 * MIB)
    allocations.expect_all_tracked(asked, before)


@covers("get_mem_info.tracks_allocation")
def test_total_is_constant(allocations, figures, expect):
    """The total is the same before and after an allocation."""
    before = figures.total()
    allocations.taken(64 * MIB)
    expect.true("the total", figures.total(), before)


@covers("get_mem_info.tracks_allocation")
@surfaces("c")
def test_devices_have_their_own_figures(figures, peer):
    """A block of a second device takes nothing from the first one."""
    before = figures.free()
    peer.take(64 * MIB)
    figures.expect_missing(before, 0)


@covers("get_mem_info.tracks_allocation")
@surfaces("c")
@pytest.mark.parametrize("policy", [HUGE_ONLY, NORMAL_ONLY], ids=["huge", "normal"])
def test_tracks_a_second_device(figures, peer, policy):
    """With a second device current the figure falls by the size of a block of that device."""
    before = figures.free_of(peer)
    peer.take(64 * MIB, policy)
    figures.expect_missing_of(peer, before, 64 * MIB)


@covers("get_mem_info.unsupported_attr_zero")
def test_unsupported_attr_zero(figures):
    """Every attribute is answered; where such memory is absent, both figures are 0."""
    answers = figures.every_kind()
    figures.expect_absent_kinds_zero(answers)


@covers("get_mem_info.hbm_falls_back_to_ddr")
@pytest.mark.parametrize("pages", ["", "_HUGE", "_NORMAL"], ids=["all", "huge", "normal"])
def test_hbm_falls_back_to_ddr(acl, expect, pages):
    """On hardware with DDR only, asking for HBM gives the figures of the DDR."""
    wanted = expect.success(acl.aclrtGetMemInfo(attr=f"ACL_DDR_MEM{pages}"))
    result = expect.success(acl.aclrtGetMemInfo(attr=f"ACL_HBM_MEM{pages}"))
    expect.true("the total of HBM, where there is only DDR", result.total, wanted.total)


@covers("get_mem_info.excludes_reserved")
def test_excludes_reserved(figures):
    """No more memory is told than the device is known to have."""
    total = figures.total()
    figures.expect_below_capacity(total)
