"""aclrtReserveMemAddress, its sibling without UC memory, and aclrtReleaseMemAddress: ranges of addresses."""

from __future__ import annotations

import pytest

from harness.plugin import covers, deadline, isolated, surfaces
from suites.memory.virtual.properties import GIB, GRANULE, HUGE, MIB, NORMAL, TIB, on_device
from suites.memory.virtual.space import fresh_place, last_place

CYCLE = ("aclrtMallocPhysical", "aclrtMapMem", "aclrtReleaseMemAddress")
NO_UC_PLACE = 50 * TIB


@covers("reserve_mem_address.ok")
@pytest.mark.parametrize("size", [GRANULE, 64 * MIB, 4 * GIB], ids=["2MiB", "64MiB", "4GiB"])
def test_range(acl, vm, size):
    """A range has an address, takes memory in its first and its last granule, and can be released."""
    result = acl.aclrtReserveMemAddress(size=size, alignment=0, expectPtr=None, flags=0)
    vm.expect_range(result, size)


@covers("reserve_mem_address.no_physical_memory")
def test_takes_no_memory(acl, vm, expect):
    """16 GiB of addresses take no device memory."""
    before = vm.free_memory()
    result = acl.aclrtReserveMemAddress(size=16 * GIB, alignment=0, expectPtr=None, flags=0)
    expect.success(result)
    vm.expect_missing(before, 0, slack=64 * MIB)


@covers("reserve_mem_address.flags_old")
@pytest.mark.parametrize(("flags", "attribute"), [(0, NORMAL), (1, HUGE)], ids=["normal", "huge"])
def test_page_flags(acl, vm, expect, flags, attribute):
    """Up to 8.5 flags says which pages the range is for, and memory with such pages can be mapped."""
    result = acl.aclrtReserveMemAddress(size=GRANULE, alignment=0, expectPtr=None, flags=flags)
    expect.success(result)
    vm.expect_takes(result.virPtr, on_device(attribute))


@covers("reserve_mem_address.expectptr_ok")
@pytest.mark.parametrize("size", [GRANULE, 64 * MIB, 2 * GIB], ids=["2MiB", "64MiB", "2GiB"])
def test_chosen_address(acl, vm, expect, size):
    """A free address inside the documented window, on a border of 1 GiB, is the one that is given."""
    place = fresh_place()
    result = acl.aclrtReserveMemAddress(size=size, alignment=0, expectPtr=place, flags=0)
    expect.success(result)
    expect.true("the address", result.virPtr, place)
    vm.expect_range(result, size)


@covers("reserve_mem_address.expectptr_ok")
def test_last_chosen_address(acl, vm, expect):
    """A free address at the very end of the documented window is the one that is given."""
    place = last_place()
    result = acl.aclrtReserveMemAddress(size=GRANULE, alignment=0, expectPtr=place, flags=0)
    expect.success(result)
    expect.true("the address", result.virPtr, place)
    vm.expect_range(result, GRANULE)


@covers("reserve_mem_address.expectptr_occupied")
def test_occupied_address(acl, vm, expect):
    """An address at which a range begins is refused, and the range there still works."""
    place = vm.range(at=fresh_place())
    result = acl.aclrtReserveMemAddress(size=GRANULE, alignment=0, expectPtr=place, flags=0)
    expect.refused(result)
    vm.expect_takes(place)


@covers("reserve_mem_address.expectptr_occupied")
def test_address_inside_a_range(acl, vm, expect):
    """An address in the middle of a range is refused, and the mapping there still works."""
    mapping = vm.mapped_at(fresh_place(), pieces=4).write(seed=1)
    result = acl.aclrtReserveMemAddress(size=GRANULE, alignment=0, expectPtr=mapping.at(2 * GRANULE), flags=0)
    expect.refused(result)
    vm.expect_usable(mapping.block, holds=mapping.block.expected())


@covers("reserve_mem_address.expectptr_range")
@pytest.mark.parametrize(
    "size", [2 * GRANULE, 3 * GRANULE, 64 * MIB], ids=["to-its-end", "a-granule-more", "64MiB"]
)
def test_range_that_runs_into_another(acl, vm, expect, size):
    """A free address whose range would run into another one, or round it, is refused."""
    place = fresh_place()
    vm.range(at=place + GRANULE)
    result = acl.aclrtReserveMemAddress(size=size, alignment=0, expectPtr=place, flags=0)
    expect.refused(result)
    vm.expect_takes(place + GRANULE)


@covers("reserve_mem_address.single_process_copy")
def test_async_copy_between_devices(acl, vm, peer_vm, expect, stream):
    """What an asynchronous copy between mapped ranges of two devices gives is recorded; where it works, it is
    right.
    """
    mine, theirs = vm.mapped().write(seed=1), peer_vm.mapped_for_both().write(seed=2)
    result = acl.aclrtMemcpyAsync(
        dst=theirs.ptr,
        destMax=GRANULE,
        src=mine.ptr,
        count=GRANULE,
        kind="ACL_MEMCPY_DEVICE_TO_DEVICE",
        stream=stream,
    )
    vm.settle(stream)
    expect.data_or_refused(result, theirs.block, mine.block)


@covers("reserve_mem_address.single_process_copy")
def test_copy_between_devices(acl, vm, peer_vm, expect):
    """What a synchronous copy between mapped ranges of two devices gives is recorded; where it works, it is
    right.
    """
    mine, theirs = vm.mapped().write(seed=1), peer_vm.mapped_for_both().write(seed=2)
    result = acl.aclrtMemcpy(
        dst=theirs.ptr, destMax=GRANULE, src=mine.ptr, count=GRANULE, kind="ACL_MEMCPY_DEVICE_TO_DEVICE"
    )
    expect.data_or_refused(result, theirs.block, mine.block)


@covers("reserve_mem_address.distinct")
def test_ranges_are_disjoint(vm):
    """64 live ranges of mixed size have no address in common."""
    results = vm.reserve_many(64)
    vm.expect_disjoint(results)


@covers("reserve_mem_address.distinct")
def test_ranges_after_releases_are_disjoint(vm):
    """Ranges that take the place of released ones have no address in common with those that still live."""
    kept = vm.reserve_many(32)
    vm.release_every_second(kept)
    results = vm.reserve_many(32, first=3)
    vm.expect_disjoint(results)


@covers("reserve_mem_address.full_cycle", uses=CYCLE)
def test_full_cycle(vm):
    """16 rounds from the reservation to its release succeed, give right data and lose no memory."""
    before = vm.free_memory()
    vm.cycle(rounds=16)
    vm.expect_missing(before, 0)


@covers("reserve_mem_address.full_cycle", uses=CYCLE)
def test_refused_mapping_keeps_no_memory(acl, vm):
    """64 MiB that a mapping was refused for are given back by their free."""
    before = vm.free_memory()
    start, handle = vm.range(64 * MIB), vm.handle(64 * MIB)
    result = acl.aclrtMapMem(virPtr=start, size=64 * MIB, offset=GRANULE, handle=handle, flags=0)
    vm.expect_given_back(result, start, handle, before)


@covers("reserve_mem_address.full_cycle")
@surfaces("c")
@deadline(120)
def test_many_cycles(vm):
    """Hundreds of rounds from the reservation to its release succeed, give right data and lose no memory."""
    before = vm.free_memory()
    vm.cycle(rounds=vm.many_rounds)
    vm.expect_missing(before, 0)


@covers("reserve_mem_address.full_cycle", uses=CYCLE)
@pytest.mark.parametrize("order", ["unmap-free", "free-unmap"])
@deadline(60)
def test_memory_comes_back(vm, order):
    """64 granules, mapped and written, are given back completely in either order of unmap and free."""
    before = vm.free_memory()
    vm.take_and_give_back(rounds=64, free_first=order == "free-unmap")
    vm.expect_missing(before, 0)


@covers("reserve_mem_address.full_cycle", "reserve_mem_address.distinct", uses=CYCLE)
@pytest.mark.parametrize("gone", [0, 1], ids=["first", "second"])
def test_release_spares_the_neighbour(acl, vm, expect, gone):
    """Releasing one of two ranges that lie side by side leaves the mapping in the other one as it was."""
    start, other = vm.neighbouring_mappings(gone)
    result = acl.aclrtReleaseMemAddress(virPtr=start)
    expect.success(result)
    vm.expect_usable(other.block, holds=other.block.expected())


@covers("reserve_mem_address_no_uc_memory.ok")
def test_no_uc_range(acl, vm, expect):
    """The range lies at the chosen address."""
    result = acl.aclrtReserveMemAddressNoUCMemory(size=GIB, alignment=0, expectPtr=NO_UC_PLACE, flags=0)
    expect.success(result)
    expect.true("the address", result.virPtr, NO_UC_PLACE)
    vm.expect_released(result.virPtr)


@covers("reserve_mem_address_no_uc_memory.expectptr_occupied")
@pytest.mark.parametrize("inside", [0, 1], ids=["start", "middle"])
def test_no_uc_occupied(acl, vm, expect, inside):
    """An address that a range has already is refused."""
    place = NO_UC_PLACE + 64 * GIB
    vm.range_without_uc(2 * GIB, at=place)
    result = acl.aclrtReserveMemAddressNoUCMemory(
        size=GIB, alignment=0, expectPtr=place + inside * GIB, flags=0
    )
    expect.refused(result)


@covers("release_mem_address.while_mapped")
@isolated("releases a range that is in use")
def test_release_while_mapped(acl, vm, expect):
    """What a release gives while the range is mapped is recorded; refused, it leaves the mapping as it
    was.
    """
    mapping, other = vm.mapped().write(seed=1), vm.mapped().write(seed=2)
    vm.outcome_open()
    result = acl.aclrtReleaseMemAddress(virPtr=mapping.ptr)
    expect.observed(result, corrupted=[other.block, *vm.if_refused(result, mapping.block)])


@covers("release_mem_address.unknown")
@isolated("releases an address that was not reserved")
def test_release_device_block(acl, vm, expect, memory):
    """What releasing an ordinary device block gives is recorded; refused, it leaves the block as it was."""
    block, other = memory.device(4096, guard=0), vm.mapped().write(seed=2)
    result = acl.aclrtReleaseMemAddress(virPtr=block.ptr)
    expect.observed(result, corrupted=[other.block, *vm.if_refused(result, block)])


@covers("release_mem_address.unknown")
@isolated("releases an address that was not reserved")
def test_release_inside_a_range(acl, vm, expect):
    """What releasing the middle of a range gives is recorded; refused, it leaves the mapping there as
    it was.
    """
    mapping, other = vm.mapped(pieces=3).write(seed=1), vm.mapped().write(seed=2)
    vm.outcome_open()
    result = acl.aclrtReleaseMemAddress(virPtr=mapping.at(GRANULE))
    expect.observed(result, corrupted=[other.block, *vm.if_refused(result, mapping.block)])


@covers("release_mem_address.unknown")
@isolated("releases a range twice")
def test_release_twice(acl, vm, expect):
    """What a second release gives is recorded; other ranges are unharmed."""
    other = vm.mapped().write(seed=2)
    start = vm.range()
    vm.release(start)
    result = acl.aclrtReleaseMemAddress(virPtr=start)
    expect.observed(result, corrupted=[other.block])


@covers("release_mem_address.then_reuse")
def test_released_address_again(acl, vm, expect):
    """Whether a released address can be had again is recorded."""
    place = fresh_place()
    vm.release(vm.range(at=place))
    result = acl.aclrtReserveMemAddress(size=GRANULE, alignment=0, expectPtr=place, flags=0)
    expect.observed(result)
