"""aclrtMemRetainAllocationHandle: the handle behind an address."""

from __future__ import annotations

import pytest

from harness.device import pattern
from harness.plugin import covers
from suites.memory.virtual.properties import GRANULE


@covers("mem_retain_allocation_handle.ok")
def test_retain(acl, vm):
    """A mapping gives a handle, which must be freed once more."""
    mapping = vm.mapped().write(seed=1)
    result = acl.aclrtMemRetainAllocationHandle(virPtr=mapping.ptr)
    vm.expect_handle_of(result, mapping)


@covers("mem_retain_allocation_handle.ok")
@pytest.mark.parametrize("piece", [0, 1, 2])
def test_retain_one_of_three(acl, vm, piece):
    """Each of three pieces side by side, of two granules each, gives the handle of its own memory."""
    size = 2 * GRANULE
    mapping = vm.mapped(size, pieces=3).write(seed=1)
    result = acl.aclrtMemRetainAllocationHandle(virPtr=mapping.at(piece * size))
    vm.expect_handle_of(result, mapping, piece)


@covers("mem_retain_allocation_handle.ok")
def test_retain_after_the_first_handle_is_freed(acl, vm):
    """A mapping that alone keeps its memory, since its handle was freed, gives a handle."""
    mapping = vm.mapped().write(seed=1)
    vm.free(mapping.handle)
    result = acl.aclrtMemRetainAllocationHandle(virPtr=mapping.ptr)
    vm.expect_handle_of(result, mapping)


@covers("mem_retain_allocation_handle.keeps_alive")
def test_keeps_memory(acl, vm, expect):
    """A retained handle shows the bytes after the mapping was undone and the first handle freed."""
    mapping = vm.mapped().write(seed=1)
    result = acl.aclrtMemRetainAllocationHandle(virPtr=mapping.ptr)
    vm.give_up(mapping)
    vm.mapped(pieces=3).write(seed=2)
    expect.success(result)
    expect.data(vm.read(result.handle), pattern(GRANULE, 1), "the retained memory")
