"""aclrtMemGetAllocationPropertiesFromHandle: what physical memory was allocated as."""

from __future__ import annotations

import pytest

from harness.plugin import covers, isolated
from suites.memory.virtual.properties import GIB, HUGE, HUGE1G, NORMAL, on_device, on_host, on_node


@covers("mem_get_allocation_properties_from_handle.location")
def test_device_location(acl, vm, expect):
    """A handle of device 0 says so, with host memory alive beside it."""
    handle = vm.handle()
    vm.other_memory()
    result = acl.aclrtMemGetAllocationPropertiesFromHandle(handle=handle)
    expect.success(result)
    expect.true("the location", vm.place(result), ("ACL_MEM_LOCATION_TYPE_DEVICE", 0))


@covers("mem_get_allocation_properties_from_handle.location", uses=["aclrtDeviceEnablePeerAccess"])
def test_second_device_location(acl, peer_vm, vm, expect):
    """A handle of device 1 says so."""
    handle = peer_vm.handle_here()
    result = acl.aclrtMemGetAllocationPropertiesFromHandle(handle=handle)
    expect.success(result)
    expect.true("the location", vm.place(result), ("ACL_MEM_LOCATION_TYPE_DEVICE", 1))


@covers("mem_get_allocation_properties_from_handle.location")
def test_host_location(acl, vm, expect):
    """A handle of host memory says so; documented since 9.0."""
    vm.needs_version(9, 0)
    handle = vm.handle(properties=on_host())
    result = acl.aclrtMemGetAllocationPropertiesFromHandle(handle=handle)
    expect.success(result)
    expect.true("the kind of location", vm.place(result)[0], "ACL_MEM_LOCATION_TYPE_HOST")


@covers("mem_get_allocation_properties_from_handle.location")
def test_node_location(acl, vm, expect):
    """A handle of NUMA node 0 says so; documented since 9.0."""
    vm.needs_version(9, 0)
    handle = vm.handle(properties=on_node(0))
    result = acl.aclrtMemGetAllocationPropertiesFromHandle(handle=handle)
    expect.success(result)
    expect.true("the location", vm.place(result), ("ACL_MEM_LOCATION_TYPE_HOST_NUMA", 0))


@covers("mem_get_allocation_properties_from_handle.handle_and_alloc_type")
@pytest.mark.parametrize("attribute", [HUGE, NORMAL])
def test_types(acl, vm, expect, attribute):
    """The handle type is NONE and the memory pinned, whatever the output held before."""
    handle = vm.handle(properties=on_device(attribute))
    result = acl.aclrtMemGetAllocationPropertiesFromHandle(handle=handle)
    expect.success(result)
    expect.true(
        "handleType and allocationType",
        (result["prop"]["handleType"], result["prop"]["allocationType"]),
        (0, 0),
    )


@covers("mem_get_allocation_properties_from_handle.mem_attr_hbm")
def test_huge_attribute(acl, vm, expect):
    """ACL_HBM_MEM_HUGE comes back as itself, whatever was allocated before and after it."""
    handle = vm.handle_among_others(on_device(HUGE))
    result = acl.aclrtMemGetAllocationPropertiesFromHandle(handle=handle)
    expect.success(result)
    expect.true("the attribute", vm.attribute(result), HUGE)


@covers("mem_get_allocation_properties_from_handle.mem_attr_hbm")
def test_1g_attribute(acl, vm, expect):
    """ACL_HBM_MEM_HUGE1G comes back as itself, on 950, A3 and 910b since 8.3."""
    vm.needs_1g_pages()
    handle = vm.handle_among_others(on_device(HUGE1G), GIB)
    result = acl.aclrtMemGetAllocationPropertiesFromHandle(handle=handle)
    expect.success(result)
    expect.true("the attribute", vm.attribute(result), HUGE1G)


@covers("mem_get_allocation_properties_from_handle.mem_attr_alias")
@pytest.mark.parametrize(
    "properties",
    [
        on_device("ACL_MEM_HUGE"),
        on_device("ACL_MEM_NORMAL"),
        on_device(NORMAL),
        on_host("ACL_DDR_MEM_HUGE"),
        on_host("ACL_MEM_P2P_NORMAL"),
    ],
    ids=["device-MEM_HUGE", "device-MEM_NORMAL", "device-HBM_NORMAL", "host-DDR_HUGE", "host-P2P_NORMAL"],
)
def test_equivalent_attribute(acl, vm, expect, properties):
    """Which attribute comes back for one that has equivalents is recorded."""
    handle = vm.handle_or_nothing(properties)
    result = acl.aclrtMemGetAllocationPropertiesFromHandle(handle=handle)
    expect.observed(vm.told_attribute(properties, result))


@covers("mem_get_allocation_properties_from_handle.imported_handle")
def test_imported_handle(acl, vm, sharing, expect):
    """What is said about a handle from another process is recorded."""
    handle = sharing.imported_from(sharing.process())
    result = acl.aclrtMemGetAllocationPropertiesFromHandle(handle=handle.ours)
    expect.observed(vm.told_attribute(on_device(), result))


@covers("mem_get_allocation_properties_from_handle.freed_handle")
@isolated("asks about a freed handle")
def test_freed_handle(acl, vm, expect):
    """What is said about a freed handle is recorded; other memory is unharmed."""
    other = vm.mapped().write(seed=1)
    handle = vm.handle()
    vm.free(handle)
    result = acl.aclrtMemGetAllocationPropertiesFromHandle(handle=handle)
    expect.observed(result, corrupted=[other.block])
