"""aclrtRegDeviceStateCallback: functions that are told when a device is set and reset."""

from __future__ import annotations

from harness.plugin import covers, isolated
from suites.runtime.device.states import RESET, SET, TAG

pytestmark = isolated("before aclrtSetDevice")


@covers("reg_device_state_callback.set_sequence")
def test_set(states, expect):
    """Setting a device tells it before and after, with the user's pointer."""
    told = states.function()
    expect.success(states.register("one", told))
    states.set()
    expect.true("device, state and pointer", told.calls, [(0, 0, TAG), (0, 1, TAG)])


@covers("reg_device_state_callback.set_sequence")
def test_second_device(states, expect, second_device):
    """Setting a second device tells that one."""
    told = states.registered()
    states.set(second_device)
    states.reset(second_device)
    expect.true(
        "device, state and pointer", told.calls[:2], [(second_device, 0, TAG), (second_device, 1, TAG)]
    )


@covers("reg_device_state_callback.reset_sequence", uses=["aclrtResetDeviceForce"])
def test_reset(states, expect):
    """Releasing a device, also by force, tells it before and after."""
    told = states.registered()
    states.set()
    states.reset()
    states.set()
    states.reset(force=True)
    expect.true("states", told.states, (SET + RESET) * 2)


@covers("reg_device_state_callback.reset_only_on_release")
def test_reset_that_counts(states, expect):
    """A reset that only counts tells nothing."""
    told = states.registered()
    states.set()
    states.set()
    states.reset()
    expect.true("states of a release", [state for state in told.states if state in RESET], [])


@covers("reg_device_state_callback.unique_name")
def test_name_twice(states, expect):
    """A name that is taken is refused, and its function stays."""
    first, second = states.registered("one"), states.function()
    expect.refused(states.register("one", second))
    states.set()
    expect.true("states told to both", (first.states, second.states), (SET, ()))


@covers("reg_device_state_callback.null_unregisters")
def test_unregister(states, expect):
    """A name without a function is free again, and is not told; another one is."""
    told, kept = states.registered("one"), states.registered("two")
    expect.success(states.register("one", None))
    states.set()
    expect.true("states told to both", (told.states, kept.states), ((), SET))
    expect.success(states.register("one", told))


@covers("reg_device_state_callback.unregister_unknown")
def test_unregister_unknown(states, expect):
    """A name that was never registered can be unregistered."""
    expect.success(states.register("never", None))


@covers("reg_device_state_callback.several_names")
def test_several(states, expect):
    """Functions under different names are all told."""
    first, second = states.registered("one"), states.registered("two")
    states.set()
    expect.true("states told to both", (first.states, second.states), (SET, SET))
