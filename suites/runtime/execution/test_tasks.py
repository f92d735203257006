"""aclrtGetThreadLastTaskId: the number of the task that a thread has queued last."""

from __future__ import annotations

from functools import partial

from harness.plugin import covers
from suites.threads import alone


@covers("get_thread_last_task_id.grows")
def test_two_tasks(acl, expect, reductions):
    """Two tasks have two numbers."""
    target, source = reductions.array([1]), reductions.array([1])
    reductions.queue(target, source)
    first = expect.success(acl.aclrtGetThreadLastTaskId()).taskId
    reductions.queue(target, source)
    second = expect.success(acl.aclrtGetThreadLastTaskId()).taskId
    reductions.wait()
    expect.true("the numbers differ", first != second)


@covers("get_thread_last_task_id.thread_local")
def test_other_thread(acl, expect, reductions):
    """A task of another thread leaves the number of this one."""
    target, source = reductions.array([1]), reductions.array([1])
    reductions.queue(target, source)
    before = expect.success(acl.aclrtGetThreadLastTaskId()).taskId
    queued = alone(partial(reductions.queue_elsewhere, target, source))
    expect.success(queued)
    reductions.wait()
    expect.true("the number", expect.success(acl.aclrtGetThreadLastTaskId()).taskId, before)
