"""aclrtMemGetAddressRange: the block an address lies in."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.memory.virtual.borders import side_by_side
from suites.memory.virtual.properties import GRANULE

SIZES = pytest.mark.parametrize("size", [1, 4097, 3 * GRANULE + 5], ids=["1", "4097", "6MiB+5"])


@covers("mem_get_address_range.malloc_base")
@SIZES
def test_device_block(vm, size):
    """The first, second, middle and last address of a device block lead to its start and a size that covers
    it.
    """
    blocks = vm.blocks("device", count=3, size=size)
    results = vm.ask_for_blocks(blocks)
    vm.expect_covered(results, blocks)


@covers("mem_get_address_range.malloc_base", uses=["aclrtMallocWithCfg"])
def test_configured_device_block(vm):
    """The same holds for blocks of aclrtMallocWithCfg."""
    blocks = vm.configured_blocks([32, 70000, GRANULE])
    results = vm.ask_for_blocks(blocks)
    vm.expect_covered(results, blocks)


@covers("mem_get_address_range.mallochost_base")
@SIZES
def test_host_block(vm, size):
    """The first, second, middle and last address of a pinned block lead to its start and a size that covers
    it.
    """
    blocks = vm.blocks("pinned", count=3, size=size)
    results = vm.ask_for_blocks(blocks)
    vm.expect_covered(results, blocks)


@covers("mem_get_address_range.mapped_range")
def test_mapped_pieces(vm):
    """Any address in one of three mapped pieces of two sizes leads to exactly that piece, in a larger
    range.
    """
    blocks = vm.mapped_blocks([GRANULE, GRANULE, 3 * GRANULE], room=8 * GRANULE)
    results = vm.ask_for_blocks(blocks)
    vm.expect_exactly(results, blocks)


@covers("mem_get_address_range.mapped_range")
def test_mapped_pieces_that_touch(vm):
    """The same holds for pieces that are mapped without a gap between them."""
    blocks = side_by_side(vm, [GRANULE, GRANULE, 3 * GRANULE], room=8 * GRANULE)
    results = vm.ask_for_blocks(blocks)
    vm.expect_exactly(results, blocks)
