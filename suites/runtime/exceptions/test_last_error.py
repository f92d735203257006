"""aclrtPeekAtLastError, aclrtGetLastError: the code of the call that failed last in a thread."""

from __future__ import annotations

from harness.plugin import covers, isolated
from suites.runtime.exceptions.errors import LEVEL
from suites.runtime.stream.stopping import Stopping


@covers("peek_at_last_error.keeps", "peek_at_last_error.runtime_error_recorded")
def test_peek(errors, expect):
    """Looking at the code does not remove it."""
    code = errors.fail()
    expect.true("the code", errors.peek(), code, rule="peek_at_last_error.runtime_error_recorded")
    expect.true("the code again", errors.peek(), code, rule="peek_at_last_error.keeps")


@covers("peek_at_last_error.success_keeps")
def test_success_between(acl, errors, expect, afterwards):
    """A call that succeeds leaves the code there."""
    code = errors.fail()
    expect.success(acl.aclrtSetDevice(deviceId=0))
    afterwards("aclrtResetDevice", deviceId=0)
    expect.true("the code", errors.peek(), code)


@covers("peek_at_last_error.last_overwrites", uses=("aclrtStreamWaitEventWithTimeout",))
def test_last_wins(acl, errors, expect, stream):
    """The code of the later one of two failing calls is kept."""
    errors.fail()
    second = acl.aclrtStreamWaitEventWithTimeout(stream=stream, event=None, timeout=0)
    expect.refused(second)
    expect.true("the code", errors.peek(), second.code)


@covers("peek_at_last_error.thread_local")
def test_other_thread(errors, expect):
    """A fresh thread has no error of another one, and takes none from it."""
    code = errors.fail()
    expect.true("the code in another thread", errors.elsewhere(errors.peek), 0)
    errors.elsewhere(errors.forget)
    expect.true("the code in this one", errors.peek(), code)


@covers("get_last_error.clears")
def test_take(errors, expect):
    """Asking for the code removes it."""
    code = errors.fail()
    expect.true("the code", errors.take(), code)
    expect.true("the code afterwards", errors.take(), 0)


@covers("get_last_error.unrecorded_states")
def test_without_device(errors, expect):
    """Whether a question without a device leaves a code is recorded."""
    expect.observed(f"kept {errors.without_device(errors.after_question)}")


@covers("peek_at_last_error.parameter_errors")
def test_parameter_error(case, errors, expect):
    """Whether a NULL argument leaves a code is recorded."""
    refused = case.engine.c.call("aclrtGetDevice", deviceId=None)
    expect.observed(f"refused with {refused.code}, kept {errors.peek()}")


@covers("get_last_error.stop_mode_first", uses=("aclrtSetStreamFailureMode", "aclrtMemsetAsync"))
@isolated("a context that has stopped may be lost to its process")
def test_stop_mode(acl, case, memory, expect):
    """In stop mode the failure is told, and new work is refused."""
    block = memory.device(64)
    with Stopping(case) as context:
        stream = context.stream()
        context.stops(stream)
        failed = context.fail(stream)
        kept = acl.aclrtGetLastError(level=LEVEL).code
        codes = context.work(stream, block)
    expect.true("the code of the wait, which the thread keeps", (failed != 0, kept), (True, failed))
    expect.true("new work is refused", any(codes))
