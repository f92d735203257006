"""Access between two devices: whether there can be any, opening, closing and asking."""

from __future__ import annotations

import pytest

from harness.plugin import covers, isolated
from suites.memory.copy.peers import Peer
from suites.threads import elsewhere

STATUS = "aclrtDevicePeerAccessStatus"
ENABLE = "aclrtDeviceEnablePeerAccess"
DISABLE = "aclrtDeviceDisablePeerAccess"


@pytest.fixture
def peer(case, second_device):
    """The second device, set in this thread but not current."""
    with Peer(case, second_device) as made:
        yield made


@pytest.fixture
def status(acl):
    """Whether access is open from one device to another; None where that is not told."""
    return lambda device, other: acl.call(STATUS, deviceId=device, peerDeviceId=other).outputs.get("status")


@covers("device_can_access_peer.result_binary")
def test_answer(acl, expect, second_device):
    """Whether two devices can reach each other is answered with 0 or 1, both ways round."""
    one = expect.success(acl.aclrtDeviceCanAccessPeer(deviceId=0, peerDeviceId=second_device))
    other = expect.success(acl.aclrtDeviceCanAccessPeer(deviceId=second_device, peerDeviceId=0))
    expect.true("answers beside 0 and 1", {one.canAccessPeer, other.canAccessPeer} - {0, 1}, set())


@covers("device_can_access_peer.product_310b")
@isolated("a library without the function may do anything")
def test_product(acl, expect):
    """Products without access refuse the question."""
    expect.unsupported(acl.aclrtDeviceCanAccessPeer(deviceId=0, peerDeviceId=1))


@covers("device_can_access_peer.ccpu_310p")
def test_control_cpu(acl, expect, second_device):
    """On a control CPU no other device can be reached."""
    result = acl.aclrtDeviceCanAccessPeer(deviceId=0, peerDeviceId=second_device)
    expect.observed(result)
    expect.true("access is possible", bool(result.ok and result.canAccessPeer == 1), False)


@covers("device_enable_peer_access.no_current_device")
@isolated("before aclrtSetDevice")
def test_no_device(initialised_only, expect, second_device):
    """Without a device no access can be opened."""
    expect.refused(initialised_only.aclrtDeviceEnablePeerAccess(peerDeviceId=second_device, flags=0))


@covers("device_enable_peer_access.one_way", uses=[STATUS])
def test_both_ways(acl, peer, status, expect, afterwards):
    """Access is opened one way at a time."""
    expect.success(acl.aclrtDeviceEnablePeerAccess(peerDeviceId=peer.device, flags=0))
    afterwards("aclrtDeviceDisablePeerAccess", peerDeviceId=peer.device)
    expect.true("status to the peer and back", (status(0, peer.device), status(peer.device, 0)), (1, 0))
    expect.true("opening the other way", peer.call(ENABLE, peerDeviceId=0, flags=0).code, 0)
    both = status(0, peer.device), status(peer.device, 0)
    peer.call("aclrtDeviceDisablePeerAccess", peerDeviceId=0)
    expect.true("status to the peer and back when both are open", both, (1, 1))


@covers("device_disable_peer_access.undo", uses=[ENABLE, STATUS])
def test_close(acl, peer, status, expect):
    """Access that is closed, by whichever thread, is no longer there."""
    expect.true("opening", acl.call(ENABLE, peerDeviceId=peer.device, flags=0).code, 0)
    expect.success(elsewhere(acl, lambda: acl.aclrtDeviceDisablePeerAccess(peerDeviceId=peer.device)))
    expect.true("status", status(0, peer.device), 0)


@covers("device_disable_peer_access.undo", "device_enable_peer_access.one_way", uses=[ENABLE, STATUS])
def test_close_one_way(acl, peer, status, expect):
    """Access that is closed one way stays open the other way, until that is closed."""
    peer.open()
    expect.success(acl.aclrtDeviceDisablePeerAccess(peerDeviceId=peer.device))
    expect.true("status to the peer and back", (status(0, peer.device), status(peer.device, 0)), (0, 1))
    expect.true("closing the other way", peer.call(DISABLE, peerDeviceId=0).code, 0)
    expect.true("status to the peer and back", (status(0, peer.device), status(peer.device, 0)), (0, 0))


@covers("device_peer_access_status.values", uses=[ENABLE])
def test_status(acl, peer, status, expect, afterwards):
    """Access reads 0 while it is closed and 1 while it is open."""
    expect.true("status before", status(0, peer.device), 0)
    expect.true("opening", acl.call(ENABLE, peerDeviceId=peer.device, flags=0).code, 0)
    afterwards("aclrtDeviceDisablePeerAccess", peerDeviceId=peer.device)
    expect.true("status afterwards", status(0, peer.device), 1)


@covers("device_peer_access_status.out_of_range")
@pytest.mark.parametrize("reverse", [False, True], ids=["second", "first"])
def test_status_of_nobody(acl, devices, expect, reverse):
    """A device that does not exist has no access: 0 is told, or the question is refused with the one code."""
    ids = sorted((0, devices.count()), reverse=reverse)
    result = acl.aclrtDevicePeerAccessStatus(deviceId=ids[0], peerDeviceId=ids[1])
    told = (result.code, result.status if result.ok else None)
    expect.true("0 with status 0, or 107000", told in ((0, 0), (107000, None)))
