"""Valid calls of single operators: attributes, loading, executing, handles."""

from __future__ import annotations

from collections.abc import Callable

from suites.operators.attributes import NAME, VALUES, values_for
from suites.operators.loaded import LoadedOperators
from suites.recipes import Bench, Call, recipe
from suites.services.objects import Objects


def _made(bench: Bench) -> tuple[int, Objects]:
    """An attribute set, where the product has such; it goes at the end."""
    objects = Objects()
    bench.at_end(lambda: objects.give_back(bench.case.engine.c))
    if not bench.case.supports("aclopCreateAttr"):
        return bench.memory.pageable(4096).fill(0).ptr, objects
    made = bench.call("aclopCreateAttr")
    objects.note("aclopCreateAttr", {}, made)
    return int(made.value), objects


@recipe("aclopCreateAttr")
def create_attributes(bench: Bench) -> Call:
    """Nothing."""
    objects = Objects()
    bench.at_end(lambda: objects.give_back(bench.case.engine.c))
    return Call({}, undo=lambda result: objects.note("aclopCreateAttr", {}, result))


@recipe("aclopDestroyAttr")
def destroy_attributes(bench: Bench) -> Call:
    """An empty set."""
    made, objects = _made(bench)
    args = {"attr": made}
    return Call(args, undo=lambda result: objects.note("aclopDestroyAttr", args, result))


def _setting(api: str) -> Callable[[Bench], Call]:
    """The last of the values that a function must take."""

    def make(bench: Bench) -> Call:
        values = values_for(bench.case.surface, VALUES[api][-1])
        return Call({"attr": _made(bench)[0], "attrName": NAME, **values})

    return make


for _api in VALUES:
    recipe(_api)(_setting(_api))


_LENGTH = 20000
"""The length of the queue where nobody sets one."""

_EXECUTING = ("aclopExecute", "aclopExecuteV2", "aclopExecWithHandle")


def _operators(bench: Bench) -> LoadedOperators:
    return LoadedOperators(bench.case, bench.resources)


def _nothing(bench: Bench) -> int:
    """What stands for an object that the product has none of."""
    return bench.memory.pageable(4096).fill(0).ptr


@recipe("aclopSetModelDir")
def set_model_dir(bench: Bench) -> Call:
    """A folder with one operator. It can be set once in a process, so that only refusals are tried."""
    return Call({"modelDir": _operators(bench).folder({"": "op_add"})}, control=False)


@recipe("aclopLoad")
def load(bench: Bench) -> Call:
    """An addition."""
    return Call(_operators(bench).image("op_add"))


@recipe("aclopSetMaxOpQueueNum")
def set_queue_length(bench: Bench) -> Call:
    """The length that is in use."""
    return Call({"maxOpNum": _LENGTH})


def _executing(api: str) -> Callable[[Bench], Call]:
    """An addition of two vectors."""

    def make(bench: Bench) -> Call:
        operators, stream = _operators(bench), bench.stream()
        if not bench.case.supports(api):
            return executing_nothing(bench, api, stream)
        job = operators.loaded_job("op_add")
        return Call(
            operators.asked(api, job, stream),
            watch=job.output_blocks,
            settle=lambda: bench.case.engine.c.call("aclrtSynchronizeStream", stream=stream),
        )

    return make


for _api in _EXECUTING:
    recipe(_api)(_executing(_api))


def executing_nothing(bench: Bench, api: str, stream: int) -> Call:
    """A valid call that executes where the product has no operators: the descriptions stand for none."""
    operators = _operators(bench)
    nothing, block = _nothing(bench), bench.memory.device(32)
    buffers = {
        "numInputs": 1,
        "inputs": [operators.buffer(block, 32)],
        "numOutputs": 1,
        "outputs": [operators.buffer(block, 32)],
        "stream": stream,
    }
    if api == "aclopExecWithHandle":
        return Call({"handle": nothing, **buffers}, watch=(block,))
    described = {"opType": "Add", "inputDesc": [nothing], "outputDesc": [nothing], "attr": None}
    return Call({**described, **buffers}, watch=(block,))


@recipe("aclopCreateHandle")
def create_handle(bench: Bench) -> Call:
    """A handle of an addition, where one can be loaded."""
    operators, c = _operators(bench), bench.case.engine.c
    if not bench.case.supports("aclopCreateHandle"):
        nothing = _nothing(bench)
        descs = {"numInputs": 1, "inputDesc": [nothing], "numOutputs": 1, "outputDesc": [nothing]}
        return Call({"opType": "Add", **descs, "opAttr": None})
    return Call(
        operators.job_for_handle("op_add").for_handle,
        undo=lambda result: c.call("aclopDestroyHandle", handle=result.handle),
        control=bench.case.supports("aclopLoad"),
    )


@recipe("aclopDestroyHandle")
def destroy_handle(bench: Bench) -> Call:
    """A handle of an addition."""
    operators = _operators(bench)
    if not bench.case.supports("aclopLoad"):
        return Call({"handle": _nothing(bench)})
    return Call({"handle": operators.passing_handle(operators.loaded_job("op_add"))})
