"""aclrtLaunchCallback, aclrtSubscribeReport, aclrtProcessReport: functions run by a thread of the caller."""

from __future__ import annotations

import threading

from harness.plugin import covers, isolated, sequential
from suites.runtime.execution.callbacks import apart

MOST_THREADS = 1024
NEIGHBOURS = ("aclrtGetOpTimeOutInterval", "aclrtGetOpExecuteTimeout", "aclrtGetThreadLastTaskId")


@covers("launch_callback.one_call_each")
def test_in_order(callbacks, expect, stream):
    """Forty callbacks run once each, in the order they were put on the stream."""
    with callbacks.server(stream):
        callbacks.launch_many(callbacks.launch, stream, 40)
        expect.true("the arguments", callbacks.calls.arguments, apart(40))


@covers("launch_callback.in_subscribed_thread")
def test_thread(callbacks, expect, stream):
    """A callback runs in the thread that was subscribed."""
    with callbacks.server(stream) as server:
        expect.success(callbacks.launch(stream))
        callbacks.wait(stream)
        expect.true("the threads", callbacks.calls.threads, [server.ident])


@covers("launch_callback.after_prior_tasks", uses=("aclrtRecordEvent", "aclrtStreamWaitEvent"))
def test_after_tasks(acl, callbacks, expect, stream, other_stream, event, blocked_stream):
    """A callback does not run before the tasks in front of it."""
    with callbacks.server(stream), blocked_stream(other_stream) as hold:
        expect.success(acl.aclrtRecordEvent(event=event, stream=other_stream))
        expect.success(acl.aclrtStreamWaitEvent(stream=stream, event=event))
        expect.success(callbacks.launch(stream))
        callbacks.given_time()
        expect.true("calls while the stream waits", callbacks.calls.arguments, [])
        hold.release()


@covers("launch_callback.block", uses=("aclrtMemsetAsync",))
def test_block(acl, case, callbacks, expect, memory, stream):
    """Tasks behind a blocking callback wait until it has come back."""
    case.needs("aclrtMemsetAsync")
    block = memory.device(64)
    with callbacks.server(stream):
        expect.success(callbacks.launch(stream, waits=True))
        expect.success(acl.aclrtMemsetAsync(devPtr=block, maxCount=64, value=1, count=64, stream=stream))
        callbacks.begun()
        callbacks.given_time()
        expect.unchanged(block)


@covers("launch_callback.no_block", uses=("aclrtRecordEvent", "aclrtSynchronizeEvent"))
def test_no_block(acl, callbacks, expect, event, stream):
    """Tasks behind a callback that does not block go on while it runs."""
    with callbacks.server(stream):
        expect.success(callbacks.launch(stream, waits=True, blocks=False))
        expect.success(acl.aclrtRecordEvent(event=event, stream=stream))
        callbacks.begun()
        expect.success(acl.aclrtSynchronizeEvent(event=event))
        expect.true("callbacks that have ended", callbacks.calls.arguments, [])


@covers("launch_callback.asynchronous")
def test_asynchronous(callbacks, expect, stream):
    """A further callback is accepted while one still runs."""
    with callbacks.server(stream):
        expect.success(callbacks.launch(stream, waits=True))
        callbacks.begun()
        expect.success(callbacks.launch(stream))
        expect.true("callbacks that have ended", callbacks.calls.arguments, [])


@covers("launch_callback.not_mixed", uses=("aclrtLaunchHostFunc",))
def test_not_mixed(callbacks, expect, stream):
    """What a host function on a stream with callbacks gives is recorded."""
    with callbacks.server(stream):
        expect.observed(callbacks.launch_host(stream))


@covers("subscribe_report.many_streams")
def test_many_streams(callbacks, expect, stream, other_stream):
    """One thread serves two streams."""
    with callbacks.server(stream, other_stream) as server:
        expect.success(callbacks.launch(stream, 1))
        callbacks.wait(stream)
        expect.success(callbacks.launch(other_stream, 2))
        callbacks.wait(other_stream)
        expect.true("the arguments", callbacks.calls.arguments, [1, 2])
        expect.true("the threads", callbacks.calls.threads, [server.ident, server.ident])


@covers("subscribe_report.one_thread_per_stream")
def test_second_thread(acl, callbacks, expect, stream):
    """A stream that has its thread takes no other."""
    with callbacks.server(stream):
        expect.refused(acl.aclrtSubscribeReport(threadId=threading.get_ident(), stream=stream))


@covers("subscribe_report.one_thread_per_stream")
def test_subscribed_again(acl, callbacks, expect, stream):
    """A stream that has its thread does not take it again."""
    with callbacks.server(stream) as server:
        expect.refused(acl.aclrtSubscribeReport(threadId=server.ident, stream=stream))


@covers("subscribe_report.one_device_per_thread")
def test_two_devices(acl, case, desk, callbacks, expect, second_device, stream):
    """A thread that serves a stream of one device takes none of another."""
    with callbacks.server(stream) as server, desk.second(second_device):
        there = case.resources.stream()
        result = acl.aclrtSubscribeReport(threadId=server.ident, stream=there)
        desk.must("aclrtDestroyStream", stream=there)
        case.resources.forget(there)
    expect.refused(result)


@covers("subscribe_report.max_threads")
@sequential
def test_most_threads(callbacks, expect):
    """1024 threads serve callbacks, and no more."""
    accepted, result = callbacks.threads_until_refused(MOST_THREADS)
    expect.true("threads", accepted, MOST_THREADS)
    expect.refused(result)


@covers("subscribe_report.ipv350", uses=("aclrtUnSubscribeReport",))
def test_only_calls(acl, callbacks, expect, stream):
    """What the neighbours of this family answer where only the family exists is recorded."""
    with callbacks.server(stream):
        expect.observed(callbacks.answers(NEIGHBOURS))


@covers("un_subscribe_report.stops", uses=("aclrtLaunchCallback",))
@isolated("a callback that nobody runs may hold its stream")
def test_not_served(acl, callbacks, expect, stream):
    """A thread that was taken back runs no callback of the stream any more."""
    with callbacks.server(stream) as server:
        expect.success(acl.aclrtUnSubscribeReport(threadId=server.ident, stream=stream))
        launched = callbacks.launch(stream)
        callbacks.given_time()
        expect.true("callbacks that have run", callbacks.calls.arguments, [])
    expect.observed(launched)


@covers("un_subscribe_report.stops", uses=("aclrtLaunchCallback",))
@isolated("a callback that nobody runs may hold its stream")
def test_other_stream_served(acl, callbacks, expect, stream, other_stream):
    """A thread that was taken back from one stream still serves the other."""
    with callbacks.server(stream, other_stream) as server:
        expect.success(acl.aclrtUnSubscribeReport(threadId=server.ident, stream=stream))
        expect.success(callbacks.launch(other_stream, 2))
        callbacks.wait(other_stream)
        expect.true("the arguments", callbacks.calls.arguments, [2])


@covers("un_subscribe_report.resubscribe")
def test_resubscribe(acl, callbacks, expect, stream, afterwards):
    """A stream whose thread was taken back takes another one."""
    with callbacks.server(stream) as server:
        expect.success(acl.aclrtUnSubscribeReport(threadId=server.ident, stream=stream))
        ends = {"threadId": threading.get_ident(), "stream": stream}
        expect.success(acl.aclrtSubscribeReport(**ends))
        afterwards("aclrtUnSubscribeReport", **ends)


@covers("process_report.waits_for_callback")
def test_process(callbacks, expect, stream):
    """The call waits until there is a callback, and runs it."""
    callbacks.subscribe_here(stream)
    callbacks.launch_soon(stream)
    expect.success(callbacks.process(5000))
    expect.true("the arguments", callbacks.calls.arguments, [7])


@covers("process_report.minus_one")
def test_process_without_bound(callbacks, expect, stream):
    """Without a bound the call waits until there is a callback, and runs it."""
    callbacks.subscribe_here(stream)
    callbacks.launch_soon(stream)
    expect.success(callbacks.process(-1))
    expect.true("the arguments", callbacks.calls.arguments, [7])


@covers("process_report.expiry")
def test_process_expires(callbacks, expect, stream):
    """With nothing to run the call ends when its time is over."""
    callbacks.subscribe_here(stream)
    result, seconds = callbacks.timed_process(100)
    expect.code(result, "ACL_ERROR_RT_REPORT_TIMEOUT")
    expect.within("seconds it took", seconds, 0.09, 5)


@covers("process_report.unsubscribed_thread")
def test_process_unsubscribed(callbacks, expect):
    """A thread that serves no stream has nothing to wait for."""
    expect.refused(callbacks.process(100))
