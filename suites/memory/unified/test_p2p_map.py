"""aclrtMemP2PMap: a block of the current device mapped for another one."""

from __future__ import annotations

from harness.plugin import covers, pattern
from suites.memory.virtual.properties import MIB


@covers("mem_p2p_map.ok")
def test_map(acl, prefetches, memory, peer):
    """With access enabled a block is mapped for the second device, and a stream there copies it."""
    peer.open()
    block = memory.device(MIB).write(pattern(MIB, 1))
    result = acl.aclrtMemP2PMap(devPtr=block, size=MIB, dstDevId=peer.device, flags=0)
    prefetches.expect_mapped_for(peer, result, block)


@covers("mem_p2p_map.peer_first")
def test_without_access(acl, memory, peer, expect):
    """What mapping without access between the devices gives is recorded; the block is unharmed."""
    block = memory.device(MIB).write(pattern(MIB, 1))
    result = acl.aclrtMemP2PMap(devPtr=block, size=MIB, dstDevId=peer.device, flags=0)
    expect.observed(result, corrupted=[block])
