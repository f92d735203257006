"""aclrtMemManagedGetAttr and aclrtMemManagedGetAttrs: the properties of managed memory."""

from __future__ import annotations

import pytest

from harness.plugin import covers, covers_each
from suites.memory.unified.advice import BOTH
from suites.memory.unified.places import (
    ACCESSED_BY,
    DEVICE,
    INVALID,
    NOWHERE,
    ON_DEVICE,
    ON_HOST,
    STEP,
    place,
)

ADVISE = ["aclrtMemManagedAdvise"]
GAPS = pytest.mark.parametrize("gap", [0, STEP, 2 * STEP], ids=["first", "middle", "last"])


@covers_each("defaults", *BOTH)
@pytest.mark.parametrize("size", [STEP, 3 * STEP], ids=["2-mib", "6-mib"])
def test_defaults(api, managed, advice, size):
    """A fresh block has no property."""
    block = managed.fresh(size)
    advice.expect_nothing_told(block, api)


@covers_each("defaults", *BOTH)
def test_defaults_after_use(api, managed, advice):
    """Neither use nor other blocks give a block a property, and a freed one's do not come back."""
    before = advice.given(
        managed.fresh(), ("SET_READ_MOSTLY", NOWHERE), ("SET_PREFERRED_LOCATION", ON_DEVICE)
    )
    managed.free(before.ptr)
    block = managed.written()
    advice.expect_nothing_told(block, api)


@covers_each("mixed_range", *BOTH, uses=ADVISE)
@GAPS
def test_mixed_read_mostly(api, managed, advice, gap):
    """A range of which one part is not read mostly is told not to be."""
    block = managed.fresh(3 * STEP)
    advice.given_but_for(gap, block, "SET_READ_MOSTLY", NOWHERE)
    advice.expect_read_mostly(block, 0, api)


@covers_each("mixed_range", *BOTH, uses=ADVISE)
@GAPS
def test_mixed_preferred(api, managed, advice, gap):
    """A range of which one part prefers no place is told to prefer none."""
    block = managed.fresh(3 * STEP)
    advice.given_but_for(gap, block, "SET_PREFERRED_LOCATION", ON_DEVICE)
    advice.expect_preferred(block, INVALID, api)


@covers_each("mixed_range", *BOTH, uses=ADVISE)
@GAPS
def test_different_places(api, managed, advice, expect, gap):
    """A range of which one part prefers the host and the others the device is told to prefer no place."""
    block = managed.fresh(3 * STEP)
    advice.given_but_for(gap, block, "SET_PREFERRED_LOCATION", ON_DEVICE)
    expect.success(advice.give(block, "SET_PREFERRED_LOCATION", ON_HOST, offset=gap, size=STEP))
    advice.expect_preferred(block, INVALID, api)


@covers_each("mixed_range", *BOTH, uses=ADVISE)
@GAPS
def test_mixed_accessed_by(api, managed, advice, gap):
    """A range of which a device does not access one part is told to be accessed by nobody."""
    block = advice.given(managed.fresh(3 * STEP), ("SET_PREFERRED_LOCATION", ON_DEVICE))
    advice.given_but_for(gap, block, "SET_ACCESSED_BY", ON_DEVICE)
    advice.expect_accessed_by(block, api=api)


@covers_each("mixed_range", *BOTH, uses=ADVISE)
def test_like_parts(api, managed, advice):
    """A range whose parts were given the same place one by one is told to prefer that."""
    block = managed.fresh(2 * STEP)
    advice.given_in_halves(block, "SET_PREFERRED_LOCATION", ON_DEVICE)
    advice.expect_preferred(block, DEVICE, api)


@covers("mem_managed_get_attrs.same_as_single", uses=["aclrtMemManagedGetAttr", *ADVISE])
def test_several_at_once(managed, advice):
    """All attributes in one call are told as in calls of their own."""
    block = advice.given(
        managed.fresh(),
        ("SET_READ_MOSTLY", NOWHERE),
        ("SET_PREFERRED_LOCATION", ON_DEVICE),
        ("SET_ACCESSED_BY", ON_DEVICE),
    )
    result, found = advice.ask_together(block)
    advice.expect_together(result, block, found)


@covers("mem_managed_get_attrs.same_as_single", uses=["aclrtMemManagedGetAttr"])
def test_several_of_a_fresh_block(managed, advice):
    """The same with a block that has no property."""
    block = managed.fresh()
    result, found = advice.ask_together(block)
    advice.expect_together(result, block, found)


@covers("mem_managed_get_attr.accessed_by_short", uses=ADVISE)
def test_short_list(managed, advice, second_device):
    """A list with room for one of two devices is filled with one of them."""
    block = advice.given(
        managed.fresh(),
        ("SET_PREFERRED_LOCATION", ON_DEVICE),
        ("SET_ACCESSED_BY", ON_DEVICE),
        ("SET_ACCESSED_BY", place(DEVICE, second_device)),
    )
    result, found = advice.ask("aclrtMemManagedGetAttr", ACCESSED_BY, block)
    advice.expect_one_of(result, found, [0, second_device])
