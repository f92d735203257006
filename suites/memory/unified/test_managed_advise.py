"""aclrtMemManagedAdvise: which side of managed memory is used how."""

from __future__ import annotations

import pytest

from harness.device import pattern
from harness.plugin import covers
from suites.memory.unified.places import (
    DEVICE,
    HOST,
    HOST_NUMA,
    HOST_NUMA_CURRENT,
    INVALID,
    NOWHERE,
    ON_DEVICE,
    ON_HOST,
    STEP,
    place,
)

SET, UNSET = "SET_READ_MOSTLY", "UNSET_READ_MOSTLY"
PREFER, PREFER_NOTHING = "SET_PREFERRED_LOCATION", "UNSET_PREFERRED_LOCATION"
ACCESS, ACCESS_NO_MORE = "SET_ACCESSED_BY", "UNSET_ACCESSED_BY"

QUERY = ["aclrtMemManagedGetAttr"]

PARTS = pytest.mark.parametrize("offset", [0, STEP, 2 * STEP], ids=["first", "middle", "last"])
ANY_PLACE = pytest.mark.parametrize("where", [NOWHERE, ON_DEVICE], ids=["no-place", "device"])


@covers("mem_managed_advise.set_read_mostly", uses=QUERY)
@ANY_PLACE
def test_read_mostly(managed, advice, expect, where):
    """Whatever the place, the block is told to be read mostly."""
    block = managed.written()
    result = advice.give(block, SET, where)
    expect.success(result)
    advice.expect_read_mostly(block, 1)


@covers("mem_managed_advise.read_mostly_data")
@pytest.mark.parametrize("origin", ["written", "on_device"])
def test_read_mostly_data(managed, advice, expect, origin):
    """Both sides read, again and again, what one of them has written before."""
    block = getattr(managed, origin)(2 * STEP)
    result = advice.give(block, SET, NOWHERE)
    expect.success(result)
    managed.expect_both_see(block, times=3)


@covers("mem_managed_advise.read_mostly_write_cancels")
def test_host_writes(managed, advice, expect):
    """What the host writes to memory that is read mostly, after the device has read it, both sides see."""
    block = managed.written()
    expect.success(advice.give(block, SET, NOWHERE))
    advice.read_by_device(block).write(pattern(STEP, 2))
    managed.expect_both_see(block)


@covers("mem_managed_advise.read_mostly_write_cancels")
def test_device_writes(managed, advice, expect):
    """What the device writes to memory that is read mostly, after the host has read it, both sides see."""
    block = managed.written()
    expect.success(advice.give(block, SET, NOWHERE))
    managed.expect_both_see(block)
    managed.device_writes(block, pattern(STEP, 2))
    managed.expect_both_see(block)


@covers("mem_managed_advise.unset_read_mostly", uses=QUERY)
@ANY_PLACE
def test_read_mostly_no_more(managed, advice, where):
    """The block is no longer told to be read mostly, and keeps its bytes."""
    block = advice.given(managed.written(), (SET, NOWHERE))
    result = advice.give(advice.read_by_device(block), UNSET, where)
    advice.expect_withdrawn(result, block)


@covers("mem_managed_advise.unset_read_mostly", uses=QUERY)
@PARTS
def test_part_read_mostly_no_more(managed, advice, offset):
    """Of a block that is read mostly, one part is no longer told to be, and the others still are."""
    block = advice.given(managed.written(3 * STEP), (SET, NOWHERE))
    result = advice.give(block, UNSET, NOWHERE, offset, STEP)
    advice.expect_withdrawn_in_part(result, block, offset)


@covers("mem_managed_advise.preferred_device", uses=QUERY)
@pytest.mark.parametrize("origin", ["fresh", "on_device"])
def test_prefer_device(managed, advice, origin):
    """Device 0 is preferred by a block that is mapped nowhere else."""
    block = getattr(managed, origin)()
    result = advice.give(block, PREFER, ON_DEVICE)
    advice.expect_place_taken(result, block, DEVICE)


@covers("mem_managed_advise.preferred_device", uses=QUERY)
def test_prefer_second_device(managed, advice, second_device):
    """A second device is preferred by a block that is mapped nowhere else."""
    block = managed.fresh()
    result = advice.give(block, PREFER, place(DEVICE, second_device))
    advice.expect_place_taken(result, block, DEVICE, second_device)


@covers("mem_managed_advise.preferred_host", uses=QUERY)
@pytest.mark.parametrize("origin", ["fresh", "written"])
def test_prefer_host(managed, advice, origin):
    """The host is preferred by a block that is mapped on no device."""
    block = getattr(managed, origin)()
    result = advice.give(block, PREFER, ON_HOST)
    advice.expect_place_taken(result, block, HOST)


@covers("mem_managed_advise.preferred_conflict", uses=QUERY)
@pytest.mark.parametrize(
    ("origin", "where"), [("written", ON_DEVICE), ("on_device", ON_HOST)], ids=["on-host", "on-device"]
)
def test_prefer_elsewhere(managed, advice, origin, where):
    """A place is refused while the block is mapped on the other side."""
    block = getattr(managed, origin)()
    result = advice.give(block, PREFER, where)
    advice.expect_place_refused(result, block)


@covers("mem_managed_advise.preferred_conflict", uses=QUERY)
def test_prefer_elsewhere_in_part(managed, advice):
    """A place is refused though only the second 2 MiB of the range are mapped on the other side."""
    block = managed.fresh(2 * STEP)
    managed.device_writes(block, pattern(STEP, 1), offset=STEP)
    result = advice.give(block, PREFER, ON_HOST)
    advice.expect_place_refused(result, block)


@covers("mem_managed_advise.preferred_with_read_mostly", uses=QUERY)
@pytest.mark.parametrize("origin", ["written", "on_device"])
@pytest.mark.parametrize(("where", "kind"), [(ON_DEVICE, DEVICE), (ON_HOST, HOST)], ids=["device", "host"])
def test_prefer_with_read_mostly(managed, advice, origin, where, kind):
    """Memory that is read mostly may prefer any place, wherever it is mapped."""
    block = advice.given(getattr(managed, origin)(), (SET, NOWHERE))
    result = advice.give(block, PREFER, where)
    advice.expect_place_taken(result, block, kind)


@covers("mem_managed_advise.unset_preferred", uses=QUERY)
@pytest.mark.parametrize("before", [ON_DEVICE, ON_HOST], ids=["device", "host"])
@pytest.mark.parametrize("where", [ON_DEVICE, NOWHERE], ids=["with-device", "with-no-place"])
def test_prefer_nothing(managed, advice, before, where):
    """The preferred place is withdrawn, whatever place is named with it."""
    block = advice.given(managed.fresh(), (PREFER, before))
    result = advice.give(block, PREFER_NOTHING, where)
    advice.expect_place_taken(result, block, INVALID)


@covers("mem_managed_advise.unset_preferred", uses=QUERY)
@PARTS
def test_part_prefers_nothing(managed, advice, offset):
    """The preferred place of one part of a block is withdrawn, and the others keep it."""
    block = advice.given(managed.fresh(3 * STEP), (PREFER, ON_DEVICE))
    result = advice.give(block, PREFER_NOTHING, NOWHERE, offset, STEP)
    advice.expect_place_withdrawn_in_part(result, block, offset)


@covers("mem_managed_advise.accessed_by", uses=QUERY)
def test_accessed_by(managed, advice, expect):
    """Device 0 stands in the list of those that access the block, and nobody else."""
    block = advice.given(managed.fresh(), (PREFER, ON_DEVICE))
    result = advice.give(block, ACCESS, ON_DEVICE)
    expect.success(result)
    advice.expect_accessed_by(block, 0)


@covers("mem_managed_advise.accessed_by", uses=QUERY)
def test_accessed_by_no_more(managed, advice, expect):
    """Once that is withdrawn the list is empty."""
    block = advice.given(managed.fresh(), (PREFER, ON_DEVICE), (ACCESS, ON_DEVICE))
    result = advice.give(block, ACCESS_NO_MORE, ON_DEVICE)
    expect.success(result)
    advice.expect_accessed_by(block)


@covers("mem_managed_advise.accessed_by", uses=QUERY)
def test_accessed_by_two_devices(managed, advice, expect, second_device):
    """Both devices that access the block stand in the list."""
    block = advice.given(managed.fresh(), (PREFER, ON_DEVICE), (ACCESS, ON_DEVICE))
    result = advice.give(block, ACCESS, place(DEVICE, second_device))
    expect.success(result)
    advice.expect_accessed_by(block, 0, second_device)


@covers("mem_managed_advise.accessed_by", uses=QUERY)
def test_accessed_by_one_of_two_no_more(managed, advice, expect, second_device):
    """Once one of two devices is withdrawn, the other one still stands in the list."""
    both = [(ACCESS, ON_DEVICE), (ACCESS, place(DEVICE, second_device))]
    block = advice.given(managed.fresh(), (PREFER, ON_DEVICE), *both)
    result = advice.give(block, ACCESS_NO_MORE, ON_DEVICE)
    expect.success(result)
    advice.expect_accessed_by(block, second_device)


@covers("mem_managed_advise.numa_location")
@pytest.mark.parametrize(
    "where",
    [place(HOST_NUMA), place(HOST_NUMA_CURRENT, 99), place(HOST_NUMA, 9999)],
    ids=["node", "current-node", "no-node"],
)
def test_nodes_of_the_host(managed, advice, expect, where):
    """What preferring a NUMA node of the host gives is recorded; the bytes of the block stay."""
    block = managed.written()
    result = advice.give(block, PREFER, where)
    expect.observed(result, corrupted=[block])
