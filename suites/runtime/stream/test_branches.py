"""aclrtActiveStream, aclrtSwitchStream and aclrtPersistentTaskClean: which work of a model's streams runs."""

from __future__ import annotations

import pytest

from harness.plugin import covers

INT64 = "ACL_RT_SWITCH_INT64"


@covers("active_stream.parallel")
def test_activated(acl, desk, memory, model, expect):
    """The work of a stream that is activated is done as well."""
    first, second = memory.device(64).fill(0), memory.device(64).fill(0)
    stream, activated = model.stream(), model.stream(head=False)
    expect.success(acl.aclrtActiveStream(activeStream=activated, stream=stream))
    desk.fill(first, 1, stream)
    desk.fill(second, 2, activated)
    expect.success(model.run())
    expect.data(first, 1)
    expect.data(second, 2)


@covers("switch_stream.true_branch")
def test_switched(acl, desk, memory, model, expect):
    """Where the numbers are equal, the other stream runs and this one stops."""
    here, there = memory.device(64).fill(0), memory.device(64).fill(0)
    left, right = memory.device(8).fill(1), memory.device(8).fill(1)
    stream, target = model.stream(), model.stream(head=False)
    args = {"leftValue": left, "cond": "ACL_RT_EQUAL", "rightValue": right, "dataType": INT64}
    result = acl.aclrtSwitchStream(**args, trueStream=target, falseStream=None, stream=stream)
    expect.success(result)
    desk.fill(here, 1, stream)
    desk.fill(there, 2, target)
    expect.success(model.run())
    expect.data(here, 0)
    expect.data(there, 2)


@covers("switch_stream.false_branch")
@pytest.mark.parametrize("byte", [0, 2])
def test_not_switched(acl, desk, memory, model, expect, byte):
    """Where the numbers differ, this stream goes on."""
    here, there = memory.device(64).fill(0), memory.device(64).fill(0)
    left, right = memory.device(8).fill(1), memory.device(8).fill(byte)
    stream, target = model.stream(), model.stream(head=False)
    args = {"leftValue": left, "cond": "ACL_RT_EQUAL", "rightValue": right, "dataType": INT64}
    result = acl.aclrtSwitchStream(**args, trueStream=target, falseStream=None, stream=stream)
    expect.success(result)
    desk.fill(here, 1, stream)
    desk.fill(there, 2, target)
    expect.success(model.run())
    expect.data(here, 1)


@covers("persistent_task_clean.clears", uses=["aclrtMemsetAsync"])
def test_cleaned(acl, desk, memory, model, expect):
    """Work that was cleaned away is not done, and new work is."""
    dropped, kept = memory.device(64).fill(0), memory.device(64).fill(0)
    stream = model.loose()
    desk.fill(dropped, 1, stream)
    expect.success(acl.aclrtPersistentTaskClean(stream=stream))
    desk.fill(kept, 1, stream)
    model.bind(stream)
    expect.success(model.run())
    expect.data(dropped, 0)
    expect.data(kept, 1)
