"""What becomes of a stream, and of others, when one of its tasks fails: it goes on, or its context stops."""

from __future__ import annotations

from harness.plugin import covers, isolated
from suites.failing import put_failing_task
from suites.runtime.stream.stopping import Stopping

STOP = "ACL_STOP_ON_FAILURE"
LOST = "a context that has stopped may be lost to its process"


@covers("synchronize_stream.async_error")
def test_told(acl, case, stream, expect):
    """The wait for a stream tells that one of its tasks has failed."""
    put_failing_task(case, stream)
    result = acl.aclrtSynchronizeStream(stream=stream)
    expect.refused(result)


@covers("synchronize_stream.async_error", uses=["aclrtMemsetAsync"])
def test_told_again(acl, case, desk, stream, expect):
    """It tells so again when a later task has failed, and the wait for NULL tells of the default stream."""
    case.needs("aclrtMemsetAsync", "aclrtCtxGetCurrentDefaultStream")
    put_failing_task(case, stream)
    desk.forget_failures(stream)
    put_failing_task(case, stream)
    again = acl.aclrtSynchronizeStream(stream=stream)
    put_failing_task(case, desk.must("aclrtCtxGetCurrentDefaultStream").stream)
    of_default = acl.aclrtSynchronizeStream(stream=None)
    expect.refused(again)
    expect.refused(of_default)


@covers("set_stream_failure_mode.continue_runs_later_tasks", uses=["aclrtMemsetAsync"])
def test_goes_on(acl, case, memory, expect):
    """In continue mode the tasks behind one that fails are done."""
    word = memory.device(64).fill(0)
    with Stopping(case) as context:
        stream = context.stream()
        expect.success(acl.aclrtSetStreamFailureMode(stream=stream, mode="ACL_CONTINUE_ON_FAILURE"))
        failed = context.fail(stream, word)
    expect.true("the failure is told", failed != 0)
    expect.data(word, 1)


@covers("set_stream_failure_mode.stop_blocks_later_tasks", uses=["aclrtMemsetAsync"])
@isolated(LOST)
def test_stops(acl, case, memory, expect):
    """In stop mode the tasks behind one that fails are not done, and new ones are refused."""
    behind, later = memory.device(64), memory.device(64)
    with Stopping(case) as context:
        stream = context.stream()
        expect.success(acl.aclrtSetStreamFailureMode(stream=stream, mode=STOP))
        failed = context.fail(stream, behind)
        codes = context.work(stream, later)
    expect.true("the failure is told", failed != 0)
    expect.true("new work is refused", any(codes))
    expect.unchanged(behind, later, where="after the failure")


@covers("set_stream_failure_mode.whole_context", uses=["aclrtMemsetAsync"])
@isolated(LOST)
def test_stops_all(acl, case, memory, expect):
    """A failure in stop mode stops the other streams of the context."""
    later = memory.device(64)
    with Stopping(case) as context:
        stream, other = context.stream(), context.stream()
        expect.success(acl.aclrtSetStreamFailureMode(stream=stream, mode=STOP))
        context.fail(stream)
        codes = context.work(other, later)
    expect.true("work of the other stream is refused", any(codes))
    expect.unchanged(later, where="after the failure")


@covers("set_stream_failure_mode.other_context_unaffected")
@isolated(LOST)
def test_other_context(acl, case, memory, stream, expect):
    """Whether a stream of another context still works is recorded."""
    with Stopping(case) as context:
        failing = context.stream()
        expect.success(acl.aclrtSetStreamFailureMode(stream=failing, mode=STOP))
        context.fail(failing)
        codes = context.elsewhere(stream, memory.device(64))
    expect.observed(f"queueing and waiting returned {codes}")


@covers("set_stream_failure_mode.model_bound")
def test_bound(acl, model, expect):
    """The mode of a stream of a model cannot be set."""
    result = acl.aclrtSetStreamFailureMode(stream=model.stream(), mode=STOP)
    expect.refused(result)
