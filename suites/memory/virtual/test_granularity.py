"""aclrtMemGetAllocationGranularity: the grain of physical memory and mappings."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.memory.virtual.properties import (
    GENERIC_1G,
    GIB,
    GRANULE,
    HUGE,
    HUGE1G,
    MINIMUM,
    NORMAL,
    RECOMMENDED,
    on_device,
    on_host,
)


@covers("mem_get_allocation_granularity.minimum")
def test_minimum(acl, expect):
    """With huge pages the smallest grain is 2 MiB."""
    result = acl.aclrtMemGetAllocationGranularity(prop=on_device(HUGE), option=MINIMUM)
    expect.success(result)
    expect.true("the granularity in bytes", result.granularity, GRANULE)


@covers("mem_get_allocation_granularity.minimum")
@pytest.mark.parametrize(
    "properties",
    [on_device("ACL_MEM_HUGE"), on_host("ACL_MEM_HUGE"), on_host("ACL_DDR_MEM_HUGE")],
    ids=["device-MEM_HUGE", "host-MEM_HUGE", "host-DDR_HUGE"],
)
def test_minimum_of_other_memory(acl, vm, expect, properties):
    """With huge pages the smallest grain of generic attributes and of host memory is 2 MiB; documented
    since 9.0.
    """
    vm.needs_version(9, 0)
    result = acl.aclrtMemGetAllocationGranularity(prop=properties, option=MINIMUM)
    expect.success(result)
    expect.true("the granularity in bytes", result.granularity, GRANULE)


@covers("mem_get_allocation_granularity.minimum")
@pytest.mark.parametrize("option", [MINIMUM, RECOMMENDED], ids=["minimum", "recommended"])
def test_reserved_field(acl, expect, option):
    """What a query gives whose reserved field is full of ones is recorded."""
    result = acl.aclrtMemGetAllocationGranularity(prop={**on_device(), "reserve": 2**64 - 1}, option=option)
    expect.observed(result)


@covers("mem_get_allocation_granularity.recommended")
@pytest.mark.parametrize("attribute", [HUGE, NORMAL, HUGE1G])
def test_recommended(acl, vm, expect, attribute):
    """The recommended grain is the smallest one or a multiple of it."""
    vm.needs_attribute(attribute)
    smallest = vm.granularity(on_device(attribute), MINIMUM)
    result = acl.aclrtMemGetAllocationGranularity(prop=on_device(attribute), option=RECOMMENDED)
    expect.success(result)
    expect.true("whole multiples of the smallest grain", divmod(result.granularity, smallest)[1], 0)
    expect.within("the recommended grain in bytes", result.granularity, smallest, GIB)


@covers("mem_get_allocation_granularity.huge1g")
@pytest.mark.parametrize("attribute", [HUGE1G, *GENERIC_1G])
def test_1g_pages(acl, vm, expect, attribute):
    """With 1 GiB pages the grain is 1 GiB, by every attribute that gives them here."""
    vm.needs_attribute(attribute)
    result = acl.aclrtMemGetAllocationGranularity(prop=on_device(attribute), option=MINIMUM)
    expect.success(result)
    expect.true("the granularity in bytes", result.granularity, GIB)


@covers("mem_get_allocation_granularity.usable_for_alloc")
@pytest.mark.parametrize("option", [MINIMUM, RECOMMENDED], ids=["minimum", "recommended"])
@pytest.mark.parametrize("attribute", [HUGE, NORMAL])
def test_usable_as_a_size(acl, vm, expect, attribute, option):
    """Memory of exactly the grain is allocated, mapped and used."""
    result = acl.aclrtMemGetAllocationGranularity(prop=on_device(attribute), option=option)
    expect.success(result)
    vm.expect_makes_memory(result.granularity, on_device(attribute))
