"""Handles of loaded operators."""

from __future__ import annotations

from harness.plugin import covers, isolated
from suites.operators.loaded import WITH_HANDLE

RUNS = 10
ROUNDS = 100
OPEN_DIMS = (8,)


@covers("op_create_handle.handle_executes", uses=(WITH_HANDLE, "aclopDestroyHandle"))
def test_create(acl, expect, operators, stream):
    """A handle of a loaded operator executes, again and again."""
    job = operators.loaded_job("op_add")
    made = expect.success(acl.aclopCreateHandle(**job.for_handle))
    args = {"handle": made.handle, **job.buffers, "stream": stream}
    right = operators.right_results(acl, WITH_HANDLE, args, job, RUNS)
    acl.aclopDestroyHandle(handle=made.handle)
    expect.true("right outputs", right, RUNS)


@covers("op_exec_with_handle.executes")
def test_other_buffers(acl, expect, operators, stream):
    """Two runs of a handle on different buffers write what belongs to each."""
    first = operators.loaded_job("op_add")
    second = operators.job("op_add", seed=7)
    handle = operators.handle(first)
    expect.success(acl.aclopExecWithHandle(handle=handle, **first.buffers, stream=stream))
    expect.success(acl.aclopExecWithHandle(handle=handle, **second.buffers, stream=stream))
    operators.wait(stream)
    expect.data(first.result() + second.result(), first.wanted + second.wanted)


@covers("op_create_handle.host_placement")
def test_input_on_the_host(acl, expect, operators):
    """A handle whose operator has an input on the host is refused."""
    job = operators.with_host_input(operators.job_for_handle("op_add"))
    expect.refused(acl.aclopCreateHandle(**job.for_handle))


@covers("op_create_handle.listed_on_950")
def test_listed(acl, expect, operators):
    """What the call says where no operator can be loaded is recorded."""
    expect.observed(acl.aclopCreateHandle(**operators.job_for_handle("op_add").for_handle))


@covers("op_destroy_handle.object_destroyed", uses=("aclopCreateHandle", WITH_HANDLE))
def test_come_and_go(acl, expect, operators, stream):
    """A hundred handles that came, executed and went leave the operator as it was."""
    job = operators.loaded_job("op_add")
    right = operators.handles_come_and_go(acl, job, stream, ROUNDS)
    expect.true("right outputs", right, ROUNDS)


@covers("op_destroy_handle.null")
def test_destroy_nothing(acl, expect):
    """Destroying NULL does no harm."""
    expect.success(acl.aclopDestroyHandle(handle=None))


@covers("op_exec_with_handle.dynamic_unsupported", uses=("aclopCreateHandle",))
@isolated("no document says what a handle of such an operator does")
def test_open_shapes(acl, expect, operators, stream):
    """What becomes of a handle of an operator of dynamic shape is recorded, made and executed."""
    operators.load("op_add_open")
    job = operators.job("op_add_open", dims=OPEN_DIMS)
    made = acl.aclopCreateHandle(**job.for_handle)
    expect.observed(made)
    expect.observed(operators.outcome_with(acl, made, job, stream))
