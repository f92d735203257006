"""Streams made with a configuration handle."""

from __future__ import annotations

from harness.plugin import covers


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
