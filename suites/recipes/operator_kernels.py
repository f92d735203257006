"""Valid calls of custom operators: their selectors and kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.binding import Result
from suites.operators.selecting import Selecting, fresh_type
from suites.recipes import LATE, Bench, Call, recipe

WORKSPACES = [4096, 32]
"""Bytes."""


def _selecting(bench: Bench) -> Selecting:
    return Selecting(bench.case.engine.c, bench.case, bench.resources)


@recipe("aclopRegisterCompileFunc")
def register_selector(bench: Bench) -> Call:
    """A selector for a fresh type."""
    type, selecting = fresh_type(), _selecting(bench)
    return Call(
        {"opType": type, "func": selecting.selector()},
        undo=lambda result: bench.call("aclopUnregisterCompileFunc", opType=type),
    )


@recipe("aclopUnregisterCompileFunc")
def unregister_selector(bench: Bench) -> Call:
    """A type with a selector."""
    if not bench.case.supports("aclopRegisterCompileFunc"):
        return Call({"opType": fresh_type()})
    selecting = _selecting(bench)
    return Call({"opType": selecting.registered(selecting.selector())})


@recipe("aclopUpdateParams")
def update(bench: Bench) -> Call:
    """A type with a kernel that its selector chooses, for two inputs and an output."""
    selecting, type = _selecting(bench), fresh_type()
    if bench.case.supports("aclopRegisterCompileFunc"):
        selecting.with_kernel(selecting.registered(selecting.selector(selecting.choosing()), type))
    return Call(selecting.arguments(type))


@recipe("aclopCreateKernel")
def create_kernel(bench: Bench) -> Call:
    """A kernel of a fresh type, whose memory stays the caller's."""
    given = _selecting(bench).kernel(fresh_type())
    return Call(given, watch=(given["binData"],))


def _inside(bench: Bench, given: Callable[[Selecting, Any], dict[str, Any]]) -> Call:
    """A call inside a selector; with memory that is no kernel description where there are no selectors."""
    selecting = _selecting(bench)
    if not bench.case.supports("aclopRegisterCompileFunc"):
        return Call(given(selecting, selecting.no_object()))

    def within(now: Callable[..., Result]) -> Result:
        return selecting.inside(lambda choice: now(kernelDesc=choice))

    return Call(given(selecting, LATE), within=within)


@recipe("aclopSetKernelArgs")
def set_kernel_arguments(bench: Bench) -> Call:
    """A kernel and 16 bytes of tiling data."""
    return _inside(bench, lambda selecting, choice: selecting.tiling(choice))


@recipe("aclopSetKernelWorkspaceSizes")
def set_workspaces(bench: Bench) -> Call:
    """Two workspaces."""
    return _inside(bench, lambda selecting, choice: selecting.workspaces(choice, WORKSPACES))
