"""Faulty memory, the device's own errors, and the functions that hear of failing tasks."""

from __future__ import annotations

from harness.plugin import covers, surfaces


@covers("get_mem_uce_info.healthy")
@surfaces("c")
def test_healthy_memory(acl, expect):
    """A healthy device has no faulty memory."""
    told = acl.aclrtGetMemUceInfo(deviceId=0, memUceInfoArray=[{} for _ in range(20)], arraySize=20)
    expect.true("places", expect.success(told).retSize, 0)


@covers("get_error_verbose.no_error")
def test_healthy_device(acl, expect):
    """A healthy device has no error."""
    told = expect.success(acl.aclrtGetErrorVerbose(deviceId=0)).errorInfo
    expect.true("the kind of error", told["errorType"], 0)


@covers("set_exception_info_callback.deprecated")
def test_set_and_clear(acl, expect, afterwards):
    """A function that hears of failing tasks can be set, and cleared."""
    afterwards("aclrtSetExceptionInfoCallback", callback=None)
    expect.success(acl.aclrtSetExceptionInfoCallback(callback=lambda info: None))


@covers("exception_info_callback_unregister.unknown")
def test_unknown(acl, expect):
    """A function that was never registered can be taken out."""
    expect.success(acl.aclrtExceptionInfoCallbackUnregister(callback=lambda info: None))
