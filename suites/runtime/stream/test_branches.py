"""aclrtActiveStream, aclrtSwitchStream and aclrtPersistentTaskClean: which work of a model's streams runs."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.runtime.stream.switches import FAILS, HOLDS


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
@pytest.mark.parametrize("comparison", HOLDS, ids=str)
def test_switched(acl, switches, expect, comparison):
    """Where the condition holds, the other stream runs and this one stops."""
    expect.success(acl.aclrtSwitchStream(**switches.arguments(comparison)))
    expect.success(switches.run())
    expect.true("the streams that ran", switches.ran(), ["target"])


@covers("switch_stream.false_branch")
@pytest.mark.parametrize("comparison", FAILS, ids=str)
def test_not_switched(acl, switches, expect, comparison):
    """Where the condition does not hold, this stream goes on."""
    expect.success(acl.aclrtSwitchStream(**switches.arguments(comparison)))
    expect.success(switches.run())
    expect.true("this stream ran", "this" in switches.ran(), True)


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
