"""aclrtMapMem, aclrtMemMapNoAccess and aclrtUnmapMem: physical memory at addresses."""

from __future__ import annotations

import pytest

from harness.device import pattern
from harness.plugin import covers, covers_each, isolated
from suites.memory.copy.kinds import D2D, D2H, H2D
from suites.memory.copy.layout import ALIGNED, COUNTS, ODD, Plan, Transfer, spread
from suites.memory.virtual.borders import AT_SOURCE, AT_TARGET, BOTH, across_borders
from suites.memory.virtual.properties import GIB, GRANULE, KIB, MIB, grant
from suites.memory.virtual.space import MAP, MAP_NO_ACCESS

MAPS = (MAP, MAP_NO_ACCESS)
COPY, COPY_ASYNC = "aclrtMemcpy", "aclrtMemcpyAsync"
LENGTHS = (*COUNTS, MIB, 2 * GRANULE + 7)
"""Lengths of copies; the longest one covers a whole granule and parts of two others."""


@covers_each("interior", *MAPS)
def test_pieces_anywhere(api, vm):
    """Six handles mapped in mixed order make one seamless block, each the part of it that lies at its
    offset.
    """
    start, handles = vm.range(6 * GRANULE), vm.handles(6)
    results = vm.map_pieces(api, start, handles, order=(5, 0, 3, 2, 4, 1))
    vm.expect_seamless(results, start, handles)


@covers_each("interior", *MAPS)
def test_pieces_at_the_end_of_a_large_range(api, vm):
    """Handles on both sides of 4 GiB, at the end of a range, make one seamless block."""
    start, handles = vm.range(4 * GIB + GRANULE) + 4 * GIB - GRANULE, vm.handles(2)
    results = vm.map_pieces(api, start, handles, order=(0, 1))
    vm.expect_seamless(results, start, handles)


@covers_each("interior", *MAPS)
def test_pieces_of_two_sizes(api, vm):
    """A large handle between two small ones makes one seamless block with them."""
    sizes = (GRANULE, 3 * GRANULE, 2 * GRANULE)
    start, handles = vm.range(sum(sizes)), vm.handles_of(sizes)
    results = vm.map_pieces(api, start, handles, order=(1, 2, 0), sizes=sizes)
    vm.expect_seamless(results, start, handles, sizes)


@covers_each("size_granularity", *MAPS)
def test_size_off_the_grain(api, vm, expect):
    """What mapping a granule and a page gives, where such memory is given at all, is recorded."""
    other = vm.mapped().write(seed=1)
    result = vm.map_odd_size(api, GRANULE + 4 * KIB)
    expect.observed(result, corrupted=[other.block])


@covers_each("already_mapped", *MAPS)
@pytest.mark.parametrize("offset", [0, 1, -1], ids=["same", "tail", "head"])
def test_map_over_a_mapping(api, acl, vm, expect, offset):
    """What mapping over a mapping gives is recorded; refused, it leaves the first mapping as it was."""
    first = vm.mapped_inside(pieces=2, room=4).write(seed=1)
    handle = vm.write(vm.handle(2 * GRANULE), seed=2, size=2 * GRANULE)
    vm.outcome_open()
    result = acl.call(
        api, virPtr=first.at(offset * GRANULE), size=2 * GRANULE, offset=0, handle=handle, flags=0
    )
    expect.observed(result, corrupted=vm.if_refused(result, first.block))


@covers_each("two_devices", *MAPS)
def test_memory_of_two_devices(api, acl, vm, peer_vm, expect):
    """What mapping memory of device 1 beside memory of device 0 gives is recorded; the latter is unharmed."""
    first = vm.mapped_inside(pieces=1, room=2).write(seed=1)
    handle = peer_vm.handle_here()
    vm.outcome_open()
    result = acl.call(api, virPtr=first.at(GRANULE), size=GRANULE, offset=0, handle=handle, flags=0)
    expect.observed(result, corrupted=[first.block])


@covers_each("mixed_origin", *MAPS)
def test_own_and_imported_memory(api, acl, vm, sharing, expect):
    """What mapping imported memory beside memory of this process gives is recorded; the latter is
    unharmed.
    """
    first = vm.mapped_inside(pieces=1, room=2).write(seed=1)
    handle = sharing.imported_from(sharing.process())
    vm.outcome_open()
    result = acl.call(api, virPtr=first.at(GRANULE), size=GRANULE, offset=0, handle=handle.ours, flags=0)
    expect.observed(result, corrupted=[first.block])


@covers("map_mem.data", uses=[COPY])
def test_copies_to_the_host(copies, vm, memory):
    """Copies from mapped pieces to the host move exactly what they should, odd offsets and counts
    included.
    """
    plan = spread(LENGTHS, ODD)
    trial = copies.over(vm.mapped(pieces=4).block, memory.pageable(plan.target_size), plan)
    copies.run(COPY, trial, D2H)
    copies.expect_moved_alone(trial)


@covers("map_mem.data", uses=[COPY])
def test_copies_from_the_host(copies, vm, memory):
    """Copies from the host into mapped pieces change exactly what they should."""
    plan = spread(LENGTHS, ODD)
    trial = copies.over(memory.pageable(plan.source_size), vm.filled(pieces=4).block, plan)
    copies.run(COPY, trial, H2D)
    copies.expect_moved_alone(trial)


@covers("map_mem.data", uses=[COPY])
def test_copies_from_ordinary_memory(copies, vm, memory):
    """Copies from a device block into mapped memory change exactly what they should."""
    plan = spread(LENGTHS, ODD)
    trial = copies.over(memory.device(plan.source_size), vm.filled(pieces=4).block, plan)
    copies.run(COPY, trial, D2D)
    copies.expect_moved_alone(trial)


@covers("map_mem.data", uses=[COPY])
def test_copies_to_ordinary_memory(copies, vm, memory):
    """Copies from mapped memory into a device block change exactly what they should."""
    plan = spread(LENGTHS, ODD)
    trial = copies.over(vm.mapped(pieces=4).block, memory.device(plan.target_size), plan)
    copies.run(COPY, trial, D2D)
    copies.expect_moved_alone(trial)


@covers("map_mem.data", uses=[COPY])
@pytest.mark.parametrize("side", [AT_SOURCE, AT_TARGET, BOTH])
def test_copies_across_handles(copies, vm, side):
    """Copies between mapped ranges cross the borders between handles, by one byte and by 4096."""
    trial = copies.over(vm.mapped(pieces=3).block, vm.filled(pieces=3).block, across_borders(side))
    copies.run(COPY, trial, D2D)
    copies.expect_moved_alone(trial)


@covers("map_mem.data", uses=[COPY_ASYNC])
@pytest.mark.parametrize("side", [AT_SOURCE, AT_TARGET, BOTH])
def test_queued_copies_across_handles(copies, vm, stream, side):
    """Asynchronous copies between mapped ranges cross the borders between handles, by one byte and by
    4096.
    """
    trial = copies.over(
        vm.mapped(pieces=3).block, vm.filled(pieces=3).block, across_borders(side, aligned=True)
    )
    copies.run(COPY_ASYNC, trial, D2D, stream=stream)
    copies.expect_moved_alone(trial)


@covers("map_mem.data", uses=[COPY_ASYNC])
def test_queued_copy_of_four_handles(copies, vm, stream):
    """One asynchronous copy moves all of four handles side by side to four others."""
    size = 4 * GRANULE
    plan = Plan((Transfer(0, 0, size),), size, size)
    trial = copies.over(vm.mapped(pieces=4).block, vm.filled(pieces=4).block, plan)
    copies.run(COPY_ASYNC, trial, D2D, stream=stream)
    copies.expect_moved_alone(trial)


@covers("map_mem.data", uses=[COPY_ASYNC])
def test_queued_copies_to_the_host(copies, vm, memory, stream):
    """Asynchronous copies from mapped memory to the host are right after the stream was waited for."""
    plan = spread(LENGTHS, ALIGNED)
    trial = copies.over(vm.mapped(pieces=4).block, memory.host(plan.target_size), plan)
    copies.run(COPY_ASYNC, trial, D2H, stream=stream)
    copies.expect_moved_alone(trial)


@covers("map_mem.data", uses=[COPY_ASYNC])
def test_queued_copies_from_the_host(copies, vm, memory, stream):
    """Asynchronous copies from the host into mapped memory are right after the stream was waited for."""
    plan = spread(LENGTHS, ALIGNED)
    trial = copies.over(memory.host(plan.source_size), vm.filled(pieces=4).block, plan)
    copies.run(COPY_ASYNC, trial, H2D, stream=stream)
    copies.expect_moved_alone(trial)


@covers("map_mem.data", uses=["aclrtMemset"])
def test_fill_across_handles(acl, vm, expect):
    """A fill that starts one byte before the border between two handles and ends in the fourth one sets
    exactly its bytes.
    """
    mapping = vm.filled(pieces=4)
    place, count = GRANULE - 1, 2 * GRANULE + 4097
    result = acl.aclrtMemset(devPtr=mapping.at(place), maxCount=count, value=0x5A, count=count)
    expect.success(result)
    vm.expect_filled(mapping, place, count, 0x5A)


@covers("map_mem.data", uses=["aclrtMemsetAsync"])
def test_queued_fill_across_handles(acl, vm, expect, stream):
    """An asynchronous fill that ends one byte behind the last border between four handles sets exactly its
    bytes.
    """
    mapping = vm.filled(pieces=4)
    place, count = GRANULE - 4096, 2 * GRANULE + 4097
    result = acl.aclrtMemsetAsync(
        devPtr=mapping.at(place), maxCount=count, value=0xA5, count=count, stream=stream
    )
    expect.success(result)
    vm.settle(stream)
    vm.expect_filled(mapping, place, count, 0xA5)


@covers("map_mem.same_handle_twice")
@pytest.mark.parametrize("writer", [0, 1], ids=["write-first", "write-second"])
def test_one_handle_at_two_addresses(acl, vm, writer):
    """Where one handle can be mapped twice, what is written through one address is read through the other."""
    first = vm.mapped().write(seed=1)
    start = vm.range()
    result = acl.aclrtMapMem(virPtr=start, size=GRANULE, offset=0, handle=first.handle, flags=0)
    vm.expect_same_memory(result, first.block, vm.view(start, GRANULE), writer)


@covers("map_mem.same_handle_twice")
def test_unmap_of_one_address(acl, vm, expect):
    """Where one handle is mapped twice, unmapping one address leaves the other one as it was."""
    first = vm.mapped().write(seed=1)
    second = vm.alias(first.handle)
    result = acl.aclrtUnmapMem(virPtr=first.ptr)
    expect.observed(result)
    expect.data(second, pattern(GRANULE, 1), "the mapping that is left")


@covers("map_mem.remap_other_handle")
def test_another_handle_at_the_same_address(acl, vm, expect):
    """At one address each of two handles shows its own bytes, whichever was mapped there before."""
    start, (first, second) = vm.range(), vm.handles(2)
    vm.fill_in_turn(start, {first: 1, second: 2})
    result = acl.aclrtMapMem(virPtr=start, size=GRANULE, offset=0, handle=first, flags=0)
    expect.success(result)
    expect.data(vm.view(start, GRANULE), pattern(GRANULE, 1), "the first handle")
    vm.unmap(start)
    vm.map(start, second)
    expect.data(vm.view(start, GRANULE), pattern(GRANULE, 2), "the second handle")


@covers("mem_map_no_access.no_access_until_set")
@isolated("copies to memory without access")
def test_copy_before_access_is_set(acl, vm, expect, memory):
    """A copy to the range is refused before access is granted, and has changed nothing."""
    handle, source = vm.write(vm.handle(), seed=1), memory.pageable(4096).write(pattern(4096, 2))
    start = vm.mapped_without_access(handle)
    result = acl.aclrtMemcpy(dst=start, destMax=GRANULE, src=source.ptr, count=4096, kind=H2D)
    expect.refused(result)
    vm.expect_holds_once_granted(start, pattern(GRANULE, 1))


@covers("mem_map_no_access.no_access_until_set")
@isolated("copies from memory without access")
def test_copy_out_before_access_is_set(acl, vm, expect, memory):
    """A copy from the range is refused before access is granted, and shows nothing of it."""
    handle, target = vm.write(vm.handle(), seed=1), memory.pageable(4096)
    start = vm.mapped_without_access(handle)
    result = acl.aclrtMemcpy(dst=target.ptr, destMax=4096, src=start, count=4096, kind=D2H)
    expect.refused(result, unchanged=[target])


@covers("mem_map_no_access.no_access_until_set")
@isolated("fills memory without access")
def test_fill_before_access_is_set(acl, vm):
    """A fill of the range is refused before access is granted, and has changed nothing."""
    start = vm.mapped_without_access(vm.write(vm.handle(), seed=1))
    result = acl.aclrtMemset(devPtr=start, maxCount=GRANULE, value=0x5A, count=4096)
    vm.expect_closed([result], start, pattern(GRANULE, 1))


@covers("mem_map_no_access.no_access_until_set")
@isolated("puts work on a stream for memory without access")
def test_queued_work_before_access_is_set(vm, expect, memory, stream):
    """No asynchronous copy to or from the range and no fill of it succeeds before access is granted."""
    start = vm.mapped_without_access(vm.write(vm.handle(), seed=1))
    results = vm.queued_touches(start, memory.host(4096), stream)
    expect.true("copies and fills that were done", results, [False] * 3)


@covers("mem_map_no_access.no_access_until_set")
@isolated("copies to memory without access")
def test_access_to_another_mapping(acl, vm, memory):
    """Access that is granted to one mapping opens no other one."""
    source = memory.pageable(4096).write(pattern(4096, 2))
    start, granted = (vm.mapped_without_access(vm.write(vm.handle(), seed)) for seed in (1, 3))
    vm.expect_holds_once_granted(granted, pattern(GRANULE, 3))
    result = acl.aclrtMemcpy(dst=start, destMax=GRANULE, src=source.ptr, count=4096, kind=H2D)
    vm.expect_closed([result], start, pattern(GRANULE, 1))


@covers("mem_map_no_access.access_after_set")
def test_access_after_it_is_set(acl, vm, expect):
    """Once the device has been granted access, the range is read and written like any other, and unmapped."""
    start = vm.mapped_without_access(vm.write(vm.handle(), seed=1))
    result = acl.aclrtMemSetAccess(virPtr=start, size=GRANULE, desc=[grant()], count=1)
    expect.success(result)
    vm.expect_usable(vm.view(start, GRANULE), holds=pattern(GRANULE, 1))
    vm.unmap(start)


@covers("unmap_mem.ok")
@pytest.mark.parametrize("api", MAPS)
def test_unmap(acl, vm, expect, api):
    """A mapping made by either call is removed: another handle can take its place, and its own keeps its
    bytes.
    """
    start, handle = vm.range(), vm.write(vm.handle(), seed=1)
    vm.map(start, handle, api=api)
    result = acl.aclrtUnmapMem(virPtr=start)
    expect.success(result)
    vm.expect_takes(start)
    expect.data(vm.read(handle), pattern(GRANULE, 1), "the handle that was mapped there")


@covers("unmap_mem.ok")
@pytest.mark.parametrize("api", MAPS)
def test_unmap_hides_the_memory(acl, vm, expect, memory, api):
    """None of three unmapped granules gives its bytes to a copy, or to the host's own instructions."""
    size = 3 * GRANULE
    start = vm.range(size)
    vm.map(start, vm.handle(size), size, api=api).write(pattern(size, 1))
    result = acl.aclrtUnmapMem(virPtr=start)
    expect.success(result)
    vm.expect_out_of_reach(start, pattern(size, 1), memory.pageable(4096))


@covers("unmap_mem.ok")
@pytest.mark.parametrize("gone", [0, 1, 2])
def test_unmap_one_of_three(acl, vm, expect, gone):
    """Unmapping one of three pieces leaves the other two as they were."""
    mapping = vm.mapped(pieces=3).write(seed=1)
    result = acl.aclrtUnmapMem(virPtr=mapping.at(gone * GRANULE))
    expect.success(result)
    vm.expect_pieces(mapping, without=gone)


@covers("unmap_mem.not_mapped")
def test_unmap_of_a_bare_range(acl, vm, expect):
    """A reserved address without memory is refused, and a mapping beside it is as it was."""
    mapping = vm.mapped_inside(pieces=1, room=2).write(seed=1)
    result = acl.aclrtUnmapMem(virPtr=mapping.at(GRANULE))
    expect.refused(result, unchanged=[mapping.block])


@covers("unmap_mem.not_mapped")
def test_unmap_twice(acl, vm, expect):
    """A second unmap is refused."""
    start = vm.range()
    vm.map(start, vm.handle())
    vm.unmap(start)
    result = acl.aclrtUnmapMem(virPtr=start)
    expect.refused(result)


@covers("unmap_mem.interior")
@pytest.mark.parametrize("offset", [4 * KIB, GRANULE], ids=["page", "granule"])
def test_unmap_inside_a_mapping(acl, vm, expect, offset):
    """What unmapping in the middle of a mapping gives is recorded; refused, the mapping is as it was."""
    mapping, other = vm.mapped(size=2 * GRANULE).write(seed=1), vm.mapped().write(seed=2)
    vm.outcome_open()
    result = acl.aclrtUnmapMem(virPtr=mapping.at(offset))
    expect.observed(result, corrupted=[other.block, *vm.if_refused(result, mapping.block)])
