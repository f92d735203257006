"""Valid calls of the online compiler: operators, options, graphs that are dumped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from suites.operators.compile_options import JIT
from suites.operators.compiling import HOW, Compiling
from suites.operators.dumped_graphs import DumpedGraphs
from suites.operators.loaded import LoadedOperators
from suites.recipes import Bench, Call, recipe
from suites.recipes.operators import executing_nothing
from suites.services.folders import fresh_folder
from suites.services.objects import Objects

_ROOM = 64
_BUFFERS = ("inputs", "outputs", "stream")


def _operators(bench: Bench) -> LoadedOperators:
    return LoadedOperators(bench.case, bench.resources)


@recipe("aclopCompile")
def compile_operator(bench: Bench) -> Call:
    """An addition of two vectors."""
    if not bench.case.supports("aclopCompile"):
        given = executing_nothing(bench, "aclopExecuteV2", bench.stream()).args
        return Call({**{name: given[name] for name in given if name not in _BUFFERS}, **HOW})
    operators = _operators(bench)
    compiling = Compiling(bench.case.engine.c, operators)
    return Call(compiling.only(operators.job("op_add")))


def _executing(api: str) -> Callable[[Bench], Call]:
    """The same, executed."""

    def make(bench: Bench) -> Call:
        c, stream = bench.case.engine.c, bench.stream()
        if not bench.case.supports(api):
            call = executing_nothing(bench, api, stream)
            return Call({**call.args, **HOW}, watch=call.watch)
        operators = _operators(bench)
        job = operators.job("op_add")
        return Call(
            Compiling(c, operators).arguments(job, stream),
            watch=job.output_blocks,
            settle=lambda: c.call("aclrtSynchronizeStream", stream=stream),
        )

    return make


for _api in ("aclopCompileAndExecute", "aclopCompileAndExecuteV2"):
    recipe(_api)(_executing(_api))


@recipe("aclSetCompileopt")
def set_option(bench: Bench) -> Call:
    """The debug level that is in use where nobody sets one."""
    return Call({"opt": "ACL_OP_DEBUG_LEVEL", "value": "0"})


@recipe("aclGetCompileopt")
def get_option(bench: Bench) -> Call:
    """Whether operators are compiled online."""
    return Call({"opt": JIT, "length": _ROOM})


@recipe("aclGetCompileoptSize")
def option_size(bench: Bench) -> Call:
    """The same."""
    return Call({"opt": JIT}, worked=lambda result: bool(result.value))


@recipe("aclopSetCompileFlag")
def set_flag(bench: Bench) -> Call:
    """The flag that is in force where nobody sets one."""
    return Call({"flag": "ACL_OP_COMPILE_DEFAULT"})


@recipe("aclGenGraphAndDumpForOp")
def dump_graph(bench: Bench) -> Call:
    """The graph of an addition, to a file."""
    if not bench.case.supports("aclGenGraphAndDumpForOp"):
        given = executing_nothing(bench, "aclopExecuteV2", bench.stream())
        args = {name: value for name, value in given.args.items() if name != "stream"}
        where = {"graphDumpPath": str(_file(bench)), "graphDumpOpt": None}
        return Call({**args, "engineType": HOW["engineType"], **where}, watch=given.watch)
    dumped = DumpedGraphs(bench.case.engine.c, bench.case, _operators(bench))
    return Call(dumped.of("op_add", dumped.file))


def _file(bench: Bench) -> Path:
    return fresh_folder(bench.resources) / "g.txt"


@recipe("aclCreateGraphDumpOpt")
def create_dump_option(bench: Bench) -> Call:
    """Nothing."""
    objects = Objects()
    bench.at_end(lambda: objects.give_back(bench.case.engine.c))
    return Call({}, undo=lambda result: objects.note("aclCreateGraphDumpOpt", {}, result))


@recipe("aclDestroyGraphDumpOpt")
def destroy_dump_option(bench: Bench) -> Call:
    """A fresh object; other memory where the product has none."""
    objects = Objects()
    bench.at_end(lambda: objects.give_back(bench.case.engine.c))
    if not bench.case.supports("aclCreateGraphDumpOpt"):
        return Call({"graphDumpOpt": bench.memory.pageable(4096).fill(0)})
    made = bench.call("aclCreateGraphDumpOpt")
    objects.note("aclCreateGraphDumpOpt", {}, made)
    args = {"graphDumpOpt": int(made.value)}
    return Call(args, undo=lambda result: objects.note("aclDestroyGraphDumpOpt", args, result))
