"""aclrtRegStreamStateCallback: who wants to know of streams is told."""

from __future__ import annotations

import pytest

from harness.plugin import covers, isolated

CREATED, DESTROYED = 1, 2


@covers("reg_stream_state_callback.create_post", "reg_stream_state_callback.destroy_pre")
@pytest.mark.parametrize(
    ("create", "flags", "destroy"),
    [
        ("aclrtCreateStream", {}, "aclrtDestroyStream"),
        ("aclrtCreateStreamWithConfig", {"priority": 0, "flag": 1}, "aclrtDestroyStreamForce"),
    ],
    ids=["plain", "config-force"],
)
def test_told(acl, case, desk, memory, expect, afterwards, create, flags, destroy):
    """Each callback is told of a stream that was made, and of one that is about to go, with its argument."""
    case.needs(create, destroy)
    seen, also, own = [], [], memory.pageable(8)
    afterwards("aclrtRegStreamStateCallback", regName="told", callback=None, args=None)
    afterwards("aclrtRegStreamStateCallback", regName="also", callback=None, args=None)
    result = acl.aclrtRegStreamStateCallback(regName="told", callback=desk.noting(seen), args=own)
    desk.must("aclrtRegStreamStateCallback", regName="also", callback=desk.noting(also), args=own)
    stream = desk.must(create, **flags).stream
    desk.must(destroy, stream=stream)
    expect.success(result)
    told = [(stream, CREATED, own.ptr), (stream, DESTROYED, own.ptr)]
    expect.true("what was told to both", (seen, also), (told, told))


@covers("reg_stream_state_callback.unique_name")
def test_name_taken(acl, desk, expect, afterwards):
    """A name is given once."""
    args = {"regName": "taken", "callback": lambda *told: None, "args": None}
    afterwards("aclrtRegStreamStateCallback", regName="taken", callback=None, args=None)
    desk.must("aclrtRegStreamStateCallback", **args)
    result = acl.aclrtRegStreamStateCallback(**args)
    expect.refused(result)


@covers("reg_stream_state_callback.null_unregisters", uses=["aclrtCreateStream"])
def test_forgotten(acl, desk, expect, afterwards):
    """A callback whose name was registered with NULL hears nothing, another one does; the name is free."""
    seen, kept = [], []
    named = {"regName": "forgotten", "args": None}
    afterwards("aclrtRegStreamStateCallback", **named, callback=None)
    afterwards("aclrtRegStreamStateCallback", regName="kept", callback=None, args=None)
    desk.must("aclrtRegStreamStateCallback", regName="kept", args=None, callback=desk.noting(kept))
    desk.must("aclrtRegStreamStateCallback", **named, callback=desk.noting(seen))
    expect.success(acl.aclrtRegStreamStateCallback(**named, callback=None))
    desk.took_stream(desk.must("aclrtCreateStream"))
    expect.true("how often each was told", (len(seen), len(kept)), (0, 1))
    expect.success(acl.aclrtRegStreamStateCallback(**named, callback=desk.noting(seen)))


@covers("reg_stream_state_callback.default_streams", uses=["aclrtSetDevice", "aclrtCreateContext"])
@isolated("before a device is set")
def test_default_stream(initialised_only, case, expect, afterwards):
    """A callback hears of the default stream that comes with a device, and of that of a further context."""
    states = []
    told = {"regName": "default", "callback": lambda *told: states.append(told[1]), "args": None}
    expect.success(initialised_only.aclrtRegStreamStateCallback(**told))
    expect.success(initialised_only.aclrtSetDevice(deviceId=0))
    of_device = states.count(CREATED)
    made = case.engine.c.call("aclrtCreateContext", deviceId=0)
    case.engine.c.call("aclrtRegStreamStateCallback", regName="default", callback=None, args=None)
    case.engine.c.call("aclrtDestroyContext", context=made.context)
    case.engine.c.call("aclrtResetDevice", deviceId=0)
    expect.true(
        "a stream was made with each", (of_device > 0, states.count(CREATED) > of_device), (True, True)
    )
