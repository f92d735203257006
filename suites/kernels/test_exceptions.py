"""What a binary's own function hears of a kernel that fails."""

from __future__ import annotations

from harness.plugin import covers, isolated, surfaces


@covers("binary_set_exception_callback.called")
@isolated("a failing kernel may spoil the device")
@surfaces("c")
def test_called(acl, expect, listeners):
    """The function hears of the failing kernel and gets the data that it was set with."""
    result = acl.aclrtBinarySetExceptionCallback(
        binHandle=listeners.binary, callback=listeners.first, userData=17
    )

    expect.success(result)
    listeners.fail()
    expect.true("who was called, with what", listeners.calls, [("first", 17)])


@covers("binary_set_exception_callback.last_wins")
@isolated("a failing kernel may spoil the device")
@surfaces("c")
def test_last_wins(acl, expect, listeners):
    """Only the function that was set last hears of a failing kernel."""
    listeners.set(listeners.first)

    result = acl.aclrtBinarySetExceptionCallback(
        binHandle=listeners.binary, callback=listeners.second, userData=18
    )

    expect.success(result)
    listeners.fail()
    expect.true("who was called, with what", listeners.calls, [("second", 18)])


@covers("get_func_handle_from_exception_info.value")
@isolated("a failing kernel may spoil the device")
@surfaces("c")
def test_failing_kernel(acl, expect, listeners):
    """Inside the function the failing kernel is told."""
    listeners.ask(acl)

    kernel = listeners.fail()

    expect.success(listeners.answer)
    expect.true("the kernel", listeners.answer.func, kernel)
