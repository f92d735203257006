"""aclrtSetDevice, aclrtGetDevice: which device a thread works on."""

from __future__ import annotations

from harness.plugin import covers, isolated, surfaces
from suites.runtime.init.programs import run_program


@covers("set_device.valid", uses=["aclrtGetDevice"])
@isolated("before aclrtSetDevice")
def test_every_device(initialised_only, devices, expect):
    """Every device can be set, and is told."""
    expect.true("devices told", devices.set_each(), list(range(devices.count())))


@covers("set_device.invalid_id", uses=["aclrtGetDevice"])
@isolated("before aclrtSetDevice")
def test_refused_device(initialised_only, devices, expect):
    """A device that does not exist is refused, and the thread has none."""
    expect.refused(initialised_only.aclrtSetDevice(deviceId=devices.count()))
    expect.true("the device of the thread", devices.current(), None)


@covers("set_device.invalid_id", uses=["aclrtGetDevice"])
@isolated("sets a device that is not there")
def test_refused_after_another(acl, devices, expect):
    """Which device a thread has after one that does not exist was refused."""
    expect.refused(acl.aclrtSetDevice(deviceId=devices.count()))
    expect.observed(f"the thread's device is {devices.current()}")


@covers("set_device.thread_local", uses=["aclrtGetDevice"])
def test_threads(devices, expect, second_device):
    """Two threads have a device each."""
    expect.true("devices of the threads", devices.told_in_two_threads(second_device), (0, second_device))


@covers("set_device.default_context", uses=["aclrtGetCurrentContext", "aclrtCtxGetCurrentDefaultStream"])
@isolated("before aclrtSetDevice")
def test_default_context(initialised_only, expect):
    """With a device come a context and a stream."""
    expect.success(initialised_only.aclrtSetDevice(deviceId=0))
    context = expect.success(initialised_only.aclrtGetCurrentContext()).context
    stream = expect.success(initialised_only.aclrtCtxGetCurrentDefaultStream()).stream
    expect.true("neither is null", 0 not in (context, stream))


@covers("set_device.shared_default_context", uses=["aclrtGetCurrentContext"])
def test_shared_context(acl, devices, expect):
    """Threads with the same device share its context."""
    there = devices.elsewhere_with(0, devices.context)
    expect.true("the context in another thread", there, devices.context())


@covers("set_device.replaces_current_context", uses=["aclrtGetCurrentContext"])
def test_replaces_context(acl, devices, expect, afterwards):
    """Setting a device leaves the context that was current for the default one."""
    home = devices.context()
    made = expect.success(acl.call("aclrtCreateContext", deviceId=0)).context
    afterwards("aclrtDestroyContext", context=made)
    expect.success(acl.aclrtSetDevice(deviceId=0))
    afterwards("aclrtResetDevice", deviceId=0)
    expect.true("the context", devices.context(), home)


@covers("set_device.refcount", uses=["aclrtResetDevice"])
@isolated("resets the device")
def test_count(initialised_only, devices, expect):
    """A device that was set three times, once in another thread, is there until it was reset three times."""
    devices.elsewhere(devices.set)
    expect.true("set three times, reset twice", devices.turns("set set reset reset"), [True] * 4)
    expect.true("the device works", devices.works())
    expect.true("reset a third and a fourth time", devices.turns("reset reset"), [True, False])


@covers("set_device.refcount", uses=["aclrtResetDevice"])
@isolated("resets the device")
def test_count_of_each(initialised_only, devices, expect, second_device):
    """Each device has a count of its own."""
    expect.true("the first device set twice", devices.turns("set set"), [True, True])
    expect.true("the second one", devices.turns("set reset reset", second_device), [True, True, False])
    expect.true("the first one reset", devices.turns("set reset reset reset reset"), [True] * 4 + [False])


@covers("set_device.same_device_again", uses=["aclrtGetDevice"])
@isolated("before aclrtSetDevice")
def test_again(initialised_only, devices, expect):
    """The device that is current can be set again."""
    expect.success(initialised_only.aclrtSetDevice(deviceId=0))
    expect.success(initialised_only.aclrtSetDevice(deviceId=0))
    expect.true("the device", devices.current(), 0)


@covers("set_device.released_at_exit")
@surfaces("c")
def test_exit(case, expect):
    """A program that ends with a device and a stream ends well, and the next one has the device."""
    expect.true("how the first has ended", run_program(case, "leave").how, "ended with status 0")
    expect.true("how the second has ended", run_program(case, "exit").how, "ended with status 0")


@covers("set_device.no_default_context_ipv350")
@isolated("a null stream may be anything")
def test_ipv350(acl, expect):
    """What a null stream is where there are no default streams."""
    expect.observed(acl.aclrtSynchronizeStream(stream=None))


@covers("get_device.no_device")
@isolated("before aclrtSetDevice")
def test_no_device(initialised_only, expect):
    """Before a device is set none is told."""
    expect.refused(initialised_only.aclrtGetDevice())


@covers("get_device.new_thread")
def test_new_thread(acl, devices, expect):
    """A new thread has no device."""
    expect.refused(devices.elsewhere(acl.aclrtGetDevice))


@covers("get_device.follows_context", uses=["aclrtCreateContext", "aclrtSetCurrentContext"])
def test_context(acl, devices, expect, afterwards, second_device):
    """The device is that of the current context."""
    home = devices.context()
    there = expect.success(acl.aclrtCreateContext(deviceId=second_device)).context
    afterwards("aclrtSetCurrentContext", context=home)
    afterwards("aclrtDestroyContext", context=there)
    expect.true("the device of the context that was made", devices.current(), second_device)
    expect.success(acl.aclrtSetCurrentContext(context=home))
    expect.success(acl.aclrtSetCurrentContext(context=there))
    expect.true("the device", devices.current(), second_device)
