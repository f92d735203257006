"""aclrtLaunchHostFunc: functions that a thread of the library runs between the tasks of a stream."""

from __future__ import annotations

import threading

from harness.plugin import covers, isolated
from suites.runtime.execution.callbacks import apart


@covers("launch_host_func.runs_once")
def test_in_order(callbacks, expect, stream):
    """Forty functions run once each, in the order they were put on the stream."""
    callbacks.launch_many(callbacks.launch_host, stream, 40)
    expect.true("the arguments", callbacks.calls.arguments, apart(40))


@covers("launch_host_func.blocks_stream", uses=("aclrtMemsetAsync",))
def test_blocks(acl, callbacks, expect, memory, stream):
    """Tasks behind a function wait until it has come back."""
    block = memory.device(64)
    expect.success(callbacks.launch_host(stream, waits=True))
    expect.success(acl.aclrtMemsetAsync(devPtr=block, maxCount=64, value=1, count=64, stream=stream))
    callbacks.begun()
    callbacks.given_time()
    expect.unchanged(block)
    callbacks.calls.gate.set()
    callbacks.wait(stream)
    expect.data(block, 1)


@covers("launch_host_func.no_subscription")
def test_thread(callbacks, expect, stream):
    """A function runs in a thread other than the caller's, without a subscription."""
    expect.success(callbacks.launch_host(stream))
    callbacks.wait(stream)
    expect.true("one call, elsewhere", [t != threading.get_ident() for t in callbacks.calls.threads], [True])


@covers("launch_host_func.asynchronous", "launch_host_func.sync_covers_it")
def test_asynchronous(callbacks, expect, stream):
    """The call comes back before the function does, and waiting for the stream waits for it."""
    result = callbacks.launch_host(stream, 3, waits=True)
    ended = list(callbacks.calls.arguments)
    callbacks.open_soon()
    expect.success(result)
    expect.true("ended when the call came back", ended, [], rule="launch_host_func.asynchronous")
    callbacks.wait(stream)
    expect.true("ended afterwards", callbacks.calls.arguments, [3], rule="launch_host_func.sync_covers_it")


@covers("launch_host_func.null_stream")
def test_default_stream(callbacks, expect, blocked_stream):
    """NULL stands for the default stream: a function runs when that comes to it."""
    with blocked_stream(None) as hold:
        expect.success(callbacks.launch_host(None, 3))
        callbacks.given_time()
        before = list(callbacks.calls.arguments)
        hold.release()
    callbacks.wait(None)
    expect.true("the arguments before and after", (before, callbacks.calls.arguments), ([], [3]))


@covers("launch_host_func.null_args")
def test_no_argument(callbacks, expect, stream):
    """A function may have no argument."""
    expect.success(callbacks.launch_host(stream, None))
    callbacks.wait(stream)
    expect.true("the arguments", callbacks.calls.arguments, [0])


@covers("launch_host_func.no_runtime_calls")
@isolated("a function that calls the library may hang it")
def test_calls_inside(acl, case, callbacks, expect, stream):
    """What a call of the library inside a function gives is recorded."""
    answers = []
    ask = case.engine.c.call
    launch = {"stream": stream, "fn": lambda _: answers.append(ask("aclrtGetDevice").code), "args": None}
    expect.success(acl.aclrtLaunchHostFunc(**launch))
    callbacks.wait(stream)
    expect.observed(f"the calls returned {answers}")


@covers("subscribe_host_func.many_streams", uses=("aclrtUnSubscribeHostFunc",))
def test_many_streams(acl, expect, stream, other_stream, afterwards):
    """One thread serves two streams."""
    ends = [{"hostFuncThreadId": threading.get_ident(), "exeStream": each} for each in (stream, other_stream)]
    results = [acl.aclrtSubscribeHostFunc(**each) for each in ends]
    afterwards("aclrtUnSubscribeHostFunc", **ends[0])
    afterwards("aclrtUnSubscribeHostFunc", **ends[1])
    expect.true("answers", [result.code for result in results], [0, 0])
