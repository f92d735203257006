"""aclrtHostGetDevicePointer: the device's address of registered memory."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.memory.host.registrations import BOTH, MAPPED, PAGE, PINNED, REGISTER, REGISTER_V2
from suites.memory.virtual.properties import KIB


@covers("host_get_device_pointer.same_as_register")
@pytest.mark.parametrize("kind", ["pinned", "pageable"])
def test_same_as_register(acl, registrations, expect, kind):
    """The address is the one that the registration has given."""
    block = registrations.pages(64 * KIB, kind)
    registered = expect.success(acl.aclrtHostRegister(**registrations.request(REGISTER, block)))
    result = expect.success(acl.aclrtHostGetDevicePointer(pHost=block.ptr, flag=0))
    expect.true("the device pointer", result.pDevice, registered.devPtr)


@covers("host_get_device_pointer.same_as_register")
@pytest.mark.parametrize("api", BOTH)
def test_same_in_another_thread(registrations, expect, api):
    """Another thread is told the address that the one is told that has registered the memory."""
    block = registrations.made(api, registrations.pages(64 * KIB, "pinned"))
    pointer = registrations.pointer(block.ptr)
    result = expect.success(registrations.pointer_elsewhere(block.ptr))
    expect.true("the device pointer", result.pDevice, pointer)


@covers("host_get_device_pointer.same_as_register")
def test_same_every_time(acl, registrations, expect):
    """The address stays the same while other memory is registered and given back."""
    block = registrations.made(REGISTER, registrations.pages(64 * KIB, "pinned"))
    pointer = registrations.pointer(block.ptr)
    registrations.undone(registrations.made(REGISTER, registrations.pages(64 * KIB, "pinned")))
    result = expect.success(acl.aclrtHostGetDevicePointer(pHost=block.ptr, flag=0))
    expect.true("the device pointer", result.pDevice, pointer)


@covers("host_get_device_pointer.interior_pointer")
@pytest.mark.parametrize("offset", [1, PAGE, 64 * KIB - 1])
def test_interior_pointer(registrations, expect, offset):
    """What an address inside a registered range gives is recorded."""
    block = registrations.made(REGISTER_V2, registrations.pages(64 * KIB, "pinned"), MAPPED)
    pointer = registrations.pointer(block.ptr)
    told = registrations.told_interior(block.at(offset), offset, pointer)
    expect.observed(told, corrupted=[block])


@covers("host_get_device_pointer.after_unregister")
@pytest.mark.parametrize("api", BOTH)
def test_after_unregister(acl, registrations, api):
    """Memory whose registration was undone has no device pointer."""
    block = registrations.undone(registrations.made(api, registrations.pages(64 * KIB, "pinned")))
    result = acl.aclrtHostGetDevicePointer(pHost=block.ptr, flag=0)
    registrations.expect_no_pointer(result)


@covers("host_get_device_pointer.not_registered")
@pytest.mark.parametrize("kind", ["pinned", "pageable"])
def test_not_registered(acl, registrations, kind):
    """Memory that was never registered has no device pointer."""
    block = registrations.pages(64 * KIB, kind)
    result = acl.aclrtHostGetDevicePointer(pHost=block.ptr, flag=0)
    registrations.expect_no_pointer(result)


@covers("host_get_device_pointer.not_registered")
def test_registered_without_mapped(acl, registrations):
    """Memory that was registered to be pinned only has no device pointer."""
    block = registrations.made(REGISTER_V2, registrations.pages(64 * KIB), PINNED)
    result = acl.aclrtHostGetDevicePointer(pHost=block.ptr, flag=0)
    registrations.expect_no_pointer(result)


@covers("host_get_device_pointer.not_registered")
@pytest.mark.parametrize("offset", [-PAGE, 64 * KIB], ids=["before", "behind"])
def test_beside_registered(acl, registrations, offset):
    """Memory right beside a registered range has no device pointer."""
    whole = registrations.pages(24 * PAGE, "pinned")
    block = registrations.made(REGISTER_V2, registrations.part(whole, 4, 16))
    result = acl.aclrtHostGetDevicePointer(pHost=block.at(offset), flag=0)
    registrations.expect_no_pointer(result)
