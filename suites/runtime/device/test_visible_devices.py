"""ASCEND_RT_VISIBLE_DEVICES, and the numbers a device has: the process's and the machine's."""

from __future__ import annotations

import pytest

from harness.plugin import covers, covers_each, isolated

COUNT = "aclrtGetDeviceCount"
TO_MACHINE = ("aclrtGetLogicDevIdByUserDevId", "aclrtGetPhyDevIdByUserDevId", "aclrtGetPhyDevIdByLogicDevId")
TO_PROCESS = ("aclrtGetUserDevIdByLogicDevId", "aclrtGetUserDevIdByPhyDevId", "aclrtGetLogicDevIdByPhyDevId")


@covers("set_device.visible_devices_count", uses=[COUNT, "aclInit"])
@isolated("before aclInit, with a list of visible devices")
def test_one_visible(visible, initialised_later, numbers, expect):
    """A process that sees the second device only has one device, with the number 0."""
    visible.hide_first()
    acl = initialised_later()
    expect.true("devices", acl.aclrtGetDeviceCount().count, 1)
    expect.success(acl.aclrtSetDevice(deviceId=0))
    expect.true("device 1 is refused", not acl.aclrtSetDevice(deviceId=1).ok)


@covers("set_device.visible_devices_parse", uses=[COUNT, "aclInit"])
@isolated("before aclInit, with a list of visible devices")
@pytest.mark.parametrize("rest", [", {1}", ",99", ",x", ";{1}"])
def test_list_ends(visible, initialised_later, expect, rest):
    """A list ends at the first thing that is no number of a device."""
    first, second = visible.two()
    visible.list(first + rest.replace("{1}", second))
    expect.true("devices", initialised_later().aclrtGetDeviceCount().count, 1)


@covers("set_device.visible_devices_ascending", uses=[COUNT, "aclInit"])
@isolated("before aclInit, with a list of visible devices")
def test_descending(visible, initialised_later, expect):
    """What comes of a list whose numbers descend."""
    visible.list(",".join(reversed(visible.two())))
    acl = initialised_later()
    expect.observed(acl.aclrtGetDeviceCount())
    expect.observed(acl.aclrtSetDevice(deviceId=0))


@covers_each("identity", *TO_MACHINE, *TO_PROCESS)
@covers_each("no_container", *TO_MACHINE, *TO_PROCESS)
def test_identity(api, numbers, expect):
    """Where the process sees every device its numbers are the machine's."""
    wanted = numbers.without_list()
    expect.true("numbers told", numbers.told(api, wanted), wanted)


@covers_each("visible_list", *TO_MACHINE)
@covers_each("actually_user", "aclrtGetPhyDevIdByLogicDevId")
@isolated("before aclInit, with a list of visible devices")
def test_to_machine(api, visible, initialised_later, numbers, expect):
    """A number of the process stands for the device at that place of the list."""
    second = visible.hide_first()
    initialised_later()
    expect.true("the machine's number of device 0", numbers.told(api, [0]), [second])


@covers("set_device.visible_devices_count", uses=["aclInit", TO_MACHINE[0]])
@isolated("before aclInit, with a list of visible devices")
def test_reverse_list(visible, initialised_later, numbers, expect):
    """A process that sees two devices in reverse order numbers them in that order."""
    machine = visible.swap()
    initialised_later()
    expect.true("the machine's numbers of both devices", numbers.told(TO_MACHINE[0], [0, 1]), machine)


@covers_each("visible_list", *TO_MACHINE)
@isolated("before aclInit, with a list of visible devices")
def test_order_of_the_list(api, visible, initialised_later, numbers, expect):
    """Devices have the numbers of their places in the list, not in the machine."""
    machine = visible.swap()
    initialised_later()
    expect.true("the machine's numbers of both devices", numbers.told(api, [0, 1]), machine)


@covers_each("visible_list", *TO_PROCESS)
@isolated("before aclInit, with a list of visible devices")
def test_places_in_the_list(api, visible, initialised_later, numbers, expect):
    """Numbers of the machine are told as their places in a list that is not in the machine's order."""
    machine = visible.swap()
    initialised_later()
    expect.true("the process's numbers", numbers.told(api, machine), [0, 1])


@covers_each("visible_list", *TO_PROCESS)
@covers_each("actually_user", "aclrtGetLogicDevIdByPhyDevId")
@isolated("before aclInit, with a list of visible devices")
def test_to_process(api, visible, initialised_later, numbers, expect):
    """A number of the machine is told as its place in the list."""
    second = visible.hide_first()
    initialised_later()
    expect.true("the process's number", numbers.told(api, [second]), [0])


@covers("get_user_dev_id_by_logic_dev_id.visible_list")
@isolated("before aclInit, with a list of visible devices")
def test_hidden(visible, initialised_later, expect):
    """What is told about a device that the process does not see."""
    first = int(visible.two()[0])
    visible.hide_first()
    expect.observed(initialised_later().aclrtGetUserDevIdByLogicDevId(logicDevId=first))


@covers("get_user_dev_id_by_phy_dev_id.round_trip", uses=["aclrtGetPhyDevIdByUserDevId"])
def test_round_trip(numbers, expect):
    """A number of the process that becomes one of the machine becomes itself again."""
    expect.true("numbers after a round trip", numbers.round_trips(), numbers.all())


@covers("get_user_dev_id_by_phy_dev_id.round_trip", uses=["aclrtGetPhyDevIdByUserDevId"])
@isolated("before aclInit, with a list of visible devices")
def test_round_trip_of_visible(visible, initialised_later, numbers, expect):
    """The round trip ends where it began in a process that does not see every device, too."""
    visible.hide_first()
    initialised_later()
    expect.true("numbers after a round trip", numbers.round_trips(), numbers.all())
