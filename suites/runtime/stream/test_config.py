"""Streams made with a configuration handle."""

from __future__ import annotations

import pytest

from harness.plugin import covers

CONFIGURED = ("aclrtCreateStreamV2", "aclrtCreateStreamConfigHandle", "aclrtSetStreamConfigOpt")


@covers("create_stream_config_handle.returns_object")
def test_two_handles(acl, afterwards, expect):
    """Two calls give two handles."""
    made = [acl.aclrtCreateStreamConfigHandle().value for _ in range(2)]
    afterwards("aclrtDestroyStreamConfigHandle", handle=made[0])
    afterwards("aclrtDestroyStreamConfigHandle", handle=made[1])
    expect.true("two handles that are not null", bool(made[0] and made[1] and made[0] != made[1]))


@covers("set_stream_config_opt.flag_reserved")
def test_flag(acl, afterwards, memory, expect):
    """The reserved attribute can be set to 0."""
    handle = acl.call("aclrtCreateStreamConfigHandle").value
    afterwards("aclrtDestroyStreamConfigHandle", handle=handle)
    value = memory.pageable(8).fill(0)
    args = {"attr": "ACL_RT_STREAM_FLAG", "attrValue": value, "valueSize": 8}
    result = acl.aclrtSetStreamConfigOpt(handle=handle, **args)
    expect.success(result)


@covers("create_stream_v2.order", "create_stream_config_handle.defaults_usable", uses=CONFIGURED)
@pytest.mark.parametrize("priority", [None, 3], ids=["defaults", "priority"])
def test_made_with_a_handle(configured, expect, priority):
    """A stream that is made with a handle does its work when the handle has gone."""
    made = configured.stream(priority)
    expect.success(made)
    expect.true("a copy on the stream is done", configured.copies(made.stream))


@covers("destroy_stream_config_handle.object_destroyed", uses=CONFIGURED)
def test_handles_destroyed(acl, configured, expect):
    """A thousand handles are made and destroyed, and a stream of an earlier one goes on."""
    stream = configured.stream(None).stream
    codes = {acl.aclrtDestroyStreamConfigHandle(handle=configured.handle()).code for _ in range(1000)}
    expect.true("answers", codes, {0})
    expect.true("a copy on the stream is done", configured.copies(stream))


@covers("set_stream_config_opt.priority_range", uses=CONFIGURED)
@pytest.mark.parametrize("priority", [0, 7])
def test_priorities(configured, expect, priority):
    """The highest and the lowest priority can be chosen."""
    expect.success(configured.choose(configured.kept_handle(), priority))


@covers("set_stream_config_opt.priority_range", uses=CONFIGURED)
def test_priority_beyond(configured, expect):
    """A priority beyond the lowest is refused, by the handle or by what it makes."""
    expect.refused(configured.stream(8))
