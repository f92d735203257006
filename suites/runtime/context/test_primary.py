"""aclrtGetPrimaryCtxState: whether a device's default context is there."""

from __future__ import annotations

from harness.plugin import covers, isolated, surfaces

ASK = {"deviceId": 0, "flags": None}


@covers("get_primary_ctx_state.before_after", uses=["aclInit", "aclrtSetDevice", "aclrtResetDevice"])
@surfaces("c")
@isolated("before and after the device is set")
def test_before_and_after(bare, expect):
    """The default context is there from setting the device to releasing it."""
    expect.success(bare.aclInit(configPath=None))
    before = expect.success(bare.aclrtGetPrimaryCtxState(**ASK)).active
    expect.success(bare.aclrtSetDevice(deviceId=0))
    meanwhile = expect.success(bare.aclrtGetPrimaryCtxState(**ASK)).active
    expect.success(bare.aclrtResetDevice(deviceId=0))
    after = expect.success(bare.aclrtGetPrimaryCtxState(**ASK)).active
    expect.true("active before, meanwhile and after", (before, meanwhile, after), (0, 1, 0))
