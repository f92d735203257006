"""aclrtIpcMemGetExportKey: a key for a block of device memory."""

from __future__ import annotations

import pytest

from harness.device import pattern
from harness.plugin import covers, isolated
from suites.memory.ipc.copies import every_copy
from suites.memory.ipc.keys import ANYBODY, LISTED, PEER
from suites.memory.virtual.properties import GRANULE, KIB

HUGE_FIRST, HUGE_FIRST_P2P = "ACL_MEM_MALLOC_HUGE_FIRST", "ACL_MEM_MALLOC_HUGE_FIRST_P2P"


@covers("ipc_mem_get_export_key.ok")
def test_key(keys):
    """A block of 2 MiB in huge pages gets a key that ends in its buffer, can be closed, and stays usable."""
    block = keys.block(seed=1)
    result = keys.export(block)
    keys.expect_key(result, block)


@covers("ipc_mem_get_export_key.ok")
def test_keys_differ(keys):
    """Eight blocks get eight different keys."""
    results = keys.exports([keys.block() for _ in range(8)])
    keys.expect_different_keys(results)


@covers("ipc_mem_get_export_key.flags_valid")
@pytest.mark.parametrize("flags", [LISTED, ANYBODY], ids=["listed", "anybody"])
def test_flags(keys, flags):
    """Both documented flags are accepted."""
    block = keys.block(seed=1)
    result = keys.export(block, flags=flags)
    keys.expect_key(result, block)


@covers("ipc_mem_get_export_key.whitelist")
def test_import_before_being_listed(keys, expect):
    """A process that is not listed is refused; once it is listed, the same process gets the memory."""
    shared, other = keys.shared(flags=LISTED, seed=1), keys.process()
    result = other.take(shared)
    expect.refused(result.call)
    keys.admit(shared.key, [other])
    keys.expect_taken_by(shared, [other])


@covers("ipc_mem_get_export_key.whitelist")
def test_import_while_another_is_listed(keys):
    """A third process is refused when only the second one is listed, before and after that one's import."""
    shared, (listed, stranger) = keys.shared(flags=LISTED), keys.processes(2)
    keys.admit(shared.key, [listed])
    results = [stranger.take(shared), listed.take(shared), stranger.take(shared)]
    keys.expect_only_second_accepted(results)


@covers("ipc_mem_get_export_key.whitelist")
def test_flags_of_one_key_are_not_those_of_another(keys, expect):
    """That blocks are exported for everybody before and after another one does not open that one."""
    _, closed, _ = (keys.shared(flags=flags) for flags in (ANYBODY, LISTED, ANYBODY))
    result = keys.process().take(closed)
    expect.refused(result.call)


@covers("ipc_mem_get_export_key.whitelist")
def test_list_ends_with_its_key(keys, expect):
    """A process that was listed for a key that is closed is not let in by the block's next key."""
    former, other = keys.shared(flags=LISTED), keys.process()
    keys.expect_succeeded([keys.admit(former.key, [other]), keys.close(former.key)])
    result = other.take(keys.shared_again(former, LISTED))
    expect.refused(result.call)


@covers("ipc_mem_get_export_key.no_whitelist", "ipc_mem_get_export_key.flags_valid")
def test_import_by_anybody(keys):
    """With flags 1 two processes that nobody has listed get the memory."""
    shared, others = keys.shared(flags=ANYBODY, seed=1), keys.processes(2)
    keys.expect_taken_by(shared, others)


@covers("ipc_mem_get_export_key.page_alignment")
@pytest.mark.parametrize(
    ("offset", "size"),
    [(64, GRANULE), (4 * KIB, GRANULE), (0, GRANULE + 64), (64, GRANULE - 64)],
    ids=["address", "address-by-4k", "size", "address-and-size"],
)
def test_part_of_a_page(keys, expect, offset, size):
    """Part of a huge page is refused, and the whole block can still be shared."""
    block = keys.block(2 * GRANULE, seed=1)
    result = keys.export(block, offset=offset, size=size)
    expect.refused(result, unchanged=[block])
    keys.expect_key(keys.export(block), block)


@covers("ipc_mem_get_export_key.page_alignment")
def test_small_block_beside_another(keys):
    """The second of two blocks of 1 KiB is refused, or its importer does not reach the first one."""
    first, second = (keys.block(KIB, seed=seed, policy=HUGE_FIRST) for seed in (1, 2))
    result = keys.export(second)
    keys.expect_refused_or_apart(result, first, second)


@covers("ipc_mem_get_export_key.host_memory")
@isolated("no document covers host memory")
def test_host_memory(keys, memory, expect):
    """What exporting pinned host memory gives is recorded; the memory is unharmed."""
    block = memory.pinned(GRANULE)
    keys.outcome_open()
    result = keys.export(block)
    expect.observed(result, corrupted=[block])


@covers("ipc_mem_get_export_key.repeat")
@isolated("no document covers a second export")
def test_export_again(keys, expect):
    """What a second export of a block gives is recorded; the first key still leads to the block."""
    shared = keys.shared(seed=1)
    keys.outcome_open()
    result = keys.export(shared.block)
    expect.observed(result, corrupted=[shared.block])
    keys.expect_taken_by(shared, [keys.process()])


@covers("ipc_mem_get_export_key.same_device_data")
def test_data_both_ways(keys):
    """What either process writes to the shared memory is what the other reads."""
    shared, other = keys.shared(3 * GRANULE, seed=1), keys.process()
    result = other.take(shared)
    keys.expect_same_memory(result, shared)


@covers("ipc_mem_get_export_key.same_device_data")
def test_data_among_three_processes(keys):
    """What any of three processes writes is what all of them read."""
    shared, others = keys.shared(seed=1), keys.processes(2)
    keys.expect_same_memory_of_all(shared, others)


@covers("ipc_mem_get_export_key.same_device_data")
def test_data_written_after_the_export(keys):
    """What the block is given after its export is what importers read."""
    shared = keys.shared(seed=1)
    shared.block.write(pattern(GRANULE, 2))
    keys.expect_taken_by(shared, [keys.process()])


@covers("ipc_mem_get_export_key.same_device_data")
def test_each_key_leads_to_its_block(keys):
    """Of several blocks each key leads to its own, whatever its size."""
    result = keys.shared_of_sizes()
    keys.expect_each_taken_by(result, keys.process())


@covers("ipc_mem_get_export_key.same_device_data")
def test_copies_on_a_stream(keys):
    """Copies on a stream of the importer read and write the shared memory."""
    shared, other = keys.shared(seed=1), keys.process()
    result = other.take(shared)
    keys.expect_same_memory_on_streams(result, shared, other.memory)


@covers("ipc_mem_get_export_key.cross_device_data")
def test_data_between_devices(keys, second_device):
    """A process on another device that imports with peer access reads and writes the block on a stream."""
    shared, other = keys.shared(seed=1, policy=keys.peer_policy()), keys.process(second_device)
    result = other.take(shared, flags=PEER)
    keys.expect_same_memory_on_streams(result, shared, other.memory)


@covers("ipc_mem_get_export_key.cross_device_copy_limits")
def test_copies_of_another_device(keys, second_device, expect):
    """What each kind of copy gives on the importing side of another device is recorded; the block is
    unharmed.
    """
    shared, other = keys.shared(seed=1, policy=keys.peer_policy()), keys.process(second_device)
    result = every_copy(other, other.take(shared, flags=PEER).there, shared.block.expected())
    expect.observed(result, corrupted=[shared.block])


@covers("ipc_mem_get_export_key.p2p_policy_310p")
@pytest.mark.parametrize("policy", [HUGE_FIRST, HUGE_FIRST_P2P], ids=["plain", "p2p"])
def test_policy_of_a_block_for_another_device(keys, second_device, expect, policy):
    """What sharing with another device gives with this policy is recorded; the block is unharmed."""
    shared, other = keys.shared(seed=1, policy=policy), keys.process(second_device)
    result = other.told(lambda: other.take(shared, flags=PEER).call)
    expect.observed(result, corrupted=[shared.block])


@covers("ipc_mem_get_export_key.free_order")
@isolated("frees a block that is still shared")
def test_free_before_close(acl, keys, expect):
    """What freeing a block before its key is closed gives is recorded; other memory is unharmed."""
    shared, other = keys.shared(), keys.block(seed=1)
    keys.outcome_open()
    result = acl.aclrtFree(devPtr=shared.block.ptr)
    expect.observed(result, corrupted=[other])


@covers("ipc_mem_get_export_key.needs_context")
def test_without_a_device(keys, expect):
    """In a process that has set no device an export is refused, and no key is given."""
    other = keys.process(device=None)
    result = other.export(address=GRANULE, size=GRANULE)
    expect.refused(result)
    expect.true("the key buffer was left alone", result.untouched("key"))
