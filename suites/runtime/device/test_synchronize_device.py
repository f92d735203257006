"""aclrtSynchronizeDevice, with and without a time limit: everything the context has been given is done."""

from __future__ import annotations

import pytest

from harness.plugin import covers, deadline, isolated
from suites.runtime.device.devices import timed

WITHIN = "aclrtSynchronizeDeviceWithTimeout"


@covers("synchronize_device.waits_current_context")
def test_streams(acl, case, devices, expect, stream, other_stream):
    """Work of all streams is done at return."""
    streams = [stream, other_stream, *(case.resources.stream() for _ in range(4))]
    done = devices.queue_on_streams(streams, 0.2)
    expect.success(acl.aclrtSynchronizeDevice())
    expect.true("work is done", [one.is_set() for one in done], [True] * 6)


@covers("synchronize_device.waits_current_context")
def test_default_stream(devices, expect):
    """Work of the default stream is done at return."""
    result, done = devices.synchronized()
    expect.success(result)
    expect.true("the work is done", done)


@covers("synchronize_device.waits_current_context", uses=["aclrtCreateContext"])
def test_current_context(devices, desk, expect):
    """In a context that was made its work is done at return."""
    with desk.other_context():
        result, done = devices.synchronized()
    expect.success(result)
    expect.true("the work is done", done)


@covers("synchronize_device.waits_current_context")
def test_second_device(devices, desk, expect, second_device):
    """With a second device current its work is done at return."""
    with desk.second(second_device):
        result, done = devices.synchronized()
    expect.success(result)
    expect.true("the work is done", done)


@covers("synchronize_device.other_context_not_waited")
def test_other_context(acl, devices, expect):
    """Whether work of another context is waited for."""
    done = devices.queue_in_another_context(0.3)
    result, seconds = timed(acl.aclrtSynchronizeDevice)
    expect.observed(result)
    expect.observed(f"the work is {'done' if done.is_set() else 'not done'} after {seconds:.2f} s")


@covers("synchronize_device.reports_async_error")
@isolated("a task fails")
def test_failed_task(acl, failing_task, stream, expect):
    """The failure of a task is told by the call that waits for it."""
    failing_task(stream)
    expect.refused(acl.aclrtSynchronizeDevice())


@covers("synchronize_device.no_device")
def test_no_device(acl, devices, expect):
    """A thread without a device has nothing to wait for."""
    expect.refused(devices.elsewhere(acl.aclrtSynchronizeDevice))


@covers("synchronize_device.idle")
def test_idle(acl, expect):
    """With nothing to do the call returns at once."""
    result, seconds = timed(acl.aclrtSynchronizeDevice)
    expect.success(result)
    expect.within("time in seconds", seconds, 0, 1)


@covers("synchronize_device.skips_special_streams")
@isolated("a library may wait forever")
@deadline(10)
def test_persistent_stream(acl, persistent_stream, memory, expect, case):
    """A stream whose tasks only run with a model is not waited for."""
    block = memory.device(64)
    fill = {"devPtr": block.ptr, "maxCount": 64, "value": 0xEE, "count": 64}
    case.engine.c.call("aclrtMemsetAsync", **fill, stream=persistent_stream)
    result, seconds = timed(acl.aclrtSynchronizeDevice)
    expect.success(result)
    expect.within("time in seconds", seconds, 0, 5)


@covers("synchronize_device_with_timeout.minus_one")
def test_no_limit(acl, devices, expect, stream):
    """-1 waits as long as it takes, for the default stream too."""
    done = devices.queue_on_streams([stream, None], 0.2)
    expect.success(acl.aclrtSynchronizeDeviceWithTimeout(timeout=-1))
    expect.true("the work is done", [one.is_set() for one in done], [True, True])


@covers("synchronize_device_with_timeout.expiry")
def test_time_is_over(acl, devices, expect, stream):
    """When the time in milliseconds is over that is told."""
    devices.queue_sleep(2, stream)
    result, seconds = timed(lambda: acl.aclrtSynchronizeDeviceWithTimeout(timeout=100))
    expect.refused(result)
    expect.within("time in seconds", seconds, 0.05, 1.5)
    devices.wake()


@covers("synchronize_device_with_timeout.still_usable_after_timeout")
def test_after_time_is_over(acl, devices, expect, stream):
    """Work whose time was over is done all the same."""
    done = devices.queue_sleep(0.5, stream)
    expect.true("the time is over", not acl.aclrtSynchronizeDeviceWithTimeout(timeout=50).ok)
    expect.success(acl.aclrtSynchronizeDeviceWithTimeout(timeout=-1))
    expect.true("the work is done", done.is_set())


@pytest.fixture
def persistent_stream(acl, case, afterwards):
    """A stream whose tasks only run with a model; blocked where there is none."""
    case.needs("aclrtCreateStreamWithConfig", "aclrtDestroyStreamForce")
    made = case.engine.c.call("aclrtCreateStreamWithConfig", priority=0, flag="ACL_STREAM_PERSISTENT")
    if not made.ok:
        case.expect.blocked(f"no persistent stream can be made: {made.name}")
    afterwards("aclrtDestroyStreamForce", stream=made.stream)
    return made.stream
