"""aclInit: what a configuration says about texts of errors, the default device and queues."""

from __future__ import annotations

import pytest

from harness.plugin import covers, isolated

DEVICE_0 = {"defaultDevice": {"default_device": "0"}}


@covers("init.err_msg_mode_thread_default", uses=["aclrtSetDevice", "aclGetRecentErrMsg"])
@isolated("before aclInit")
def test_texts_of_threads(process, expect):
    """A text of an error belongs to the thread whose call has failed."""
    expect.success(process.init())
    expect.true("texts in the failing thread and in another", process.error_texts(), (True, False))


@covers("init.err_msg_mode_process", uses=["aclrtSetDevice", "aclGetRecentErrMsg"])
@isolated("before aclInit")
def test_texts_of_the_process(process, expect):
    """A text of an error can be read after its thread has ended, when the process shares them."""
    expect.success(process.init({"err_msg_mode": "1"}))
    expect.true("a text of another thread is told", process.text_after_thread())


@covers("init.err_msg_mode_invalid")
@isolated("before aclInit")
def test_texts_of_nobody(process, expect):
    """A mode that does not exist is refused."""
    expect.refused(process.init({"err_msg_mode": "2"}))


@covers("init.default_device_implicit_set", uses=["aclrtMalloc", "aclrtCreateStream"])
@isolated("before aclInit")
def test_default_device(process, expect):
    """With a default device memory and streams can be had before any device is set."""
    expect.success(process.init(DEVICE_0))
    results = process.memory_and_stream()
    expect.true("codes", [result.code for result in results], [0, 0])


@covers("init.default_device_override", uses=["aclrtSetDevice", "aclrtGetDevice"])
@isolated("before aclInit")
def test_explicit_device(bare, process, expect, second_device):
    """A device that is set counts more than the default one."""
    expect.success(process.init(DEVICE_0))
    expect.success(bare.aclrtSetDevice(deviceId=second_device))
    expect.true("the device", bare.aclrtGetDevice().deviceId, second_device)


@covers("init.default_device_reported", uses=["aclrtGetDevice"])
@isolated("before aclInit")
def test_default_device_of_a_thread(process, expect):
    """A thread that sets no device is told the default one."""
    expect.success(process.init(DEVICE_0))
    expect.true("the device", process.elsewhere("aclrtGetDevice").outputs.get("deviceId"), 0)


@covers("init.default_device_range")
@isolated("before aclInit")
@pytest.mark.parametrize("device", ["-1", "abc"])
def test_no_number(process, expect, device):
    """What is no number of a device cannot be the default one."""
    expect.refused(process.init({"defaultDevice": {"default_device": device}}))


@covers("init.default_device_range")
@isolated("before aclInit")
def test_no_device(process, expect):
    """A device that is not there cannot be the default one."""
    count = str(process.device_count())
    expect.refused(process.init({"defaultDevice": {"default_device": count}}))


@covers("init.default_device_explicit_context", uses=["aclrtCreateContext"])
@isolated("before aclInit")
def test_context_of_the_default_device(bare, process, expect):
    """What comes of making a context before the default device was set."""
    expect.success(process.init(DEVICE_0))
    expect.observed(bare.aclrtCreateContext(deviceId=0))


@covers("init.max_opqueue_num")
@isolated("before aclInit")
def test_queue_of_operators(process, expect):
    """The length of the queue of operators can be given."""
    expect.success(process.init({"max_opqueue_num": "10000"}))
