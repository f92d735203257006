"""aclrtMallocPhysical and aclrtFreePhysical: device and host memory without an address."""

from __future__ import annotations

import pytest

from harness.device import pattern
from harness.plugin import covers, deadline, isolated, sequential
from suites.memory.virtual.properties import (
    GENERIC,
    GENERIC_PEER,
    GIB,
    GRANULE,
    HUGE,
    MIB,
    MINIMUM,
    NORMAL,
    TIB,
    on_device,
    on_host,
    on_node,
)


@covers("malloc_physical.ok")
def test_one_granule(acl, vm):
    """One granule with huge pages is given, is there from end to end, and can be freed."""
    result = acl.aclrtMallocPhysical(size=GRANULE, prop=on_device(), flags=0)
    vm.expect_given(result, GRANULE)


@covers("malloc_physical.ok")
def test_many_granules(acl, vm):
    """An odd number of granules is given in one piece that is there from end to end."""
    result = acl.aclrtMallocPhysical(size=7 * GRANULE, prop=on_device(), flags=0)
    vm.expect_given(result, 7 * GRANULE)


@covers("malloc_physical.ok")
def test_handles_have_their_own_memory(vm):
    """Eight handles are eight different ones, and each keeps the bytes written to it."""
    handles = vm.filled_handles(8)
    vm.expect_contents(handles)


@covers("malloc_physical.ok")
def test_takes_device_memory(acl, vm, expect):
    """64 MiB of physical memory are missing from the free device memory until they are freed."""
    before = vm.free_memory()
    result = acl.aclrtMallocPhysical(size=64 * MIB, prop=on_device(), flags=0)
    expect.success(result)
    vm.expect_missing(before, 64 * MIB)


@covers("malloc_physical.host_location")
def test_host_memory_is_not_the_device_s(acl, vm):
    """64 MiB of host memory are given and, where host and device have memories of their own, none of the
    device's.
    """
    before = vm.free_memory()
    result = acl.aclrtMallocPhysical(size=64 * MIB, prop=on_host(), flags=0)
    vm.expect_given_by_the_host(result, before)


@covers("malloc_physical.host_numa")
def test_host_node(acl, vm):
    """Host memory of NUMA node 0 is given."""
    result = acl.aclrtMallocPhysical(size=GRANULE, prop=on_node(0), flags=0)
    vm.expect_given_where_driver_can(result)


@covers("malloc_physical.attr_hbm_normal")
def test_normal_attribute(acl, vm):
    """ACL_HBM_MEM_NORMAL gives memory that can be mapped and used."""
    result = acl.aclrtMallocPhysical(size=GRANULE, prop=on_device(NORMAL), flags=0)
    vm.expect_given(result, GRANULE)


@covers("malloc_physical.attr_hbm_normal")
def test_normal_attribute_has_the_grain_of_huge(acl, vm, expect):
    """The smallest size with ACL_HBM_MEM_NORMAL is the one with ACL_HBM_MEM_HUGE."""
    result = acl.aclrtMemGetAllocationGranularity(prop=on_device(NORMAL), option=MINIMUM)
    expect.success(result)
    expect.true("the granularity in bytes", result.granularity, vm.granularity(on_device(HUGE), MINIMUM))


@covers("malloc_physical.attr_generic")
@pytest.mark.parametrize("attribute", GENERIC)
def test_generic_attribute(acl, vm, attribute):
    """An attribute without a kind of memory in its name gives device memory of its smallest size."""
    size = vm.granularity(on_device(attribute), MINIMUM)
    result = acl.aclrtMallocPhysical(size=size, prop=on_device(attribute), flags=0)
    vm.expect_given(result, size)


@covers("malloc_physical.attr_generic")
@pytest.mark.parametrize("attribute", GENERIC_PEER)
def test_generic_peer_attribute(acl, vm, attribute):
    """The attributes for peer access give device memory too; on 310b what they do is recorded."""
    size = vm.granularity_or(GRANULE, on_device(attribute))
    result = acl.aclrtMallocPhysical(size=size, prop=on_device(attribute), flags=0)
    vm.expect_given(result, size, open_on=("310b",))


@covers("malloc_physical.attr_p2p_huge1g")
def test_peer_1g_attribute(acl, vm):
    """Whether 1 GiB pages for peer access are given is recorded; where they are, they are there from end to
    end.
    """
    result = acl.aclrtMallocPhysical(size=GIB, prop=on_device("ACL_MEM_P2P_HUGE1G"), flags=0)
    vm.expect_observed_or_given(result, GIB)


@covers("malloc_physical.out_of_memory")
@pytest.mark.parametrize("size", [1024 * TIB, 2**64 - GRANULE], ids=["1PiB", "16EiB"])
def test_absurd_size(acl, vm, size):
    """A size beyond every machine is refused; nothing is lost, and the next small request succeeds."""
    before = vm.free_memory()
    result = acl.aclrtMallocPhysical(size=size, prop=on_device(), flags=0)
    vm.expect_out_of_memory(result, before)


@covers("malloc_physical.out_of_memory")
def test_one_granule_too_many(acl, vm):
    """One granule more than the whole device has is refused; the next small request succeeds."""
    before = vm.free_memory()
    size = (vm.total_memory() // GRANULE + 1) * GRANULE
    result = acl.aclrtMallocPhysical(size=size, prop=on_device(), flags=0)
    vm.expect_out_of_memory(result, before)


@covers("malloc_physical.out_of_memory")
@sequential
@deadline(60)
def test_full_device(acl, vm):
    """A device that is full refuses the next piece, and gives it once another piece was freed."""
    size, taken = vm.fill_device()
    result = acl.aclrtMallocPhysical(size=size, prop=on_device(), flags=0)
    vm.expect_refused_until_freed(result, size, taken)


@covers("malloc_physical.not_initialised")
def test_fresh_content(vm, expect):
    """What fresh memory holds is only recorded; memory beside it is unharmed."""
    other = vm.mapped().write(seed=1)
    fresh = vm.mapped()
    expect.observed(vm.told_content(fresh), corrupted=[other.block])


@covers("free_physical.deferred_while_mapped")
def test_free_while_mapped(acl, vm, expect):
    """Freeing a mapped handle succeeds; its memory stays readable, writable and taken until the unmap."""
    mapping = vm.mapped().write(seed=1)
    before = vm.free_memory()
    result = acl.aclrtFreePhysical(handle=mapping.handle)
    expect.success(result)
    vm.expect_kept_until_unmapped(mapping, before)


@covers("free_physical.deferred_while_mapped")
def test_free_while_mapped_keeps_others_out(acl, vm, expect):
    """Physical memory that is allocated after the free is other memory than the one still mapped."""
    mapping = vm.mapped().write(seed=1)
    result = acl.aclrtFreePhysical(handle=mapping.handle)
    vm.mapped(pieces=4).write(seed=2)
    expect.success(result)
    expect.unchanged(mapping.block, where="after other memory was allocated and written")


@covers("free_physical.deferred_while_mapped", uses=["aclrtMapMem"])
def test_free_while_mapped_twice(acl, vm, expect):
    """With two mappings of the handle the memory stays until the second unmap."""
    mapping = vm.mapped().write(seed=1)
    other = vm.alias(mapping.handle)
    before = vm.free_memory()
    result = acl.aclrtFreePhysical(handle=mapping.handle)
    expect.success(result)
    vm.expect_kept_by_other_mapping(mapping, other, before)


@covers("free_physical.double_free")
@isolated("frees a handle twice")
def test_double_free(acl, vm, expect):
    """What a second free of a handle gives is recorded; other memory is unharmed."""
    other = vm.mapped().write(seed=1)
    handle = vm.handle()
    vm.free(handle)
    result = acl.aclrtFreePhysical(handle=handle)
    expect.observed(result, corrupted=[other.block])


@covers("free_physical.after_free_use")
@isolated("maps a freed handle")
def test_map_after_free(acl, vm, expect):
    """What mapping a freed handle gives is recorded; other memory is unharmed."""
    other = vm.mapped().write(seed=1)
    start, handle = vm.range(), vm.handle()
    vm.free(handle)
    vm.outcome_open()
    result = acl.aclrtMapMem(virPtr=start, size=GRANULE, offset=0, handle=handle, flags=0)
    expect.observed(result, corrupted=[other.block])


@covers("free_physical.retain_count")
def test_retained_twice(vm):
    """Memory that was retained twice is freed three times with success, and is given back by the third
    free.
    """
    handles, before = vm.retained(times=2, seed=1)
    results = vm.frees(handles)
    vm.expect_all_freed(results, before)


@covers("free_physical.retain_count")
def test_retained_memory_outlives_two_frees(vm, expect):
    """After two of three frees the third handle can still be mapped and shows its bytes."""
    (first, second, last), _ = vm.retained(times=2, seed=1)
    results = vm.frees([first, second])
    vm.expect_succeeded(results)
    expect.data(vm.read(last), pattern(GRANULE, 1), "the retained memory")


@covers("free_physical.shared_handle")
def test_exporter_frees_first(vm, sharing, expect):
    """Memory that another process has exported and freed stays as it was here, whatever that process takes
    next.
    """
    exporter = sharing.process()
    mapping = sharing.mapped_from(exporter, seed=1)
    result = exporter.call("aclrtFreePhysical", handle=mapping.theirs)
    exporter.space.mapped(pieces=3).write(seed=2)
    expect.success(result)
    vm.expect_usable(mapping.block, holds=pattern(GRANULE, 1))


@covers("free_physical.shared_handle")
@pytest.mark.parametrize("end", ["leave", "kill"])
def test_exporter_ends_first(vm, sharing, end):
    """Memory that another process has exported stays readable and writable when that process returns or
    dies.
    """
    exporter = sharing.process()
    mapping = sharing.mapped_from(exporter, seed=1)
    sharing.end(exporter, end)
    vm.expect_usable(mapping.block, holds=pattern(GRANULE, 1))


@covers("free_physical.shared_handle")
def test_importer_outlives_the_exporter_s_free(acl, vm, sharing, expect):
    """Memory that is freed here stays taken as long as another process holds it, and comes back with its
    free.
    """
    before = vm.free_memory()
    handle = vm.handle(64 * MIB)
    other, theirs = sharing.lent(handle)
    result = acl.aclrtFreePhysical(handle=handle)
    expect.success(result)
    vm.expect_missing(before, 64 * MIB)
    other.space.free(theirs)
    vm.expect_missing(before, 0)
    # Asked again: what came back late must not come back twice.
    vm.expect_missing(before, 0)


@covers("free_physical.shared_handle")
def test_memory_returns_with_the_last_free(acl, vm, sharing, expect):
    """The device has the memory back when the importer, too, has freed it, and not before."""
    before = vm.free_memory()
    exporter = sharing.process()
    handle = sharing.imported_from(exporter, size=64 * MIB)
    exporter.call("aclrtFreePhysical", handle=handle.theirs)
    vm.expect_missing(before, 64 * MIB)
    result = acl.aclrtFreePhysical(handle=handle.ours)
    expect.success(result)
    vm.expect_missing(before, 0)
