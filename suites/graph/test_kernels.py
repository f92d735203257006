"""Kernels of a capture: updates of task groups, and tasks that are disabled."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.graph.kernels import all_of


@covers("ri_capture_task_update_end.async", uses=("aclmdlRIExecuteAsync",))
def test_update(acl, expect, graphs, kernels):
    """Once the stream of an update was waited for, each task of the group does what the update says."""
    targets = kernels.targets(2)
    instance, group = kernels.grouped(targets)
    stream = graphs.begin_update(group)
    kernels.launch(stream, targets, 11)
    expect.success(acl.aclmdlRICaptureTaskUpdateEnd(stream=stream))
    graphs.wait(stream)
    expect.true("what the blocks hold before the execution", kernels.numbers(targets), all_of([0, 0]))
    graphs.run(instance)
    expect.true("what they hold after it", kernels.numbers(targets), all_of([11, 12]))


@covers("ri_capture_task_update_end.async", uses=("aclmdlRIExecuteAsync",))
def test_update_again(expect, graphs, kernels):
    """Of two groups only the one changes that is updated, and a second update counts after the first one."""
    one, other = kernels.targets(2), kernels.targets(2)
    instance, groups = kernels.groups(one, other)
    kernels.updated(groups[1], other, 11)
    graphs.run(instance)
    expect.true("what the blocks hold", kernels.numbers([*one, *other]), all_of([1, 2, 11, 12]))
    kernels.updated(groups[1], other, 21)
    graphs.run(instance)
    expect.true("what they hold later", kernels.numbers([*one, *other]), all_of([1, 2, 21, 22]))


@covers("ri_capture_task_update_end.async", uses=("aclmdlRIExecuteAsync",))
def test_update_on_held_stream(acl, expect, graphs, kernels, blocked_stream):
    """The end of an update comes back while the work before it is not done; the update follows that work."""
    targets, stream = kernels.targets(1), graphs.stream()
    instance, group = kernels.grouped(targets)
    with blocked_stream(stream) as hold:
        graphs.begin_update(group, stream)
        kernels.launch(stream, targets, 11)
        expect.success(acl.aclmdlRICaptureTaskUpdateEnd(stream=stream))
        hold.release()
    graphs.wait(stream)
    graphs.run(instance)
    expect.true("what the block holds", kernels.numbers(targets), all_of([11]))


@covers("ri_capture_task_update_end.count_mismatch")
@pytest.mark.parametrize("count", [1, 3])
def test_other_count(acl, expect, graphs, kernels, count):
    """An update with fewer or more tasks than its group has is refused."""
    _, group = kernels.grouped(kernels.targets(2))
    stream = graphs.begin_update(group)
    kernels.launch(stream, kernels.targets(count), 11)
    expect.refused(acl.aclmdlRICaptureTaskUpdateEnd(stream=stream))


@covers("ri_task_disable.effect_after_update", uses=("aclmdlRIUpdate", "aclmdlRIExecuteAsync"))
@pytest.mark.parametrize("kept", [1, 0])
def test_disabled(acl, expect, graphs, kernels, kept):
    """After an update of the instance two disabled kernels are left out, and the other one runs."""
    targets = kernels.targets(3)
    instance = kernels.captured(targets)
    disabled = [task for place, task in enumerate(kernels.tasks(instance)) if place != kept]
    expect.success(acl.aclmdlRITaskDisable(task=disabled[0]))
    expect.success(acl.aclmdlRITaskDisable(task=disabled[1]))
    graphs.call("aclmdlRIUpdate", modelRI=instance)
    graphs.run(instance)
    expected = [[1, 0, 0], [0, 2, 0]][kept]
    expect.true("what the blocks hold", kernels.numbers(targets), all_of(expected))
