"""aclrtResetDevice: counts, waits, and leaves nothing."""

from __future__ import annotations

from harness.plugin import covers, isolated

pytestmark = isolated("resets the device")


@covers("reset_device.without_set")
def test_without_set(initialised_only, expect):
    """A device that was never set cannot be reset."""
    expect.refused(initialised_only.aclrtResetDevice(deviceId=0))


@covers("reset_device.invalid_id")
def test_other_device(acl, devices, expect):
    """A device that does not exist is refused, and the one that is set works."""
    expect.refused(acl.aclrtResetDevice(deviceId=devices.count()))
    expect.true("the device works", devices.works())


@covers("reset_device.refcount", uses=["aclrtSetDevice"])
def test_count(initialised_only, devices, expect):
    """A device that was set twice is there after one reset, and gone after two."""
    expect.true("set twice, reset once", devices.turns("set set reset"), [True] * 3)
    expect.true("the device works", devices.works())
    expect.true("reset a second and a third time", devices.turns("reset reset"), [True, False])


@covers("reset_device.too_many", uses=["aclrtSetDevice", "aclrtResetDeviceForce"])
def test_too_many(initialised_only, devices, expect):
    """Once a device is gone neither kind of reset finds it."""
    expect.true("as many resets as sets", devices.turns("set set reset reset"), [True] * 4)
    expect.true("further resets", devices.turns("reset force"), [False, False])


@covers("reset_device.waits_for_default_context", uses=["aclrtSetDevice"])
def test_waits(initialised_only, devices, expect):
    """Work of the default stream and of another one of its context is done when the reset returns."""
    devices.set()
    done = devices.queue_on_streams([None, devices.make_stream()], 0.2)
    expect.success(initialised_only.aclrtResetDevice(deviceId=0))
    expect.true("the work is done", [one.is_set() for one in done], [True, True])


@covers("reset_device.releases_streams", uses=["aclrtSetDevice"])
def test_streams(initialised_only, devices, expect, case):
    """Streams that nobody has destroyed are given back to the device."""
    case.needs("aclrtGetStreamAvailableNum", "aclrtCreateStream")
    devices.set()
    before = devices.streams_left()
    devices.make_streams(3)
    expect.success(initialised_only.aclrtResetDevice(deviceId=0))
    devices.set()
    expect.true("streams left", devices.streams_left(), before)


@covers("reset_device.current_device_gone", uses=["aclrtSetDevice", "aclrtGetDevice"])
def test_no_device(initialised_only, devices, expect):
    """After the reset the thread has no device."""
    devices.set()
    expect.success(initialised_only.aclrtResetDevice(deviceId=0))
    expect.true("the device", devices.current(), None)


@covers("reset_device.set_again", uses=["aclrtSetDevice"])
def test_set_again(initialised_only, devices, expect):
    """A device that was reset can be set again and works."""
    expect.true("set, reset and set", devices.turns("set reset set"), [True] * 3)
    expect.true("the device works", devices.works())
    expect.success(initialised_only.aclrtResetDevice(deviceId=0))


@covers("reset_device.order_explicit_objects", uses=["aclrtSetDevice"])
def test_objects_left(initialised_only, devices, expect):
    """What comes of a reset while a context and a stream are left."""
    devices.set()
    expect.success(initialised_only.call("aclrtCreateContext", deviceId=0))
    devices.make_streams(1)
    expect.observed(initialised_only.aclrtResetDevice(deviceId=0))
