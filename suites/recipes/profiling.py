"""Valid calls of chapter 19: collecting, marks of the program, subscriptions, steps."""

from __future__ import annotations

from typing import Any

from harness.device import Block
from suites.recipes import Bench, Call, recipe
from suites.services.collecting import MARKERS, Collection
from suites.services.folders import fresh_folder
from suites.services.objects import Objects
from suites.services.subscribed import Pipe, Subscription

_ROOM = 512
"""Bytes of a block for a text of a record."""


def _noted(bench: Bench, api: str, args: dict[str, Any]) -> Call:
    """A call whose object goes at the end."""
    objects = Objects()
    bench.at_end(lambda: objects.give_back(bench.case.engine.c))
    return Call(args, undo=lambda result: objects.note(api, args, result))


@recipe("aclprofInit")
def init(bench: Bench) -> Call:
    """An empty folder."""
    folder = str(fresh_folder(bench.resources))
    args = {"profilerResultPath": folder, "length": len(folder)}
    return Call(args, undo=lambda result: bench.call("aclprofFinalize"))


@recipe("aclprofCreateConfig")
def create_config(bench: Bench) -> Call:
    """Device 0, with the times of tasks."""
    args = {
        "deviceIdList": [0],
        "deviceNums": 1,
        "aicoreMetrics": "ACL_AICORE_NONE",
        "aicoreEvents": None,
        "dataTypeConfig": "ACL_PROF_TASK_TIME",
    }
    return _noted(bench, "aclprofCreateConfig", args)


@recipe("aclprofDestroyConfig")
def destroy_config(bench: Bench) -> Call:
    """A configuration."""
    held = [Collection.config(bench.resources, bench.case)]

    def destroy() -> None:
        for each in held:
            bench.call("aclprofDestroyConfig", profilerConfig=each)

    bench.at_end(destroy)
    return Call({"profilerConfig": held[0]}, undo=lambda result: held.clear())


@recipe("aclprofSetConfig")
def set_config(bench: Bench) -> Call:
    """Memory is sampled fifty times a second."""
    return Call({"configType": "ACL_PROF_SYS_HARDWARE_MEM_FREQ", "config": "50", "configLength": 2})


@recipe("aclprofMark", "aclprofPush")
def of_stamp(bench: Bench) -> Call:
    """A stamp, while markers are collected."""
    return Call({"stamp": Collection(bench.case, bench.resources, MARKERS).stamp()})


@recipe("aclprofSetStampTraceMessage")
def set_message(bench: Bench) -> Call:
    """A short message."""
    stamp = Collection(bench.case, bench.resources, MARKERS).stamp()
    return Call({"stamp": stamp, "msg": "mark", "msgLen": 4})


@recipe("aclprofMarkEx")
def mark_ex(bench: Bench) -> Call:
    """A short message on a stream."""
    Collection(bench.case, bench.resources, MARKERS)
    return Call({"msg": "mark", "msgLen": 4, "stream": bench.stream()})


@recipe("aclprofRangeStart")
def range_start(bench: Bench) -> Call:
    """A stamp, while markers are collected."""
    call = of_stamp(bench)
    call.undo = lambda result: bench.call("aclprofRangeStop", rangeId=result.rangeId)
    return call


@recipe("aclprofRangeStop")
def range_stop(bench: Bench) -> Call:
    """A range that has begun."""
    stamp = Collection(bench.case, bench.resources, MARKERS).stamp()
    return Call({"rangeId": bench.call("aclprofRangeStart", stamp=stamp).rangeId})


@recipe("aclprofRangePushEx")
def range_push_ex(bench: Bench) -> Call:
    """A range of one operator without tensors, while markers are collected."""
    attributes = Collection(bench.case, bench.resources, MARKERS).attributes()
    return Call({"attr": attributes}, undo=lambda result: bench.call("aclprofRangePop"))


@recipe("aclprofCreateSubscribeConfig")
def create_subscribe_config(bench: Bench) -> Call:
    """A pipe."""
    pipe = Pipe(bench.resources)
    args = {"timeInfoSwitch": 1, "aicoreMetrics": "ACL_AICORE_NONE", "fd": pipe.number}
    return _noted(bench, "aclprofCreateSubscribeConfig", args)


@recipe("aclprofDestroySubscribeConfig")
def destroy_subscribe_config(bench: Bench) -> Call:
    """A configuration."""
    pipe, objects = Pipe(bench.resources), Objects()
    bench.at_end(lambda: objects.give_back(bench.case.engine.c))
    given = {"timeInfoSwitch": 1, "aicoreMetrics": "ACL_AICORE_NONE", "fd": pipe.number}
    made = bench.call("aclprofCreateSubscribeConfig", **given)
    objects.note("aclprofCreateSubscribeConfig", given, made)
    args = {"profSubscribeConfig": made.value}
    return Call(args, undo=lambda result: objects.note("aclprofDestroySubscribeConfig", args, result))


@recipe("aclprofModelSubscribe")
def subscribe(bench: Bench) -> Call:
    """A model that is loaded."""
    means = Subscription(bench.case, bench.resources)
    args = {"modelId": means.model.id, "profSubscribeConfig": means.config}
    return Call(args, undo=lambda result: means.end())


@recipe("aclprofModelUnSubscribe")
def unsubscribe(bench: Bench) -> Call:
    """A model that is subscribed."""
    means = Subscription(bench.case, bench.resources)
    means.begin()
    return Call({"modelId": means.model.id})


@recipe("aclprofGetOpDescSize")
def record_size(bench: Bench) -> Call:
    """Nothing."""
    return Call({})


def _records(bench: Bench) -> dict[str, Any]:
    records = Subscription(bench.case, bench.resources).records()
    return {"opInfo": records, "opInfoLen": records.size}


@recipe("aclprofGetOpNum")
def count_records(bench: Bench) -> Call:
    """The records of one run."""
    return Call(_records(bench))


@recipe("aclprofGetOpTypeLen", "aclprofGetOpNameLen")
def text_length(bench: Bench) -> Call:
    """The first record of one run."""
    return Call({**_records(bench), "index": 0})


def _text(bench: Bench, output: str, length: str) -> Call:
    room: Block = bench.memory.pageable(_ROOM)
    # pyACL asks for the length itself.
    given = {output: room, length: _ROOM} if bench.case.surface == "c" else {}
    return Call({**_records(bench), "index": 0, **given}, watch=(room,))


@recipe("aclprofGetOpType")
def operator_type(bench: Bench) -> Call:
    """The first record of one run, with room for its text."""
    return _text(bench, "opType", "opTypeLen")


@recipe("aclprofGetOpName")
def operator_name(bench: Bench) -> Call:
    """The first record of one run, with room for its text."""
    return _text(bench, "opName", "opNameLen")


@recipe("aclprofGetOpAttriValue")
def operator_attribute(bench: Bench) -> Call:
    """The thread of the first record of one run."""
    return Call({**_records(bench), "index": 0, "attri": "ACL_SUBSCRIBE_ATTRI_THREADID"})


@recipe("aclprofGetStepTimestamp")
def step_timestamp(bench: Bench) -> Call:
    """The start of a step on a stream."""
    step = int(bench.call("aclprofCreateStepInfo").value)
    bench.afterwards("aclprofDestroyStepInfo", stepinfo=step)
    return Call({"stepInfo": step, "tag": "ACL_STEP_START", "stream": bench.stream()})


@recipe("aclprofCreateStepInfo")
def create_step_info(bench: Bench) -> Call:
    """Nothing."""
    return _noted(bench, "aclprofCreateStepInfo", {})


@recipe("aclprofDestroyStepInfo")
def destroy_step_info(bench: Bench) -> Call:
    """A step, where the product has such objects; a made-up one else, for refusals only."""
    supported = bench.case.supports("aclprofCreateStepInfo")
    made = bench.call("aclprofCreateStepInfo").value if supported else bench.memory.pageable(64)
    return Call({"stepinfo": made})
