"""Which pages the allocation policies take, how many, and what happens when they have run out."""

from __future__ import annotations

import pytest

from harness.plugin import covers, deadline, isolated, sequential
from suites.memory.alloc.sizes import (
    BASE_POLICIES,
    HUGE1G_ONLY,
    HUGE_FIRST,
    HUGE_ONLY,
    HUGE_PAGE,
    MALLOC,
    NORMAL_ONLY,
    PIB,
)
from suites.memory.virtual.properties import GIB, KIB, MIB


@covers("malloc.huge_first_small")
@pytest.mark.parametrize("size", [512 * KIB, MIB], ids=["512KiB", "1MiB"])
def test_huge_first_small(allocations, size):
    """A request of at most 1 MiB gets small pages."""
    asked = allocations.ask(MALLOC, size, HUGE_FIRST)
    allocations.expect_pages([asked], size)


@covers("malloc.huge_first_small")
@pytest.mark.parametrize("size", [512 * KIB, MIB], ids=["512KiB", "1MiB"])
def test_huge_first_small_takes_no_huge_page(allocations, figures, size):
    """A request of at most 1 MiB leaves the huge pages alone."""
    before = figures.free("HUGE")
    asked = allocations.ask(MALLOC, size, HUGE_FIRST)
    allocations.expect_given(asked)
    figures.expect_missing(before, 0, "HUGE")


@covers("malloc.huge_first_large")
def test_huge_first_large(allocations):
    """Requests above 1 MiB get huge pages."""
    asked = allocations.ask_for(MALLOC, [MIB + 1, 2 * MIB, 4 * MIB], [HUGE_FIRST])
    allocations.expect_pages(asked, HUGE_PAGE)


@covers("malloc.huge_first_large")
@sequential
@deadline(120)
def test_huge_first_falls_back(allocations):
    """When huge pages have run out, a request above 1 MiB gets normal pages."""
    allocations.use_up("HUGE", HUGE_ONLY)
    asked = allocations.ask(MALLOC, 4 * MIB, HUGE_FIRST)
    allocations.expect_fell_back(asked)


@covers("malloc.huge_only_no_fallback")
@pytest.mark.parametrize("size", [HUGE_PAGE - 64, 64 * MIB], ids=["2MiB-64", "64MiB"])
@sequential
@deadline(120)
def test_huge_only_does_not_fall_back(acl, allocations, figures, size):
    """When huge pages have run out, HUGE_ONLY fails though normal pages are free, and takes none."""
    allocations.use_up("HUGE", HUGE_ONLY)
    before = figures.free("NORMAL")
    result = acl.aclrtMalloc(size=size, policy=HUGE_ONLY)
    allocations.expect_other_pages_left(result, before, "NORMAL")


@covers("malloc.normal_only_no_fallback")
@pytest.mark.parametrize("size", [64 * KIB, 64 * MIB], ids=["64KiB", "64MiB"])
@sequential
@deadline(120)
def test_normal_only_does_not_fall_back(acl, allocations, figures, size):
    """When normal pages have run out, NORMAL_ONLY fails though huge pages are free, and takes none."""
    allocations.use_up("NORMAL", NORMAL_ONLY)
    before = figures.free("HUGE")
    result = acl.aclrtMalloc(size=size, policy=NORMAL_ONLY)
    allocations.expect_other_pages_left(result, before, "HUGE")


@covers("malloc.normal_only_no_fallback")
@sequential
@deadline(120)
def test_normal_only_gives_small_pages(allocations):
    """Until normal pages have run out, every block by NORMAL_ONLY lies on small pages."""
    given = allocations.use_up("NORMAL", NORMAL_ONLY)
    allocations.expect_pages(given, 4 * KIB)


@covers("malloc.huge_page_rounding_2m")
@isolated("no memory was released in the process before")
def test_huge_page_rounding(allocations, figures):
    """2 MiB and 64 bytes take two huge pages."""
    before = figures.free("HUGE")
    asked = allocations.ask(MALLOC, HUGE_PAGE + 64, HUGE_ONLY)
    allocations.expect_given(asked)
    allocations.expect_pages_taken(before, 2)


@covers("malloc.huge1g_rounding")
@pytest.mark.parametrize("size", [GIB + 1, 19 * GIB // 10], ids=["1GiB+1", "1.9GiB"])
@sequential
def test_huge1g_rounding(allocations, figures, size):
    """A request of more than 1 GiB takes two 1 GiB pages."""
    before = figures.free()
    asked = allocations.needs_pages(allocations.ask(MALLOC, size, HUGE1G_ONLY))
    allocations.expect_usable(asked)
    figures.expect_missing(before, 2 * GIB)


@covers("malloc.huge1g_rounding")
@sequential
@deadline(120)
def test_huge1g_runs_out(acl, allocations, figures):
    """When 1 GiB pages have run out the call fails, though other memory is free, and takes none of that."""
    allocations.use_up("HUGE1G", HUGE1G_ONLY)
    before = figures.free()
    result = acl.aclrtMalloc(size=GIB, policy=HUGE1G_ONLY)
    allocations.expect_other_pages_left(result, before, "")


@covers("malloc.out_of_memory")
@pytest.mark.parametrize("policy", BASE_POLICIES)
def test_out_of_memory(acl, allocations, figures, policy):
    """A request of more than any device has is refused, leaves its output alone, and nothing is lost."""
    before = figures.free()
    result = acl.aclrtMalloc(size=PIB, policy=policy)
    allocations.expect_out_of_memory(result, before)


@covers("malloc.out_of_memory")
@pytest.mark.parametrize(
    "size", [2**62, 2**63 + 4096, 2**64 - 4096], ids=["4EiB", "8EiB+4KiB", "SIZE_MAX-4095"]
)
def test_more_than_there_are_addresses(acl, allocations, figures, size):
    """A request that no address space could hold is refused, whatever the code, and nothing is lost."""
    before = figures.free()
    result = acl.aclrtMalloc(size=size, policy=HUGE_FIRST)
    allocations.expect_refused_without_loss(result, before)


@covers("malloc.out_of_memory")
@pytest.mark.parametrize("policy", BASE_POLICIES)
def test_more_than_the_device_has(acl, allocations, figures, policy):
    """A request of one huge page more than the device has is refused, and nothing is lost."""
    before = figures.free()
    result = acl.aclrtMalloc(size=figures.total() + HUGE_PAGE, policy=policy)
    allocations.expect_out_of_memory(result, before)


@covers("malloc.oom_then_recover")
@sequential
@deadline(120)
def test_oom_then_recover(allocations, figures):
    """A device that was used up gives all of its memory again once it was released."""
    before = figures.free()
    taken = allocations.take_until_refused(256 * MIB)
    allocations.expect_recovered(taken, before)
