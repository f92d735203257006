"""aclrtResetDeviceForce: once, whatever the count; and together with the plain reset."""

from __future__ import annotations

import pytest

from harness.plugin import covers, isolated

pytestmark = isolated("resets the device")
PAIR = ["aclrtSetDevice", "aclrtResetDevice"]


@covers("reset_device_force.ignores_count", uses=PAIR)
def test_count(initialised_only, devices, expect):
    """One forced reset releases a device that was set three times."""
    devices.set(times=3)
    expect.success(initialised_only.aclrtResetDeviceForce(deviceId=0))
    expect.true("a plain reset finds nothing", devices.turns("reset"), [False])


@covers("reset_device_force.paired", uses=PAIR)
def test_pairs(initialised_only, devices, expect):
    """Setting and forced resetting can be repeated."""
    expect.true("every call", devices.turns("set force set force"), [True] * 4)


@covers("reset_device_force.paired", uses=[*PAIR, "aclrtSynchronizeDevice"])
def test_after_failure(initialised_only, failing_task, devices, expect, case):
    """A device whose task has failed is as good as new after a forced reset."""
    case.needs("aclrtSynchronizeDevice", "aclrtMemsetAsync")
    devices.set()
    failing_task(devices.make_stream()).forget()
    expect.true("the failure is told", not initialised_only.aclrtSynchronizeDevice().ok)
    expect.success(initialised_only.aclrtResetDeviceForce(deviceId=0))
    devices.set()
    expect.success(initialised_only.aclrtSynchronizeDevice())


@covers("reset_device_force.repeat", uses=PAIR)
def test_repeat(initialised_only, devices, expect):
    """A second forced reset is an error."""
    devices.set()
    expect.success(initialised_only.aclrtResetDeviceForce(deviceId=0))
    expect.refused(initialised_only.aclrtResetDeviceForce(deviceId=0))


@covers("reset_device_force.two_threads", uses=PAIR)
def test_threads(initialised_only, devices, expect):
    """Of two threads with a device the first forced reset takes it away from both."""
    expect.true("resets of the threads", devices.forced_in_two_threads(), (True, False))


@covers("reset_device_force.then_plain_reset", uses=PAIR)
def test_then_plain(initialised_only, devices, expect):
    """After a forced reset a plain one is an error, however often the device was set."""
    expect.true("every call", devices.turns("set set force reset"), [True, True, True, False])


@covers("reset_device_force.mixed_allowed_pairs", uses=PAIR)
@pytest.mark.parametrize("steps", ["set reset set force", "set set reset force"])
def test_mixed(initialised_only, devices, expect, steps):
    """Both kinds of reset can be used when the forced one comes last."""
    expect.true("every call", devices.turns(steps), [True] * 4)


@covers("reset_device_force.mixed_extra_force", uses=PAIR)
def test_mixed_too_many(initialised_only, devices, expect):
    """A second forced reset is an error after a plain one too."""
    expect.true("every call", devices.turns("set set reset force force"), [True] * 4 + [False])


@covers("reset_device_force.without_set")
def test_without_set(initialised_only, expect):
    """A device that was never set cannot be reset by force."""
    expect.refused(initialised_only.aclrtResetDeviceForce(deviceId=0))


@covers("reset_device_force.waits_for_default_context", uses=PAIR)
def test_waits(initialised_only, devices, expect):
    """Work of the default stream and of another one of its context is done when the forced reset returns."""
    devices.set()
    done = devices.queue_on_streams([None, devices.make_stream()], 0.2)
    expect.success(initialised_only.aclrtResetDeviceForce(deviceId=0))
    expect.true("the work is done", [one.is_set() for one in done], [True, True])


@covers("reset_device_force.last_error_untouched", uses=["aclrtGetLastError", "aclrtPeekAtLastError"])
def test_last_error(initialised_only, expect):
    """A forced reset that fails leaves no error of the thread."""
    initialised_only.aclrtGetLastError(level="ACL_RT_THREAD_LEVEL")
    expect.true("the reset fails", not initialised_only.aclrtResetDeviceForce(deviceId=0).ok)
    expect.true("the error", initialised_only.aclrtPeekAtLastError(level="ACL_RT_THREAD_LEVEL").code, 0)
