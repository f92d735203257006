"""aclrtMemSetAccess and aclrtMemGetAccess: who may touch a mapping."""

from __future__ import annotations

import pytest

from harness.device import pattern
from harness.plugin import covers
from suites.memory.virtual.properties import GRANULE, HOST_PLACE, READWRITE, device_place, grant


@covers("mem_set_access.owner_ok")
def test_owner(acl, vm, expect):
    """The device that owns the memory is granted access, and the memory is usable."""
    mapping = vm.mapped().write(seed=1)
    result = acl.aclrtMemSetAccess(virPtr=mapping.ptr, size=GRANULE, desc=[grant()], count=1)
    expect.success(result)
    vm.expect_usable(mapping.block, holds=pattern(GRANULE, 1))


@covers("mem_set_access.owner_ok", uses=["aclrtMemMapNoAccess"])
def test_owner_of_a_range_without_access(acl, vm, expect):
    """The owner of memory that nobody could reach is granted access, and then reads and writes it."""
    start = vm.mapped_without_access(vm.write(vm.handle(), seed=1))
    result = acl.aclrtMemSetAccess(virPtr=start, size=GRANULE, desc=[grant()], count=1)
    expect.success(result)
    vm.expect_usable(vm.view(start, GRANULE), holds=pattern(GRANULE, 1))


@covers("mem_set_access.owner_ok")
def test_owner_again(acl, vm, expect):
    """What granting the same access a second time gives is recorded; the memory is as it was."""
    mapping = vm.mapped().write(seed=1)
    vm.call("aclrtMemSetAccess", virPtr=mapping.ptr, size=GRANULE, desc=[grant()], count=1)
    result = acl.aclrtMemSetAccess(virPtr=mapping.ptr, size=GRANULE, desc=[grant()], count=1)
    expect.observed(result, corrupted=[mapping.block])


@covers("mem_set_access.owner_ok")
def test_owner_by_its_number_among_visible_devices(sharing, expect):
    """In a process that sees only the second device, device 0 is that one, for allocations and grants
    alike.
    """
    other = sharing.process_seeing("1")
    mapping = other.mapped().write(seed=1)
    result = other.call("aclrtMemSetAccess", virPtr=mapping.ptr, size=GRANULE, desc=[grant()], count=1)
    expect.success(result)
    sharing.expect_usable(mapping.block, holds=pattern(GRANULE, 1))


@covers("mem_set_access.peer_device", uses=["aclrtDeviceEnablePeerAccess"])
def test_second_device(acl, vm, peer, peer_vm, expect):
    """A second device that is granted access reads and writes the range."""
    peer.open()
    mapping = vm.mapped().write(seed=1)
    result = acl.aclrtMemSetAccess(virPtr=mapping.ptr, size=GRANULE, desc=[grant(1)], count=1)
    expect.success(result)
    peer_vm.expect_reached(mapping.block)


@covers("mem_set_access.peer_device", uses=["aclrtMemMapNoAccess"])
@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["owner-first", "owner-last"])
def test_both_devices_at_once(acl, vm, peer, peer_vm, expect, order):
    """Two descriptors in one call let both devices read and write a range that nobody could reach."""
    peer.open()
    start = vm.mapped_without_access(vm.write(vm.handle(), seed=1))
    grants = [grant(order[0]), grant(order[1])]
    result = acl.aclrtMemSetAccess(virPtr=start, size=GRANULE, desc=grants, count=2)
    expect.success(result)
    peer_vm.expect_reached(vm.holding(start, seed=1))


@covers("mem_set_access.flags_read_none")
@pytest.mark.parametrize("flags", ["ACL_RT_MEM_ACCESS_FLAGS_READ", "ACL_RT_MEM_ACCESS_FLAGS_NONE"])
def test_flags_of_a_second_descriptor(acl, vm, expect, flags):
    """Other access than reading and writing is refused in the last of several descriptors too."""
    vm.needs_ranges()
    mapping = vm.mapped().write(seed=1)
    grants = [grant(), {**grant(), "flags": flags}]
    result = acl.aclrtMemSetAccess(virPtr=mapping.ptr, size=GRANULE, desc=grants, count=2)
    expect.refused(result, unchanged=[mapping.block])


@covers("mem_get_access.owner_readwrite")
def test_access_of_the_owner(acl, vm, expect):
    """The device that owns a mapping may read and write it."""
    mapping = vm.mapped()
    result = acl.aclrtMemGetAccess(virPtr=mapping.ptr, location=device_place(0))
    expect.success(result)
    expect.true("the flags", result.flag, READWRITE)


@covers("mem_get_access.after_set")
def test_access_after_it_is_set(acl, vm, expect):
    """A range mapped without access reads as readable and writable once that was granted."""
    start = vm.mapped_without_access(vm.handle())
    vm.call("aclrtMemSetAccess", virPtr=start, size=GRANULE, desc=[grant()], count=1)
    result = acl.aclrtMemGetAccess(virPtr=start, location=device_place(0))
    expect.success(result)
    expect.true("the flags", result.flag, READWRITE)


@covers("mem_get_access.after_set")
def test_access_of_a_second_device(acl, vm, peer, expect):
    """A second device that was granted access is told to have it."""
    peer.open()
    mapping = vm.mapped()
    vm.call("aclrtMemSetAccess", virPtr=mapping.ptr, size=GRANULE, desc=[grant(1)], count=1)
    result = acl.aclrtMemGetAccess(virPtr=mapping.ptr, location=device_place(1))
    expect.success(result)
    expect.true("the flags", result.flag, READWRITE)


@covers("mem_get_access.after_set")
def test_access_of_the_host(acl, vm, expect):
    """Where the host can be granted access to memory of a device, it is told to have it."""
    start = vm.shown_to_the_host()
    result = acl.aclrtMemGetAccess(virPtr=start, location=HOST_PLACE)
    expect.success(result)
    expect.true("the flags", result.flag, READWRITE)


@covers("mem_get_access.after_set")
def test_access_before_it_is_set(acl, vm, expect):
    """What a range mapped without access reads as before any grant is recorded."""
    start = vm.mapped_without_access(vm.handle())
    result = acl.aclrtMemGetAccess(virPtr=start, location=device_place(0))
    expect.observed(vm.told_access(result))
