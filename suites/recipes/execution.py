"""Valid calls of chapter 12: functions between tasks, time limits, reductions, random numbers, updates."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from suites.recipes import Bench, Call, recipe

_WAIT_MS = 1000


def _nothing(argument: int) -> None:
    """A callback that does nothing."""


def _waiting(bench: Bench, stream: int | None) -> Callable[[], Any]:
    """How to wait for a stream."""
    return lambda: bench.case.engine.c.call("aclrtSynchronizeStream", stream=stream)


def _subscribed(bench: Bench) -> tuple[int, int]:
    """A stream, and this thread, which serves its callbacks; taken back at the end."""
    stream, thread = bench.stream(), threading.get_ident()
    bench.call("aclrtSubscribeReport", threadId=thread, stream=stream)
    bench.at_end(lambda: _forget(bench, thread, stream))
    return stream, thread


def _forget(bench: Bench, thread: int, stream: int) -> None:
    """End a subscription; the call under test may have done so before."""
    bench.case.engine.c.call("aclrtUnSubscribeReport", threadId=thread, stream=stream)


# Functions between tasks


@recipe("aclrtSubscribeReport")
def subscribe_report(bench: Bench) -> Call:
    """This thread, for a stream."""
    call = Call({"threadId": threading.get_ident(), "stream": bench.stream()})
    call.undo = lambda result: bench.case.engine.c.call("aclrtUnSubscribeReport", **call.args)
    return call


@recipe("aclrtUnSubscribeReport")
def un_subscribe_report(bench: Bench) -> Call:
    """This thread, which serves a stream."""
    stream, thread = _subscribed(bench)
    return Call({"threadId": thread, "stream": stream})


@recipe("aclrtProcessReport")
def process_report(bench: Bench) -> Call:
    """A second in a thread that serves a stream; nothing is to be run, so only refusals are promised."""
    _subscribed(bench)
    return Call({"timeout": _WAIT_MS}, control=False, waits="timeout")


@recipe("aclrtLaunchCallback")
def launch_callback(bench: Bench) -> Call:
    """A function of this thread, which the tasks behind it wait for."""
    stream, _ = _subscribed(bench)
    args = {"fn": _nothing, "userData": None, "blockType": "ACL_CALLBACK_BLOCK", "stream": stream}
    c = bench.case.engine.c

    def settle() -> Any:
        c.call("aclrtProcessReport", timeout=_WAIT_MS)
        return c.call("aclrtSynchronizeStream", stream=stream)

    return Call(args, settle=settle)


@recipe("aclrtLaunchHostFunc")
def launch_host_func(bench: Bench) -> Call:
    """A function that does nothing."""
    call = Call({"stream": bench.stream(), "fn": _nothing, "args": None})
    call.settle = lambda: _waiting(bench, call.args["stream"])()
    return call


@recipe("aclrtSubscribeHostFunc")
def subscribe_host_func(bench: Bench) -> Call:
    """This thread, for a stream."""
    call = Call({"hostFuncThreadId": threading.get_ident(), "exeStream": bench.stream()})
    call.undo = lambda result: bench.case.engine.c.call("aclrtUnSubscribeHostFunc", **call.args)
    return call


@recipe("aclrtUnSubscribeHostFunc")
def un_subscribe_host_func(bench: Bench) -> Call:
    """This thread, which serves a stream."""
    args = {"hostFuncThreadId": threading.get_ident(), "exeStream": bench.stream()}
    c = bench.case.engine.c
    if bench.case.supports("aclrtSubscribeHostFunc"):
        bench.call("aclrtSubscribeHostFunc", **args)
        bench.at_end(lambda: c.call("aclrtUnSubscribeHostFunc", **args) and None)
    return Call(args)


@recipe("aclrtProcessHostFunc")
def process_host_func(bench: Bench) -> Call:
    """A second, though nothing is to be run."""
    return Call({"timeout": _WAIT_MS}, control=False, waits="timeout")


# Time limits


def _limit_kept(bench: Bench) -> None:
    """The time limit of operators is as it was at the end."""
    if not bench.case.supports("aclrtSetOpExecuteTimeOutV2"):
        return
    before = int(bench.call("aclrtGetOpExecuteTimeout").timeoutMs)
    bench.afterwards("aclrtSetOpExecuteTimeOutV2", timeout=before * 1000)


@recipe("aclrtGetOpTimeOutInterval", "aclrtGetOpExecuteTimeout")
def ask(bench: Bench) -> Call:
    """A question without arguments."""
    return Call({})


@recipe("aclrtGetThreadLastTaskId")
def get_thread_last_task_id(bench: Bench) -> Call:
    """The last task of this thread, which has made one."""
    block, stream = bench.memory.device(64), bench.stream()
    fill = {"devPtr": block, "maxCount": 64, "value": 1, "count": 64, "stream": stream}
    bench.call("aclrtMemsetAsync", **fill)
    bench.call("aclrtSynchronizeStream", stream=stream)
    return Call({})


@recipe("aclrtSetOpExecuteTimeOut", "aclrtSetOpExecuteTimeOutWithMs")
def set_op_execute_time_out(bench: Bench) -> Call:
    """A limit of 1000 seconds, or of one."""
    _limit_kept(bench)
    return Call({"timeout": 1000})


@recipe("aclrtSetOpExecuteTimeOutV2")
def set_op_execute_time_out_v2(bench: Bench) -> Call:
    """A second."""
    _limit_kept(bench)
    return Call({"timeout": 1_000_000})


# Reductions, random numbers, task updates


@recipe("aclrtReduceAsync")
def reduce_async(bench: Bench) -> Call:
    """The sum of 16 numbers."""
    target, source, stream = bench.memory.device(64).fill(0), bench.memory.device(64).fill(0), bench.stream()
    args = {"dst": target, "src": source, "count": 64, "type": "ACL_FLOAT", "stream": stream}
    args |= {"kind": "ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM", "reserve": None}
    return Call(args, watch=(target, source), settle=_waiting(bench, stream))


@recipe("aclrtRandomNumAsync")
def random_num_async(bench: Bench) -> Call:
    """16 numbers between 0 and 1."""
    result, stream = bench.memory.device(64), bench.stream()
    counter, bounds = bench.memory.device(64).fill(0), bench.memory.device(64).fill(0)
    info = {
        "dataType": "ACL_FLOAT",
        "randomNumFuncParaInfo": {"funcType": "ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS"},
        "randomParaAddr": bounds,
        "randomResultAddr": result,
        "randomCounterAddr": counter,
    }
    args = {"taskInfo": info, "stream": stream, "reserve": None}
    return Call(args, watch=(result,), settle=_waiting(bench, stream), control=False)


@recipe("aclrtTaskUpdateAsync")
def task_update_async(bench: Bench) -> Call:
    """A task of a stream that belongs to no model, which cannot be updated."""
    args = {"taskStream": bench.stream(), "taskId": 0, "execStream": bench.stream()}
    return Call({**args, "info": {"id": "ACL_RT_UPDATE_RANDOM_TASK"}}, control=False)
