"""Snapshots of the process: locked, backed up, restored, unlocked."""

from __future__ import annotations

import os

from harness.plugin import covers, covers_each, isolated, pattern

SIZE = 4096
WAITS_S, GOES_ON_S = 1.0, 5.0
STEPS = {
    "aclrtSnapShotProcessLock": "reserve",
    "aclrtSnapShotProcessUnlock": "reserve",
    "aclrtSnapShotProcessBackup": "args",
    "aclrtSnapShotProcessRestore": "args",
}


@covers_each("other_products", *STEPS)
def test_other_products(acl, expect, api):
    """Products without snapshots refuse every step."""
    expect.refused(acl.call(api, pid=os.getpid(), **{STEPS[api]: None}))


@covers("snap_shot_process_lock.twice")
def test_lock_twice(snapshots, expect):
    """A locked process is not locked again."""
    expect.success(snapshots.lock())
    expect.refused(snapshots.lock())


@covers("snap_shot_process_lock.blocks_calls")
@isolated("another thread's call waits")
def test_calls_wait(snapshots, bystander, expect):
    """A runtime call of another thread waits while the process is locked, and goes on after."""
    expect.success(snapshots.lock())
    bystander.go()
    expect.true("the call waits", bystander.returns_within(WAITS_S), False)
    expect.success(snapshots.unlock())
    expect.true("the call goes on", bystander.returns_within(GOES_ON_S))
    expect.success(bystander.result)


@covers("snap_shot_process_unlock.not_locked")
def test_unlock_while_running(snapshots, expect):
    """A running process is not unlocked."""
    expect.refused(snapshots.unlock())


@covers("snap_shot_process_unlock.from_backed_up")
def test_unlock_after_a_backup(snapshots, memory, expect):
    """A process that was backed up can be unlocked, and works on."""
    expect.success(snapshots.lock())
    expect.success(snapshots.back_up())
    expect.success(snapshots.unlock())
    expect.data(memory.device(SIZE).write(pattern(SIZE)), pattern(SIZE), "a new block")


@covers("snap_shot_process_backup.not_locked")
def test_back_up_while_running(snapshots, expect):
    """A running process is not backed up."""
    expect.refused(snapshots.back_up())


@covers("snap_shot_process_restore.not_backed_up")
def test_restore_while_running(snapshots, expect):
    """A running process is not restored."""
    expect.refused(snapshots.restore())


@covers("snap_shot_process_restore.not_backed_up")
def test_restore_without_a_backup(snapshots, expect):
    """A locked process that was not backed up is not restored."""
    expect.success(snapshots.lock())
    expect.refused(snapshots.restore())


@covers("snap_shot_process_backup.repeat")
def test_back_up_twice(snapshots, expect):
    """What a second backup gives is recorded."""
    expect.success(snapshots.lock())
    expect.success(snapshots.back_up())
    expect.observed(snapshots.back_up())


@covers("snap_shot_process_restore.memory_content")
def test_memory(snapshots, memory, expect):
    """Device memory holds after a restore what it held at the backup."""
    block = memory.device(SIZE).write(pattern(SIZE))
    expect.true("every step succeeds", snapshots.cycle(), [0, 0, 0, 0])
    expect.data(block, pattern(SIZE), "device memory")


@covers("snap_shot_process_restore.objects_usable")
def test_stream(acl, snapshots, stream, memory, expect):
    """A stream that was made before works after a restore."""
    block = memory.device(SIZE)
    expect.true("every step succeeds", snapshots.cycle(), [0, 0, 0, 0])
    expect.success(acl.aclrtMemsetAsync(devPtr=block, maxCount=SIZE, value=7, count=SIZE, stream=stream))
    expect.success(acl.aclrtSynchronizeStream(stream=stream))
    expect.data(block, 7, "device memory")


@covers("snap_shot_process_restore.state_after")
@isolated("another thread's call waits")
def test_locked_after_a_restore(snapshots, bystander, expect):
    """After a restore calls of other threads still wait, until the process is unlocked."""
    expect.success(snapshots.lock())
    expect.success(snapshots.back_up())
    expect.success(snapshots.restore())
    bystander.go()
    expect.true("the call waits", bystander.returns_within(WAITS_S), False)
    expect.success(snapshots.unlock())
    expect.true("the call goes on", bystander.returns_within(GOES_ON_S))


@covers("snap_shot_process_lock.full_cycle_repeat")
def test_three_rounds(snapshots, expect):
    """The whole cycle can be repeated."""
    rounds = [snapshots.cycle() for _ in range(3)]
    expect.true("every step of every round succeeds", rounds, [[0, 0, 0, 0]] * 3)
