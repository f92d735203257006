"""aclrtMemMapSelectedLink: a second range onto the memory of a first one, over a chosen link."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.memory.virtual.properties import GRANULE


@covers("mem_map_selected_link.ok")
@pytest.mark.parametrize("link", [0, 1], ids=["SIO", "HCCS"])
@pytest.mark.parametrize("writer", [0, 1], ids=["write-source", "write-target"])
def test_same_memory(acl, vm, link, writer):
    """What is written through one of the two ranges is read through the other, and the second can be
    unmapped.
    """
    source, start = vm.mapped().write(seed=1), vm.range()
    result = acl.aclrtMemMapSelectedLink(virPtrDst=start, size=GRANULE, virPtrSrc=source.ptr, linkIdx=link)
    vm.expect_second_range(result, source.block, vm.view(start, GRANULE), writer)


@covers("mem_map_selected_link.multi_piece")
@pytest.mark.parametrize("link", [0, 1], ids=["SIO", "HCCS"])
def test_pieces(acl, vm, link):
    """A range of two handles gets two mappings at the same offsets, and each must be unmapped."""
    source, start = vm.mapped(pieces=2).write(seed=1), vm.range(2 * GRANULE)
    result = acl.aclrtMemMapSelectedLink(
        virPtrDst=start, size=2 * GRANULE, virPtrSrc=source.ptr, linkIdx=link
    )
    vm.expect_second_range(result, source.block, vm.view(start, 2 * GRANULE), writer=0, pieces=2)
