"""What a device is and can do: figures, features, links, identity, atomic operations."""

from __future__ import annotations

import os
import re
from itertools import permutations

import pytest

from harness.binding import InOut
from harness.plugin import covers, isolated

ARCHITECTURES = {"950": 3510, "A3": 2201, "910b": 2201, "310b": 3002, "310p": 2002, "910": 1001}
LINKS = {0x01, 0x02, 0x08, 0x10, 0x20, 0x40}
"""Kinds of links that can be told: 0x04 is reserved."""

BUS_ID = re.compile(r"[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]")
BUS_ID_BYTES = 13
MADE_UP = "0000:3d:00.0"
DEFINED_BITS = (1 << 9) - 1
"""Capabilities of an atomic operation are bits 0 to 8."""


@pytest.fixture
def bus_id(acl):
    """The text of a device's bus id, or nothing where the device is not on a PCIe bus."""

    def ask(device):
        told = acl.call("aclrtDeviceGetPCIBusId", deviceId=device, len=BUS_ID_BYTES)
        return bytes(told.pciBusId).split(b"\0")[0].decode("ascii", "replace") if told.ok else ""

    return ask


@pytest.fixture
def bus_ids(bus_id, devices, expect):
    """The bus ids of all devices; blocked where one has none."""
    texts = [bus_id(device) for device in range(devices.count())]
    if not all(texts):
        expect.blocked("a device is on no PCIe bus")
    return texts


@pytest.fixture
def without_bus(bus_id, expect):
    """Device 0 is on no PCIe bus; blocked where it is."""
    if bus_id(0):
        expect.blocked("device 0 is on a PCIe bus")


@covers("get_device_info.core_counts")
@pytest.mark.parametrize(("least", "attr"), [(1, "AICORE"), (0, "AICPU")])
def test_cores(acl, expect, least, attr):
    """Cores are counted, and their number stays."""
    ask = {"deviceId": 0, "attr": f"ACL_DEV_ATTR_{attr}_CORE_NUM"}
    first = expect.success(acl.aclrtGetDeviceInfo(**ask)).value
    expect.true("there are as many as expected", first >= least)
    expect.true("the number read again", acl.aclrtGetDeviceInfo(**ask).value, first)


@covers("get_device_info.npu_arch")
def test_architecture(acl, expect, case):
    """The architecture is the product's."""
    result = expect.success(acl.aclrtGetDeviceInfo(deviceId=0, attr="ACL_DEV_ATTR_NPU_ARCH"))
    expect.true("the architecture", result.value, ARCHITECTURES[case.profile.product])


@covers("get_device_info.is_virtual")
def test_virtual(acl, expect):
    """A device is virtual or not."""
    result = expect.success(acl.aclrtGetDeviceInfo(deviceId=0, attr="ACL_DEV_ATTR_IS_VIRTUAL"))
    expect.true("0 or 1", result.value in (0, 1))


@covers("device_get_stream_priority_range.order")
def test_priorities(acl, expect):
    """The greatest priority is the smallest number."""
    result = expect.success(acl.aclrtDeviceGetStreamPriorityRange())
    expect.true("the greatest is not above the least", result.greatestPriority <= result.leastPriority)


@covers("device_get_stream_priority_range.no_context")
@isolated("before aclrtSetDevice")
def test_priorities_without_device(initialised_only, expect):
    """Priorities are told before any device is set."""
    expect.success(initialised_only.aclrtDeviceGetStreamPriorityRange())


@covers("get_device_capability.binary")
@pytest.mark.parametrize("feature", [1, 21])
def test_features(acl, expect, feature):
    """A feature is there or not."""
    result = expect.success(acl.aclrtGetDeviceCapability(deviceId=0, devFeatureType=feature))
    expect.true("0 or 1", result.value in (0, 1))


@covers("get_devices_topo.values")
def test_link(acl, expect, second_device):
    """The link of two devices is of a kind that exists."""
    result = expect.success(acl.aclrtGetDevicesTopo(deviceId=0, otherDeviceId=second_device))
    expect.true("a kind of link", result.value in LINKS)


@covers("get_devices_topo.pib_reserved")
def test_links(acl, devices, expect, second_device):
    """No two devices are linked in the reserved way."""
    pairs = permutations(range(devices.count()), 2)
    told = [acl.aclrtGetDevicesTopo(deviceId=one, otherDeviceId=other).value for one, other in pairs]
    expect.true("links of the reserved kind", told.count(0x04), 0)


@covers("get_devices_topo.rc_310b")
@isolated("a library without the function may do anything")
def test_no_links(acl, expect):
    """Where there are no links the question is refused."""
    expect.unsupported(acl.aclrtGetDevicesTopo(deviceId=0, otherDeviceId=0))


# Identity


@covers("device_get_uuid.unique")
def test_uuid(acl, expect, second_device):
    """A device has an identity of its own that stays."""
    told = [acl.aclrtDeviceGetUuid(deviceId=device) for device in (0, 0, second_device)]
    first, again, other = (expect.success(result).uuid for result in told)
    expect.true("the first device's, read again", again, first)
    expect.true("the other device's is another", other != first)


@covers("device_get_uuid.product")
@isolated("a library without the function may do anything")
def test_no_uuid(acl, expect):
    """Products without an identity refuse the question."""
    expect.unsupported(acl.aclrtDeviceGetUuid(deviceId=0))


@covers("device_get_pci_bus_id.format")
def test_bus_id(acl, expect):
    """The bus id has the form of PCIe, or the device is on no such bus."""
    result = acl.aclrtDeviceGetPCIBusId(deviceId=0, len=BUS_ID_BYTES)
    text = bytes(result.pciBusId).split(b"\0")[0].decode("ascii", "replace")
    expect.true("a bus id, or 207000", result.code == 207000 or (result.ok and bool(BUS_ID.fullmatch(text))))


@covers("device_get_pci_bus_id.non_pcie")
def test_no_bus(acl, without_bus, expect):
    """A device on no PCIe bus has no bus id."""
    expect.refused(acl.aclrtDeviceGetPCIBusId(deviceId=0, len=BUS_ID_BYTES))


@covers("device_get_by_pci_bus_id.non_pcie")
def test_nobody_on_a_bus(acl, without_bus, expect):
    """Where no device is on a PCIe bus none is found by its bus id."""
    expect.refused(acl.aclrtDeviceGetByPCIBusId(pciBusId=MADE_UP))


@covers("device_get_by_pci_bus_id.round_trip")
def test_found_by_bus_id(acl, bus_ids, expect):
    """Each device is found by its bus id."""
    found = [expect.success(acl.aclrtDeviceGetByPCIBusId(pciBusId=text)).deviceId for text in bus_ids]
    expect.true("devices found", found, list(range(len(bus_ids))))


@covers("device_get_by_pci_bus_id.unknown")
def test_unknown_bus_id(acl, expect):
    """A text that is no bus id finds nothing."""
    expect.refused(acl.aclrtDeviceGetByPCIBusId(pciBusId="zzzz:00:00.0"))


@covers("device_get_bare_tgid.pid")
def test_process(acl, expect):
    """Outside a container the process has the number it knows."""
    expect.true("the process", expect.success(acl.aclrtDeviceGetBareTgid()).pid, os.getpid())


# Atomic operations


@covers("device_get_host_atomic_capabilities.bitmask")
def test_atomics_of_the_host(acl, expect):
    """For each operation asked for a mask of defined bits is written, and nothing behind."""
    room = InOut([0xFFFFFFFF] * 3 + [0x5A5A5A5A])
    args = {"capabilities": room, "operations": [0, 5, 9], "count": 3, "deviceId": 0}
    result = expect.success(acl.aclrtDeviceGetHostAtomicCapabilities(**args))
    *masks, behind = result.capabilities
    expect.true("masks with undefined bits", [mask for mask in masks if mask & ~DEFINED_BITS], [])
    expect.true("the word behind", behind, 0x5A5A5A5A)


@covers("device_get_p2p_atomic_capabilities.bitmask")
def test_atomics_of_a_peer(acl, expect, second_device):
    """For two devices a mask of defined bits is written."""
    ends = {"srcDeviceId": 0, "dstDeviceId": second_device}
    result = expect.success(acl.aclrtDeviceGetP2PAtomicCapabilities(operations=[0], count=1, **ends))
    mask = result.capabilities[0] if isinstance(result.capabilities, list) else result.capabilities
    expect.true("undefined bits", mask & ~DEFINED_BITS, 0)
