"""Valid calls of chapter 15-02: capturing, executing, building and inspecting instances."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.binding import InOut, Result
from harness.plugin import Models
from suites.graph.building import HEAD
from suites.graph.captures import MOST, RELAXED
from suites.graph.graphs import Graphs
from suites.recipes import Bench, Call, recipe

_NAME_BYTES = 64


def _graphs(bench: Bench) -> Graphs:
    return Graphs(bench.case, bench.resources)


def _nothing(bench: Bench) -> int:
    """What stands for an instance or a task where the product has none."""
    return bench.memory.pageable(4096).fill(0).ptr


def _settling(bench: Bench, stream: int) -> Callable[[], Result]:
    return lambda: bench.case.engine.c.call("aclrtSynchronizeStream", stream=stream)


@recipe("aclmdlRICaptureBegin")
def begin(bench: Bench) -> Call:
    """A fresh stream, relaxed."""
    stream, graphs = bench.stream(), _graphs(bench)
    return Call({"stream": stream, "mode": RELAXED}, undo=lambda result: graphs.abandon(stream))


@recipe("aclmdlRICaptureEnd")
def end(bench: Bench) -> Call:
    """A capture of one copy."""
    graphs = _graphs(bench)
    stream = graphs.begin()
    graphs.copy(stream)
    return Call({"stream": stream}, undo=lambda result: graphs.keep(result.modelRI))


@recipe("aclmdlRICaptureGetInfo")
def info(bench: Bench) -> Call:
    """A stream that is being captured."""
    return Call({"stream": _graphs(bench).begin()})


@recipe("aclmdlRICaptureThreadExchangeMode")
def exchange(bench: Bench) -> Call:
    """To relaxed, and back."""
    mode = bench.memory.pageable(4).write(bytes([2, 0, 0, 0]))
    c = bench.case.engine.c
    return Call({"mode": mode}, undo=lambda result: c.call("aclmdlRICaptureThreadExchangeMode", mode=mode))


@recipe("aclmdlRICaptureTaskGrpBegin")
def begin_group(bench: Bench) -> Call:
    """A stream that is being captured."""
    stream, c = _graphs(bench).begin(), bench.case.engine.c
    return Call({"stream": stream}, undo=lambda result: c.call("aclmdlRICaptureTaskGrpEnd", stream=stream))


@recipe("aclmdlRICaptureTaskGrpEnd")
def end_group(bench: Bench) -> Call:
    """A stream with an open group."""
    graphs = _graphs(bench)
    stream = graphs.begin()
    bench.call("aclmdlRICaptureTaskGrpBegin", stream=stream)
    bench.at_end(lambda: _close_group(bench, stream))
    return Call({"stream": stream})


def _close_group(bench: Bench, stream: int) -> None:
    bench.case.engine.c.call("aclmdlRICaptureTaskGrpEnd", stream=stream)


@recipe("aclmdlRICaptureTaskUpdateBegin")
def begin_update(bench: Bench) -> Call:
    """A group without tasks, on a fresh stream; a card may want kernels in it."""
    graphs, stream, c = _graphs(bench), bench.stream(), bench.case.engine.c
    return Call(
        {"stream": stream, "handle": graphs.group()},
        undo=lambda result: c.call("aclmdlRICaptureTaskUpdateEnd", stream=stream),
        control=c.library.control is not None,
    )


@recipe("aclmdlRICaptureTaskUpdateEnd")
def end_update(bench: Bench) -> Call:
    """The update of such a group."""
    graphs, stream, c = _graphs(bench), bench.stream(), bench.case.engine.c
    begun = c.call("aclmdlRICaptureTaskUpdateBegin", stream=stream, handle=graphs.group())
    bench.at_end(lambda: _close_update(bench, stream))
    return Call({"stream": stream}, control=begun.ok)


def _close_update(bench: Bench, stream: int) -> None:
    bench.case.engine.c.call("aclmdlRICaptureTaskUpdateEnd", stream=stream)


@recipe("aclmdlRICondHandleCreate")
def create_condition(bench: Bench) -> Call:
    """A condition of an instance that is being captured."""
    graphs = _graphs(bench)
    given = {"defaultLaunchValue": 0, "flag": "ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT"}
    return Call({"modelRI": graphs.under_way().instance, **given})


@recipe("aclmdlRICondHandleGetCondPtr")
def condition_place(bench: Bench) -> Call:
    """A condition."""
    graphs = _graphs(bench)
    return Call({"handle": graphs.condition(graphs.under_way().instance)})


@recipe("aclmdlRIAddCondTask")
def add_condition(bench: Bench) -> Call:
    """A task with one body, in a capture."""
    graphs = _graphs(bench)
    graph = graphs.under_way()
    params, _ = graphs.branch(graph.instance)
    return Call({"params": params, "stream": graph.stream, "flags": 0})


@recipe("aclmdlRICaptureToModelRIBegin")
def capture_into(bench: Bench) -> Call:
    """The body of a conditional task, on a fresh stream."""
    graphs, stream = _graphs(bench), bench.stream()
    body = graphs.body(graphs.under_way())
    return Call(
        {"stream": stream, "modelRI": body, "mode": RELAXED},
        undo=lambda result: graphs.call("aclmdlRICaptureEnd", stream=stream),
    )


@recipe("aclmdlRIExecuteAsync")
def execute_async(bench: Bench) -> Call:
    """A captured copy, on a fresh stream."""
    graphs, stream = _graphs(bench), bench.stream()
    args = {"modelRI": graphs.captured(), "stream": stream}
    return Call(args, settle=_settling(bench, stream))


@recipe("aclmdlRIExecute")
def execute(bench: Bench) -> Call:
    """A built instance, for as long as it takes."""
    return Call({"modelRI": _graphs(bench).built().instance, "timeout": -1})


@recipe("aclmdlRIAbort")
def abort(bench: Bench) -> Call:
    """A built instance."""
    return Call({"modelRI": _graphs(bench).built().instance})


@recipe("aclmdlRIDestroy")
def destroy(bench: Bench) -> Call:
    """A built instance."""
    graphs = _graphs(bench)
    instance = graphs.built().instance
    return Call({"modelRI": instance}, undo=lambda result: graphs.forget(instance))


def _called(user_data: int) -> None:
    """What is called when an instance goes."""


@recipe("aclmdlRIDestroyRegisterCallback")
def register_callback(bench: Bench) -> Call:
    """A function for the end of a built instance."""
    return Call({"modelRI": _graphs(bench).built().instance, "func": _called, "userData": None})


@recipe("aclmdlRIDestroyUnregisterCallback")
def unregister_callback(bench: Bench) -> Call:
    """A function that is registered."""
    instance = _graphs(bench).built().instance
    function = bench.case.engine.library.callback("aclrtCallback", _called)
    bench.call("aclmdlRIDestroyRegisterCallback", modelRI=instance, func=function, userData=None)
    return Call({"modelRI": instance, "func": function})


@recipe("aclmdlRISetName")
def set_name(bench: Bench) -> Call:
    """A short name."""
    return Call({"modelRI": _graphs(bench).built().instance, "name": "short"})


@recipe("aclmdlRIGetName")
def get_name(bench: Bench) -> Call:
    """No name yet, with room for 64 bytes."""
    room = bench.memory.pageable(_NAME_BYTES)
    return Call({"modelRI": _graphs(bench).built().instance, "maxLen": room.size, "name": room})


@recipe("aclmdlRIGetId", "aclmdlRIDebugPrint", "aclmdlRIUpdate")
def ask_instance(bench: Bench) -> Call:
    """A captured copy."""
    return Call({"modelRI": _graphs(bench).captured()})


@recipe("aclmdlRIDebugJsonPrint")
def print_json(bench: Bench) -> Call:
    """A file in a folder of the case's own."""
    folder: Path = Models(bench.case, bench.resources).folder()
    return Call({"modelRI": _graphs(bench).captured(), "path": str(folder / "graph.json"), "flags": 0})


@recipe("aclmdlRIBuildBegin")
def begin_building(bench: Bench) -> Call:
    """Nothing."""
    graphs = _graphs(bench)
    return Call({"flag": 0}, undo=lambda result: graphs.keep(result.modelRI))


@recipe("aclmdlRIBindStream")
def bind(bench: Bench) -> Call:
    """A persistent stream that starts with the instance."""
    graphs = _graphs(bench)
    instance, stream = graphs.building().instance, graphs.persistent_stream()
    graphs.unbind_later(instance, stream)
    return Call({"modelRI": instance, "stream": stream, "flag": HEAD})


@recipe("aclmdlRIUnbindStream", "aclmdlRIEndTask")
def bound(bench: Bench) -> Call:
    """A stream of an instance that is being built."""
    building = _graphs(bench).building()
    return Call({"modelRI": building.instance, "stream": building.stream})


@recipe("aclmdlRIBuildEnd")
def end_building(bench: Bench) -> Call:
    """An instance whose one stream is at its end."""
    return Call({"modelRI": _graphs(bench).ended().instance, "reserve": None})


@recipe("aclmdlRIGetStreams")
def streams(bench: Bench) -> Call:
    """The one stream of a captured copy."""
    graphs = _graphs(bench)
    return Call({"modelRI": graphs.captured(), "streams": graphs.array(), "numStreams": InOut(MOST)})


@recipe("aclmdlRIGetTasksByStream")
def tasks(bench: Bench) -> Call:
    """The one task of that stream."""
    graphs = _graphs(bench)
    (stream,) = graphs.streams(graphs.captured())
    return Call({"stream": stream, "tasks": graphs.array(), "numTasks": InOut(MOST)})


def _task(bench: Bench, **args: Any) -> Call:
    graphs = _graphs(bench)
    return Call({"task": graphs.tasks(graphs.captured())[0], **args})


@recipe("aclmdlRITaskGetSeqId", "aclmdlRITaskGetType", "aclmdlRITaskGetParams")
def ask_task(bench: Bench) -> Call:
    """A captured copy."""
    return _task(bench)


@recipe("aclmdlRITaskSetParams")
def set_task(bench: Bench) -> Call:
    """A captured copy, whose parameters cannot be set: only kernels have such."""
    call = _task(bench, params={"type": "ACL_MODEL_RI_TASK_DEFAULT"})
    call.control = False
    return call


@recipe("aclmdlRITaskDisable")
def disable_task(bench: Bench) -> Call:
    """A captured copy, which cannot be disabled: only kernels can."""
    call = _task(bench)
    call.control = False
    return call


@recipe("aclmdlRIKernelTaskGetAttribute")
def task_attribute(bench: Bench) -> Call:
    """A captured copy, which has no attributes: only kernels have."""
    call = _task(bench, attrId=0)
    call.control = False
    return call
