"""aclrtIpcMemClose: the end of a key, on both sides."""

from __future__ import annotations

from harness.plugin import covers, isolated
from suites.memory.ipc.keys import D2H
from suites.memory.virtual.properties import GRANULE


@covers("ipc_mem_close.both_sides")
def test_importer_then_exporter(keys, acl):
    """The importer closes, then the exporter closes and frees: all with success, and the memory is back."""
    before = keys.free_memory()
    shared, other = keys.shared(8 * GRANULE), keys.process()
    other.memory.imported(shared)
    results = [other.shut(shared), keys.close(shared.key), acl.aclrtFree(devPtr=shared.block.ptr)]
    keys.expect_succeeded(results)
    keys.expect_missing(before, 0)


@covers("ipc_mem_close.both_sides")
def test_close_of_an_importer(keys, expect):
    """A close of one importer ends its own import: the exporter and another importer go on sharing."""
    exporter, other = keys.processes(2)
    shared = exporter.memory.shared(seed=1)
    keys.take(shared)
    result = keys.close(shared.key)
    expect.success(result)
    keys.expect_same_memory(other.take(shared), shared)


@covers("ipc_mem_close.exporter_first")
@isolated("closes what another process still uses")
def test_exporter_first(keys, expect):
    """What closing before the importer does gives is recorded, and what the importer then reads; the block
    is unharmed.
    """
    shared, other = keys.shared(seed=1), keys.process()
    seen = other.memory.imported(shared)
    keys.outcome_open()
    result = keys.close(shared.key)
    expect.observed(result, corrupted=[shared.block])
    expect.observed(keys.told_content(seen, shared), corrupted=[shared.block])


@covers("ipc_mem_close.exporter_first")
@isolated("uses memory of a process that has ended")
def test_exporter_has_ended(keys, expect):
    """What memory of a process that was killed shows is recorded; memory of this process is unharmed."""
    own, exporter = keys.block(seed=2), keys.process()
    shared = exporter.memory.shared(seed=1)
    seen = keys.take(shared).there
    keys.outcome_open()
    exporter.kill()
    result = keys.told_content(seen, shared)
    expect.observed(result, corrupted=[own])


@covers("ipc_mem_close.unknown_key")
def test_arbitrary_key(keys, expect):
    """A text of 64 characters that is no key is refused, and an open key stays open."""
    shared = keys.shared(seed=1)
    result = keys.close("k" * 64)
    expect.refused(result, unchanged=[shared.block])
    keys.expect_taken_by(shared, [keys.process()])


@covers("ipc_mem_close.unknown_key")
def test_altered_key(keys, expect):
    """A key with one other character, wherever in it, is refused, and the key itself stays open."""
    shared = keys.shared(seed=1)
    results = [keys.close(key) for key in shared.altered_keys()]
    keys.expect_all_refused(results)
    expect.unchanged(shared.block)
    keys.expect_taken_by(shared, [keys.process()])


@covers("ipc_mem_close.twice")
@isolated("closes a key twice")
def test_twice(keys, expect):
    """What a second close gives is recorded; the block is unharmed."""
    shared = keys.shared(seed=1)
    keys.close(shared.key)
    keys.outcome_open()
    result = keys.close(shared.key)
    expect.observed(result, corrupted=[shared.block])


@covers("ipc_mem_close.address_dead")
@isolated("uses an address after its close")
def test_address_after_close(acl, keys, memory, expect):
    """What a copy from a closed import gives is recorded; the exporter's block is unharmed."""
    shared, room = keys.process().memory.shared(seed=1), memory.host(4096)
    seen = keys.take(shared).there
    keys.close(shared.key)
    result = acl.aclrtMemcpy(dst=room, destMax=4096, src=seen.ptr, count=4096, kind=D2H)
    expect.observed(result, corrupted=[shared.block])


@covers("ipc_mem_close.attr_only_key", uses=["aclrtIpcMemSetAttr"])
def test_key_with_an_attribute_only(acl, keys, expect):
    """What closing a key that only had its link chosen gives is recorded; the block is unharmed."""
    shared = keys.shared(seed=1)
    acl.aclrtIpcMemSetAttr(key=shared.key, type="ACL_RT_IPC_MEM_ATTR_ACCESS_LINK", attr=0)
    keys.outcome_open()
    result = keys.close(shared.key)
    expect.observed(result, corrupted=[shared.block])
