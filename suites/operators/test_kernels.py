"""Kernels of custom operators: registering them, and what a selector tells of the one it chooses."""

from __future__ import annotations

import pytest

from harness.plugin import covers, isolated, surfaces
from suites.operators.selecting import ENGINES, fresh_type

WORKSPACES = [4096, 32]
"""Bytes."""


@covers("op_create_kernel.twice")
def test_kernel_twice(acl, selecting, expect):
    """One id of one type is registered once."""
    kernel = selecting.kernel(selecting.with_kernel(fresh_type()))
    expect.code(acl.aclopCreateKernel(**kernel), "ACL_ERROR_KERNEL_ALREADY_REGISTERED")


@covers("op_create_kernel.registered")
def test_two_kernels(acl, selecting, expect):
    """A type takes a second kernel under another id."""
    kernel = selecting.kernel(selecting.with_kernel(fresh_type()), "k2")
    expect.success(acl.aclopCreateKernel(**kernel))


@covers("op_create_kernel.engine")
@pytest.mark.parametrize("engine", ENGINES)
def test_engine(acl, selecting, expect, engine):
    """Which engines are accepted is recorded."""
    expect.observed(acl.aclopCreateKernel(**selecting.kernel(fresh_type(), engine=engine)))


@covers("op_create_kernel.null_deallocator")
@isolated("a library that frees the binary may die of it")
def test_binary_stays(acl, selecting, expect):
    """Without a deallocator the binary stays the caller's, byte for byte."""
    kernel = selecting.kernel(fresh_type())
    expect.success(acl.aclopCreateKernel(**kernel))
    expect.unchanged(kernel["binData"])


@covers("op_create_kernel.deallocator")
@isolated("the library may call the deallocator when the process ends")
@surfaces("c")
def test_deallocator(acl, selecting, expect):
    """Whether a deallocator has been called, with what, and how often, is recorded."""
    kernel, freed = selecting.kernel(fresh_type()), []
    given = {**kernel, "deallocator": lambda data, length: freed.append((data, length))}
    expect.success(acl.aclopCreateKernel(**given))
    whole = (kernel["binData"].ptr, kernel["binSize"])
    expect.true("called for the whole binary, never twice", freed in ([], [whole]), True)
    expect.observed(f"{len(freed)} calls")


@covers("op_set_kernel_args.in_selector")
def test_arguments_set(acl, selecting, expect):
    """A selector sets kernel id, cores and tiling data."""
    result = selecting.inside(lambda choice: acl.aclopSetKernelArgs(**selecting.tiling(choice)))
    expect.success(result)


@covers("op_set_kernel_workspace_sizes.in_selector")
def test_workspaces_set(acl, selecting, expect):
    """A selector sets the sizes of two workspaces."""
    result = selecting.inside(lambda choice: selecting.ask_workspaces(choice, WORKSPACES))
    expect.success(result)


@covers("op_set_kernel_workspace_sizes.again_appends")
def test_workspaces_set_again(acl, selecting, expect):
    """What a second call of a selector gives is recorded."""
    result = selecting.inside(lambda choice: selecting.ask_workspaces(choice, WORKSPACES, times=2))
    expect.observed(result)


@covers("op_set_kernel_workspace_sizes.optional", uses=("aclopUpdateParams",))
def test_no_workspaces(selecting, expect):
    """A kernel is chosen by a selector that says nothing of workspaces."""
    type = selecting.registered(selecting.selector(selecting.choosing()))
    expect.success(selecting.update(selecting.with_kernel(type)))
