"""aclrtGetPrimaryCtxState: whether a device's default context is there."""

from __future__ import annotations

from harness.plugin import covers, isolated, surfaces

ASK = {"deviceId": 0, "flags": None}
RESETS = ["aclrtResetDevice", "aclrtResetDeviceForce"]


@covers("get_primary_ctx_state.before_after", uses=["aclInit", "aclrtSetDevice", *RESETS])
@surfaces("c")
@isolated("before and after the device is set")
def test_before_and_after(bare, expect):
    """The default context is there from setting the device to the reset that releases it, of either kind."""
    expect.success(bare.aclInit(configPath=None))
    before = expect.success(bare.aclrtGetPrimaryCtxState(**ASK)).active
    expect.success(bare.aclrtSetDevice(deviceId=0))
    meanwhile = expect.success(bare.aclrtGetPrimaryCtxState(**ASK)).active
    expect.success(bare.aclrtSetDevice(deviceId=0))
    expect.success(bare.aclrtResetDevice(deviceId=0))
    still = expect.success(bare.aclrtGetPrimaryCtxState(**ASK)).active
    expect.success(bare.aclrtResetDevice(deviceId=0))
    after = expect.success(bare.aclrtGetPrimaryCtxState(**ASK)).active
    expect.true("active before, while it is set, and after", (before, meanwhile, still, after), (0, 1, 1, 0))
    expect.success(bare.aclrtSetDevice(deviceId=0))
    expect.success(bare.aclrtResetDeviceForce(deviceId=0))
    expect.true("active after a forced reset", bare.aclrtGetPrimaryCtxState(**ASK).active, 0)


@covers("get_primary_ctx_state.before_after", uses=["aclrtSetDevice", "aclrtResetDevice"])
@surfaces("c")
@isolated("a device is released")
def test_second_device(acl, desk, expect, second_device):
    """The default context of a second device is there while that device is set, the first one always."""
    asked = {"deviceId": second_device, "flags": None}
    before = expect.success(acl.aclrtGetPrimaryCtxState(**asked)).active
    with desk.second(second_device):
        meanwhile = expect.success(acl.aclrtGetPrimaryCtxState(**asked)).active
    after = expect.success(acl.aclrtGetPrimaryCtxState(**asked)).active
    expect.true("active before, meanwhile and after", (before, meanwhile, after), (0, 1, 0))
