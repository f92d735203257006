"""aclrtPointerGetAttributes: what kind of memory an address belongs to."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.memory.unified.addresses import PAGE
from suites.memory.virtual.properties import MIB

BLOCK_SIZES = pytest.mark.parametrize("size", [4096, 4 * MIB], ids=["4096", "4-mib"])


@covers("pointer_get_attributes.device_memory")
@pytest.mark.parametrize("size", [1, 4097, 3 * MIB], ids=["1", "4097", "3-mib"])
def test_device_memory(addresses, memory, size):
    """First, middle and last byte of a block of device 0 are memory of device 0."""
    block = memory.device(size, guard=0)
    results = addresses.ask_all([block.ptr, block.at(size // 2), block.at(size - 1)])
    addresses.expect_on_device(results)


@covers("pointer_get_attributes.host_memory")
@pytest.mark.parametrize("size", [4096, 5 * MIB], ids=["4096", "5-mib"])
def test_host_memory(addresses, memory, size):
    """First, middle and last byte of a block of the library's host memory are on the host."""
    block = memory.pinned(size, guard=0)
    results = addresses.ask_all([block.ptr, block.at(1000), block.at(size // 2), block.at(size - 1)])
    addresses.expect_kind(results, "HOST")


@covers("pointer_get_attributes.unregistered")
def test_foreign_memory(addresses):
    """Memory that the library has not given is told to be unregistered."""
    found = addresses.foreign()
    addresses.expect_unregistered(found)


@covers("pointer_get_attributes.unregistered", uses=["aclrtHostRegisterV2"])
def test_beside_registered_memory(addresses):
    """The bytes right before and right behind registered memory are told to be unregistered."""
    block = addresses.pinned(addresses.pages())
    addresses.expect_unregistered({"before the range": block.at(-1), "behind it": block.at(block.size)})


@covers("pointer_get_attributes.managed")
def test_managed_memory(addresses):
    """First and last byte of managed memory are told to be managed."""
    start = addresses.managed()
    results = addresses.ask_all([start, start + 2 * MIB - 1])
    addresses.expect_kind(results, "MANAGED")


@covers("pointer_get_attributes.host_numa")
def test_memory_of_a_node(addresses):
    """Mapped memory of a NUMA node of the host is told to be that."""
    start = addresses.of_node()
    results = addresses.ask_all([start, start + MIB])
    addresses.expect_kind(results, "HOST_NUMA")


@covers("pointer_get_attributes.registered_pinned", uses=["aclrtHostRegisterV2", "aclrtHostUnregister"])
def test_registered_memory(addresses):
    """Memory registered to be pinned is on the host until the registration is undone."""
    block = addresses.pinned(addresses.pages())
    results = addresses.ask_all([block.ptr, block.at(PAGE + 5)])
    addresses.expect_registered_for_a_while(results, block)


@covers("pointer_get_attributes.page_size")
def test_pages(addresses):
    """Blocks on pages of every size that there is lie on pages of that size."""
    blocks = addresses.on_every_page()
    addresses.expect_pages(blocks)


@covers("pointer_get_attributes.registered_alias", uses=["aclrtHostRegister", "aclrtHostGetDevicePointer"])
@pytest.mark.parametrize("api", ["aclrtHostRegister", "aclrtHostRegisterV2"])
def test_device_alias(addresses, expect, api):
    """What the query gives for the device's address of registered memory is recorded."""
    block = addresses.pages()
    result = addresses.ask(addresses.alias(block, api))
    expect.observed(addresses.told(result))


@covers("pointer_get_attributes.freed")
def test_freed_memory(addresses, memory, expect):
    """What the query gives for memory that was released is recorded."""
    block = memory.device(3 * MIB, guard=0)
    block.free()
    result = addresses.ask(block.ptr)
    expect.observed(addresses.told(result))


@covers("pointer_get_attributes.other_device_block")
@BLOCK_SIZES
def test_second_device_is_current(addresses, memory, peer, size):
    """A block of device 0 is memory of device 0 while device 1 is current."""
    block = memory.device(size)
    result = addresses.ask_beside(peer, block.ptr)
    addresses.expect_on_device([result])


@covers("pointer_get_attributes.other_device_block")
@BLOCK_SIZES
def test_block_of_the_second_device(addresses, peer, size):
    """A block of device 1 is memory of device 1 while device 0 is current."""
    block = peer.memory(size)
    results = addresses.ask_all([block.ptr, block.at(size - 1)])
    addresses.expect_on_device(results, peer.device)
