"""Valid calls of conversions."""

from __future__ import annotations

from suites.operators.casting import Casting
from suites.operators.loaded import LoadedOperators
from suites.recipes import Bench, Call, recipe

_NO_OBJECT_BYTES = 4096


def _nothing(bench: Bench) -> int:
    """What stands for a description where the product has no operators."""
    return bench.memory.pageable(_NO_OBJECT_BYTES).fill(0).ptr


@recipe("aclopCast")
def cast(bench: Bench) -> Call:
    """Floats to half numbers."""
    operators, stream = LoadedOperators(bench.case, bench.resources), bench.stream()
    if not bench.case.supports("aclopCast"):
        block = bench.memory.device(32)
        buffers = {"srcBuffer": operators.buffer(block, 32), "dstBuffer": operators.buffer(block, 32)}
        descs = {"srcDesc": _nothing(bench), "dstDesc": _nothing(bench)}
        return Call({**descs, **buffers, "truncate": 0, "stream": stream}, watch=(block,))
    casting = Casting(bench.case.engine.c, operators)
    job = casting.job("float16")
    return Call(
        casting.arguments(job, stream),
        watch=job.output_blocks,
        settle=lambda: bench.case.engine.c.call("aclrtSynchronizeStream", stream=stream),
    )


@recipe("aclopCreateHandleForCast")
def create_handle(bench: Bench) -> Call:
    """A handle of the same."""
    if not bench.case.supports("aclopCreateHandleForCast"):
        return Call({"srcDesc": _nothing(bench), "dstDesc": _nothing(bench), "truncate": 0})
    c = bench.case.engine.c
    casting = Casting(c, LoadedOperators(bench.case, bench.resources))
    return Call(
        casting.for_handle(casting.job("float16")),
        undo=lambda result: c.call("aclopDestroyHandle", handle=result.handle),
    )
