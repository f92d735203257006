"""Copies between two devices: synchronous and on a stream, with and without peer access."""

from __future__ import annotations

from harness.plugin import covers, covers_each
from suites.memory.copy.kinds import D2D, DEFAULT
from suites.memory.copy.layout import ALIGNED, COUNTS, LARGE_COUNTS, MIB

SYNC = "aclrtMemcpy"
ASYNC = ("aclrtMemcpyAsync", "aclrtMemcpyAsyncWithCondition")
P2P = "ACL_MEM_MALLOC_HUGE_FIRST_P2P"


@covers("memcpy.cross_device_with_peer")
def test_to_the_peer(copies, peer):
    """With access enabled, a copy from device 0 to device 1 moves exactly count bytes."""
    trial = copies.to_peer(peer)
    peer.open()
    copies.run(SYNC, trial, D2D)
    copies.expect_moved_alone(trial)


@covers("memcpy.cross_device_with_peer")
def test_from_the_peer(copies, peer):
    """With access enabled, a copy from device 1 to device 0 moves exactly count bytes."""
    trial = copies.from_peer(peer)
    peer.open()
    copies.run(SYNC, trial, D2D)
    copies.expect_moved_alone(trial)


@covers("memcpy.cross_device_with_peer")
def test_with_the_peer_current(copies, peer):
    """With access enabled, device 1 being current changes nothing about where the bytes go."""
    trial = copies.to_peer(peer)
    peer.open()
    with peer.current():
        copies.run(SYNC, trial, D2D)
    copies.expect_moved_alone(trial)


@covers("memcpy.cross_device_with_peer")
def test_large(copies, peer):
    """With access enabled, counts above the page sizes arrive whole."""
    trial = copies.to_peer(peer, counts=LARGE_COUNTS)
    peer.open()
    copies.run(SYNC, trial, DEFAULT)
    copies.expect_moved(trial)


@covers("memcpy.cross_device_p2p_policy")
def test_p2p_policy(copies, peer):
    """Blocks from a P2P policy on two devices are copied both ways, with access enabled."""
    trials = [copies.to_peer(peer, policy=P2P), copies.from_peer(peer, policy=P2P)]
    peer.open()
    copies.run(SYNC, trials, D2D)
    copies.expect_moved_alone(trials)


@covers("memcpy.cross_device_without_peer")
def test_without_access(copies, peer):
    """Without access enabled a copy between two devices is refused, and nothing is copied."""
    trials = [copies.to_peer(peer), copies.from_peer(peer)]
    copies.run(SYNC, trials, D2D)
    copies.expect_refused(trials)


@covers("memcpy.cross_device_without_peer", uses=["aclrtDeviceDisablePeerAccess"])
def test_after_access_was_disabled(copies, peer):
    """Once access is disabled again a copy between two devices is refused, and nothing is copied."""
    trials = [copies.to_peer(peer), copies.from_peer(peer)]
    peer.open()
    peer.close()
    copies.run(SYNC, trials, D2D)
    copies.expect_refused(trials)


@covers_each("cross_device", *ASYNC)
def test_async(api, copies, stream, peer):
    """With access enabled, copies both ways on a stream are complete when it is synchronised."""
    counts = (*COUNTS, MIB + 1)
    trials = [copies.to_peer(peer, counts, ALIGNED), copies.from_peer(peer, counts, ALIGNED)]
    peer.open()
    copies.run(api, trials, D2D, stream=stream)
    copies.expect_moved_alone(trials)


@covers_each("cross_device", *ASYNC)
def test_async_with_the_peer_current(api, copies, peer):
    """With access enabled, copies both ways on a stream of the second device arrive."""
    trials = [copies.to_peer(peer, skews=ALIGNED), copies.from_peer(peer, skews=ALIGNED)]
    peer.open()
    with peer.stream() as stream:
        copies.run(api, trials, D2D, stream=stream)
    copies.expect_moved_alone(trials)


@covers_each("cross_device", *ASYNC)
def test_async_in_order(api, copies, stream, peer):
    """Bytes that go to the peer and come back on one stream, both queued at once, arrive."""
    there, back = copies.through_peer(peer)
    peer.open()
    copies.run(api, [there, back], D2D, stream=stream)
    copies.expect_moved([there, back])


@covers_each("same_and_cross_device_kind", *ASYNC)
def test_same_and_cross_device_kind(api, copies, stream, peer):
    """One kind, DEVICE_TO_DEVICE, covers a pair on one device and a pair on two devices."""
    trials = [copies.between("device", "device", skews=ALIGNED), copies.to_peer(peer, skews=ALIGNED)]
    peer.open()
    copies.run(api, trials, D2D, stream=stream)
    copies.expect_moved_alone(trials)
