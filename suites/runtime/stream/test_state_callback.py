"""aclrtRegStreamStateCallback: who wants to know of streams is told."""

from __future__ import annotations

from harness.plugin import covers

CREATED, DESTROYED = 1, 2


@covers("reg_stream_state_callback.create_post", "reg_stream_state_callback.destroy_pre")
def test_told(acl, desk, expect, afterwards):
    """A callback is told of a stream that was made, and of one that is about to go."""
    seen = []
    afterwards("aclrtRegStreamStateCallback", regName="told", callback=None, args=None)
    result = acl.aclrtRegStreamStateCallback(
        regName="told", callback=lambda *told: seen.append(told[:2]), args=None
    )
    stream = desk.must("aclrtCreateStream").stream
    desk.must("aclrtDestroyStream", stream=stream)
    expect.success(result)
    expect.true("what was told", seen, [(stream, CREATED), (stream, DESTROYED)])


@covers("reg_stream_state_callback.unique_name")
def test_name_taken(acl, desk, expect, afterwards):
    """A name is given once."""
    args = {"regName": "taken", "callback": lambda *told: None, "args": None}
    afterwards("aclrtRegStreamStateCallback", regName="taken", callback=None, args=None)
    desk.must("aclrtRegStreamStateCallback", **args)
    result = acl.aclrtRegStreamStateCallback(**args)
    expect.refused(result)
