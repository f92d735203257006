"""aclrtIpcMemImportByKey: memory of another process by its key."""

from __future__ import annotations

import pytest

from harness.plugin import covers, isolated
from suites.memory.ipc.keys import PEER, PLAIN
from suites.memory.virtual.properties import GRANULE


@covers("ipc_mem_import_by_key.ok")
def test_import(keys, expect):
    """The memory of another process is read, written and closed."""
    shared = keys.process().memory.shared(3 * GRANULE, seed=1)
    result = keys.take(shared)
    keys.expect_same_memory(result, shared)
    expect.success(keys.close(shared.key))


@covers("ipc_mem_import_by_key.ok")
def test_copies_on_a_stream(keys):
    """Copies on a stream of the importer read and write the memory."""
    shared = keys.process().memory.shared(seed=1)
    result = keys.take(shared)
    keys.expect_same_memory_on_streams(result, shared, keys)


@covers("ipc_mem_import_by_key.ok", "ipc_mem_close.both_sides")
def test_several_imports(keys):
    """Blocks of two processes imported side by side are kept apart, and closing one leaves the other."""
    shared = [other.memory.shared(seed=seed) for seed, other in enumerate(keys.processes(2), 1)]
    results = [keys.take(each) for each in shared]
    keys.expect_all_readable(results, shared)
    keys.expect_succeeded([keys.close(shared[0].key)])
    keys.expect_same_memory(results[1], shared[1])


@covers("ipc_mem_import_by_key.ok", "ipc_mem_close.both_sides")
def test_import_and_close_leave_nothing_behind(keys):
    """Importing and closing a block again and again takes no memory and shows its bytes each time."""
    shared, before = keys.process().memory.shared(seed=1), keys.free_memory()
    keys.expect_taken_and_closed(shared, rounds=100)
    keys.expect_missing(before, 0)


@covers("ipc_mem_import_by_key.flags_valid")
@pytest.mark.parametrize("flags", [PLAIN, PEER], ids=["plain", "peer-access"])
def test_flags(keys, flags):
    """Both documented flags are accepted on one device, and the memory is the other process's."""
    shared = keys.process().memory.shared(seed=1)
    result = keys.take(shared, flags=flags)
    keys.expect_same_memory(result, shared)


@covers("ipc_mem_import_by_key.flags_valid")
def test_flags_in_turn(keys):
    """After a plain import was closed, the same key is imported with peer access."""
    shared = keys.process().memory.shared(seed=1)
    results = [keys.take(shared, PLAIN).call, keys.close(shared.key), keys.take(shared, PEER).call]
    keys.expect_succeeded(results)


@covers("ipc_mem_import_by_key.flags_valid")
def test_peer_access_by_the_flag(keys, second_device):
    """With the flag alone, a process on another device reaches the block with copies on a stream."""
    shared, other = keys.shared(seed=1, policy=keys.peer_policy()), keys.process(second_device)
    result = other.take(shared, flags=PEER)
    keys.expect_same_memory_on_streams(result, shared, other.memory)


@covers("ipc_mem_import_by_key.flags_valid", uses=["aclrtDeviceEnablePeerAccess"])
def test_peer_access_by_hand(keys, second_device):
    """Without the flag, a process on another device that enables peer access itself reaches the block."""
    shared, other = keys.shared(seed=1, policy=keys.peer_policy()), keys.process(second_device)
    other.memory.call("aclrtDeviceEnablePeerAccess", peerDeviceId=0, flags=0)
    result = other.take(shared, flags=PLAIN)
    keys.expect_same_memory_on_streams(result, shared, other.memory)


@covers("ipc_mem_import_by_key.flags_valid")
def test_no_peer_access(keys, second_device, expect):
    """What a copy on another device gives without any peer access is recorded; the block is unharmed."""
    shared, other = keys.shared(seed=1, policy=keys.peer_policy()), keys.process(second_device)
    result = other.take(shared, flags=PLAIN)
    expect.observed(result.call, corrupted=[shared.block])
    expect.observed(keys.told_copy(result, shared, other), corrupted=[shared.block])


@covers("ipc_mem_import_by_key.unknown_key")
def test_arbitrary_key(keys, expect):
    """A text of 64 characters that is no key is refused, and no address is given."""
    shared = keys.process().memory.shared()
    result = keys.take_key("k" * 64)
    expect.refused(result)
    expect.true("the address was left alone", result.untouched("devPtr"))
    keys.expect_taken_here(shared)


@covers("ipc_mem_import_by_key.unknown_key")
def test_altered_key(keys, expect):
    """A key with one other character, wherever in it, is refused, and no address is given."""
    shared = keys.process().memory.shared()
    results = [keys.take_key(key) for key in shared.altered_keys()]
    keys.expect_all_refused(results)
    expect.true("the address was left alone", [each.untouched("devPtr") for each in results], [True] * 3)


@covers("ipc_mem_import_by_key.after_close")
@pytest.mark.parametrize("freed", [False, True], ids=["closed", "closed-and-freed"])
def test_after_the_exporter_has_closed(keys, expect, freed):
    """A block whose exporter has closed it cannot be imported any more, while another one of it can."""
    exporter = keys.process()
    gone, kept = (exporter.memory.shared(seed=seed) for seed in (1, 2))
    exporter.memory.give_up(gone, free=freed)
    result = keys.take(gone)
    expect.refused(result.call)
    keys.expect_taken_here(kept)


@covers("ipc_mem_import_by_key.after_close")
def test_old_key_does_not_lead_to_new_blocks(keys, expect):
    """A key whose block was closed and freed leads to none of the blocks that are shared afterwards."""
    exporter = keys.process()
    gone = exporter.memory.shared(seed=1)
    exporter.memory.give_up(gone)
    new = [exporter.memory.shared(seed=seed) for seed in (2, 3)]
    result = keys.take(gone)
    expect.refused(result.call)
    keys.expect_all_readable([keys.take(shared) for shared in new], new)


@covers("ipc_mem_import_by_key.after_close")
def test_after_the_exporter_has_ended(keys, expect):
    """A block of a process that has ended cannot be imported any more."""
    exporter = keys.process()
    shared = exporter.memory.shared()
    exporter.leave()
    result = keys.take(shared)
    expect.refused(result.call)


@covers("ipc_mem_import_by_key.same_process")
@isolated("imports what the process itself has exported")
def test_own_key(keys, expect):
    """What importing a key of the same process gives is recorded; the block is unharmed."""
    shared = keys.shared(seed=1)
    keys.outcome_open()
    result = keys.take(shared)
    expect.observed(result.call, corrupted=[shared.block])


@covers("ipc_mem_import_by_key.repeat")
@isolated("no document covers a second import")
def test_import_again(keys, expect):
    """What a second import of a key gives is recorded; the first one still shows the block."""
    shared = keys.process().memory.shared(seed=1)
    first = keys.take(shared)
    keys.outcome_open()
    result = keys.take(shared)
    expect.observed(result.call)
    keys.expect_readable(first, shared.block.expected())
