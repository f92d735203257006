"""aclrtMemGetAllocationGranularity: the grain of physical memory and mappings."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.memory.virtual.properties import (
    GIB,
    GRANULE,
    HUGE,
    HUGE1G,
    MINIMUM,
    NORMAL,
    RECOMMENDED,
    on_device,
)


@covers("mem_get_allocation_granularity.minimum")
def test_minimum(acl, expect):
    """With huge pages the smallest grain is 2 MiB."""
    result = acl.aclrtMemGetAllocationGranularity(prop=on_device(HUGE), option=MINIMUM)
    expect.success(result)
    expect.true("the granularity in bytes", result.granularity, GRANULE)


@covers("mem_get_allocation_granularity.minimum")
@pytest.mark.parametrize("option", [MINIMUM, RECOMMENDED], ids=["minimum", "recommended"])
def test_reserved_field(acl, expect, option):
    """What a query gives whose reserved field is full of ones is recorded."""
    result = acl.aclrtMemGetAllocationGranularity(prop={**on_device(), "reserve": 2**64 - 1}, option=option)
    expect.observed(result)


@covers("mem_get_allocation_granularity.recommended")
@pytest.mark.parametrize("attribute", [HUGE, NORMAL])
def test_recommended(acl, vm, expect, attribute):
    """The recommended grain is the smallest one or a multiple of it."""
    smallest = vm.granularity(on_device(attribute), MINIMUM)
    result = acl.aclrtMemGetAllocationGranularity(prop=on_device(attribute), option=RECOMMENDED)
    expect.success(result)
    expect.true("whole multiples of the smallest grain", divmod(result.granularity, smallest)[1], 0)
    expect.within("the recommended grain in bytes", result.granularity, smallest, GIB)


@covers("mem_get_allocation_granularity.huge1g")
def test_1g_pages(acl, expect):
    """With 1 GiB pages the grain is 1 GiB."""
    result = acl.aclrtMemGetAllocationGranularity(prop=on_device(HUGE1G), option=MINIMUM)
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
