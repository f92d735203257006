"""Functions that are told of the steps of a snapshot."""

from __future__ import annotations

from harness.plugin import covers
from suites.services.snapshot_functions import IN_ORDER

LOCK_PRE, UNLOCK_POST = IN_ORDER[0], IN_ORDER[-1]


@covers("snap_shot_callback_register.duplicate")
def test_register_twice(told, expect):
    """A function is registered for a stage once."""
    function = told.register(LOCK_PRE)
    expect.refused(told.try_register(LOCK_PRE, function))


@covers("snap_shot_callback_register.same_function_two_stages")
def test_two_stages(told, snapshots, expect):
    """A function may serve two stages, and is told of both."""
    function = told.register(LOCK_PRE)
    expect.success(told.try_register(UNLOCK_POST, function))
    expect.true("every step succeeds", snapshots.cycle(), [0, 0, 0, 0])
    expect.true("how often it was told", len(told.told), 2)


@covers("snap_shot_callback_register.order_of_stages")
def test_order(told, snapshots, expect):
    """A whole cycle tells of its stages in order."""
    told.register_all()
    expect.true("every step succeeds", snapshots.cycle(), [0, 0, 0, 0])
    expect.true("the stages", told.stages, list(IN_ORDER))


@covers("snap_shot_callback_register.args_and_device")
def test_arguments(told, snapshots, memory, expect):
    """A function gets the device and the argument it was registered with."""
    argument = memory.pageable(64).ptr
    told.register(LOCK_PRE, args=argument)
    expect.success(snapshots.lock())
    expect.true("stage, device and argument", told.told[:1], [(LOCK_PRE, 0, argument)])


@covers("snap_shot_callback_register.failing_callback")
def test_failing_function(told, snapshots, expect):
    """Where a function fails the step fails, and the process is not locked."""
    told.register(LOCK_PRE, answer=1)
    expect.refused(snapshots.lock())
    expect.true("the process is not locked", not snapshots.unlock().ok)


@covers("snap_shot_callback_unregister.not_registered")
def test_remove_a_stranger(told, expect):
    """A function that is not registered is not removed."""
    expect.refused(told.remove(LOCK_PRE, told.function()))


@covers("snap_shot_callback_unregister.not_called")
def test_removed_function(told, snapshots, memory, expect):
    """A function that was removed is told of nothing; one that stays is."""
    function = told.register(LOCK_PRE)
    argument = memory.pageable(64).ptr
    told.register(LOCK_PRE, args=argument)
    expect.success(told.remove(LOCK_PRE, function))
    expect.success(snapshots.lock())
    expect.true("what was told", told.told, [(LOCK_PRE, 0, argument)])
