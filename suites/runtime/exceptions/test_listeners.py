"""Functions that hear of failing tasks: who is told, how often, and what."""

from __future__ import annotations

import threading

from harness.plugin import covers, isolated, surfaces

UNKNOWN = 0xFFFFFFFF


@covers("exception_info_callback_register.several")
def test_several(failures, expect):
    """Every registered function hears of a failure."""
    first, second = failures.listener(), failures.listener()
    expect.success(failures.register(first))
    expect.success(failures.register(second))
    failures.fail()
    expect.true("how often each has heard", (len(first.heard), len(second.heard)), (1, 1))


@covers("exception_info_callback_register.same_twice")
def test_twice(failures, expect):
    """A function that is registered twice hears once."""
    listener = failures.listener()
    expect.success(failures.register(listener))
    expect.success(failures.register(listener))
    failures.fail()
    expect.true("how often it has heard", len(listener.heard), 1)


@covers("exception_info_callback_unregister.removes")
def test_removed(failures, expect):
    """A function that was taken out hears nothing."""
    listener = failures.listener()
    expect.success(failures.register(listener))
    expect.success(failures.unregister(listener))
    failures.fail()
    expect.true("how often it has heard", len(listener.heard), 0)


@covers("exception_info_callback_unregister.removes")
def test_others_stay(failures, expect):
    """Taking one function out leaves the others."""
    first, second = failures.listener(), failures.listener()
    expect.success(failures.register(first))
    expect.success(failures.register(second))
    expect.success(failures.unregister(first))
    failures.fail()
    expect.true("how often each has heard", (len(first.heard), len(second.heard)), (0, 1))


@covers("exception_info_callback_register.before_launch")
def test_too_late(failures, expect):
    """Whether a function that is registered after a failure hears of it is recorded."""
    failures.fail()
    listener = failures.listener()
    expect.success(failures.register(listener))
    expect.observed(f"heard {len(listener.heard)} times")


@covers("set_exception_info_callback.last_wins")
def test_last_set(acl, failures, expect):
    """Only the function that was set last hears of a failure."""
    first, second = failures.listener(), failures.listener()
    expect.success(acl.aclrtSetExceptionInfoCallback(callback=first.hear))
    expect.success(acl.aclrtSetExceptionInfoCallback(callback=second.hear))
    failures.fail()
    expect.true("how often each has heard", (len(first.heard), len(second.heard)), (0, 1))


@covers("set_exception_info_callback.null_clears")
def test_cleared(acl, failures, expect):
    """A function that was cleared hears nothing."""
    listener = failures.listener()
    expect.success(acl.aclrtSetExceptionInfoCallback(callback=listener.hear))
    expect.success(acl.aclrtSetExceptionInfoCallback(callback=None))
    failures.fail()
    expect.true("how often it has heard", len(listener.heard), 0)


@covers("set_exception_info_callback.keeps_registered", uses=("aclrtExceptionInfoCallbackRegister",))
@surfaces("c")
def test_clearing_keeps_registered(acl, failures, expect):
    """Clearing the function that was set leaves the registered ones."""
    listener = failures.listener()
    expect.success(failures.register(listener))
    expect.success(acl.aclrtSetExceptionInfoCallback(callback=None))
    failures.fail()
    expect.true("how often it has heard", len(listener.heard), 1)


@covers("exception_info_callback_register.coexists_with_set", uses=("aclrtSetExceptionInfoCallback",))
@surfaces("c")
def test_set_and_registered(acl, failures, expect):
    """A function that is set and registered hears twice."""
    listener = failures.listener()
    expect.success(acl.aclrtSetExceptionInfoCallback(callback=listener.pointer))
    expect.success(failures.register(listener))
    failures.fail()
    expect.true("how often it has heard", len(listener.heard), 2)


@covers("exception_info_callback_unregister.not_the_set_one", uses=("aclrtSetExceptionInfoCallback",))
@surfaces("c")
def test_set_one_stays(acl, failures, expect):
    """Taking a function out does not clear it where it is set."""
    listener = failures.listener()
    expect.success(acl.aclrtSetExceptionInfoCallback(callback=listener.pointer))
    expect.success(failures.unregister(listener))
    failures.fail()
    expect.true("how often it has heard", len(listener.heard), 1)


@covers("exception_info_callback_unregister.no_wait")
@isolated("a function that is waited for by its own removal never ends")
def test_running_function(errors, failures, expect):
    """Whether taking a function out waits for its end is recorded."""
    listener = failures.listener()
    expect.success(failures.register(listener))
    with listener.lasting():
        failures.begin()
        listener.begun()
        result, seconds = failures.timed_unregister(listener)
    failures.end()
    expect.observed(f"returned {result.code} after {seconds:.1f} s, while the function lasted")


@covers("exception_info_callback_unregister.any_caller")
def test_other_thread(errors, failures, expect):
    """A function can be taken out by another thread than the one that registered it."""
    listener = failures.listener()
    expect.success(failures.register(listener))
    expect.success(errors.elsewhere(lambda: failures.unregister(listener)))
    failures.fail()
    expect.true("how often it has heard", len(listener.heard), 0)


@covers(
    "get_task_id_from_exception_info.value",
    "get_stream_id_from_exception_info.value",
    "get_thread_id_from_exception_info.value",
    "get_device_id_from_exception_info.value",
    "get_error_code_from_exception_info.value",
    uses=("aclrtSetExceptionInfoCallback", "aclrtStreamGetId", "aclrtGetThreadLastTaskId"),
)
def test_told(acl, failures, expect):
    """A failure tells its stream, its device and a code; what is not known is the largest number."""
    listener = failures.listener()
    expect.success(acl.aclrtSetExceptionInfoCallback(callback=listener.hear))
    failures.fail()
    told = listener.heard[0]
    stream = acl.aclrtStreamGetId(stream=failures.stream).streamId
    expect.true("the stream", told["Stream"] in (stream, UNKNOWN))
    expect.true("the device", told["Device"] in (0, UNKNOWN))
    expect.true("a code", told["Code"] != 0)
    expect.true("the thread", told["Thread"] in (threading.get_native_id(), UNKNOWN))
    expect.true("the task", told["Task"] in (acl.aclrtGetThreadLastTaskId().taskId, UNKNOWN))


@covers("get_device_id_from_exception_info.value", uses=("aclrtSetExceptionInfoCallback",))
def test_told_of_second_device(acl, desk, failures, memory, expect, second_device):
    """A failure on another device tells that device."""
    listener = failures.listener()
    expect.success(acl.aclrtSetExceptionInfoCallback(callback=listener.hear))
    block = memory.pinned(64)
    with desk.second(second_device):
        failures.fail_on(desk.must("aclrtCreateStream").stream, block)
    expect.true("the device", listener.heard[0]["Device"] in (second_device, UNKNOWN))


@covers("peek_at_last_error.async_error")
def test_kept(errors, failures, expect):
    """The code of the wait is what the thread keeps."""
    code = failures.fail()
    expect.true("the wait tells the failure", code != 0)
    expect.true("the code", errors.peek(), code)


@covers("get_error_verbose.limited_types")
def test_kind(acl, failures, expect):
    """After a failure the device tells one of the kinds of errors that its product has."""
    failures.fail()
    told = expect.success(acl.aclrtGetErrorVerbose(deviceId=0)).errorInfo
    expect.true("a kind of the product", told["errorType"] in (0, 1, 0xFFFF))
