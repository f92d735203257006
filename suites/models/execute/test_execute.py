"""Executing models: what comes out, and what is refused, on every call that executes one."""

from __future__ import annotations

import threading

import pytest

from harness.models import catalogue
from harness.plugin import covers, covers_each, deadline, isolated
from suites.models.execute.runs import EXECUTES, MODEL, MORE, PAIR
from suites.threads import together

ROUNDS = 100
MANY_RUNS = 1000
MEBIBYTE = 1 << 20


@covers("execute.synchronous")
@pytest.mark.parametrize("name", [MODEL, PAIR, *catalogue.TYPED_NAMES])
def test_results(acl, expect, workbench, name):
    """The outputs are complete when the call returns: what numpy makes of the same inputs."""
    run = workbench.run_of(name)
    acl.aclmdlExecute(**run.datasets)
    expect.data(run.result(), run.wanted, name)


@covers_each("after_unload", *EXECUTES)
def test_unloaded(api, acl, expect, runs, workbench):
    """A model that was unloaded is not executed."""
    run = workbench.run_of(MODEL)
    workbench.unload(run.id)
    expect.refused(acl.call(api, **runs.args(api, run)), unchanged=run.output_blocks)


@covers_each("too_few_inputs", *EXECUTES)
def test_input_left_out(api, acl, expect, runs, workbench):
    """A dataset that lacks an input is refused."""
    run = workbench.run_of(PAIR)
    given = runs.args(api, run, input=runs.inputs(run.input_buffers[:1]))
    expect.refused(runs.outcome(api, acl.call(api, **given)), unchanged=run.output_blocks)


@covers_each("too_few_outputs", *EXECUTES)
def test_output_left_out(api, acl, expect, runs, workbench):
    """A dataset that lacks an output is refused."""
    run = workbench.run_of(PAIR)
    given = runs.args(api, run, output=runs.inputs(run.output_buffers[:1]))
    expect.refused(runs.outcome(api, acl.call(api, **given)))


@covers_each("empty_datasets", *EXECUTES)
def test_empty_datasets(api, acl, expect, runs, workbench):
    """Datasets without buffers are refused."""
    run = workbench.run_of(MODEL)
    given = runs.args(api, run, input=runs.inputs([]), output=runs.inputs([]))
    expect.refused(runs.outcome(api, acl.call(api, **given)))


@covers_each("input_too_small", *EXECUTES)
def test_input_one_byte_short(api, acl, expect, runs, workbench):
    """A last input one byte short is refused, and the outputs are left alone."""
    run = workbench.run_of(PAIR)
    short = runs.last_shrunk(run.input_buffers, run.input_blocks[-1], run.expected[-1].nbytes - 1)
    result = runs.outcome(api, acl.call(api, **runs.args(api, run, input=short)))
    expect.refused(result, unchanged=run.output_blocks)


@covers_each("output_too_small", *EXECUTES)
def test_output_one_byte_short(api, acl, expect, runs, workbench):
    """A last output one byte short is refused, and nothing is written behind it."""
    run = workbench.run_of(PAIR)
    short = runs.last_shrunk(run.output_buffers, run.output_blocks[-1], run.expected[-1].nbytes - 1)
    result = runs.outcome(api, acl.call(api, **runs.args(api, run, output=short)))
    expect.refused(result)
    expect.true("the last byte is as it was", int(run.output_blocks[-1].read()[-1]), 0xEE)


@covers_each("larger_buffers", *EXECUTES)
def test_larger_buffers(api, acl, expect, runs, workbench):
    """Buffers larger than needed are accepted, and what is beyond the outputs stays as it was."""
    run = workbench.run_of(PAIR, more=MORE)
    expect.success(runs.outcome(api, acl.call(api, **runs.args(api, run))))
    expect.data(run.result(), run.wanted)
    expect.true("the rest of the outputs", runs.tail_is_untouched(run))


@covers_each("deterministic", *EXECUTES)
def test_deterministic(api, acl, expect, runs, workbench):
    """With deterministic computing, equal inputs give equal outputs."""
    runs.deterministic()
    run = workbench.run_of("matmul_float32")
    expect.true("different outputs of three runs", runs.each(api, acl, run, 3), {run.wanted})


@covers_each("inputs_unchanged", *EXECUTES)
def test_inputs_unchanged(api, acl, expect, runs, workbench):
    """A run leaves its inputs as they were."""
    run = workbench.run_of(PAIR)
    runs.outcome(api, acl.call(api, **runs.args(api, run)))
    expect.unchanged(*run.input_blocks)


@covers_each("same_context_works", "aclmdlExecute", "aclmdlExecuteV2")
def test_in_a_context(api, acl, expect, runs, workbench):
    """A model runs in the context that has loaded it."""
    workbench.go(workbench.context())
    run = workbench.run_of(MODEL)
    expect.success(acl.call(api, **runs.args(api, run, **runs.stream_here(api))))
    expect.data(run.result(), run.wanted)


@covers_each("same_context", *EXECUTES)
@isolated("no document covers the call")
def test_in_another_context(api, acl, expect, runs, workbench):
    """What a call says in another context than that of the load is recorded."""
    run = workbench.run_of(MODEL)
    given = runs.args(api, run)
    workbench.go(workbench.context())
    expect.observed(runs.outcome(api, acl.call(api, **given)))


@covers_each("buffer_null_data_input", *EXECUTES)
def test_input_without_memory(api, acl, expect, runs, workbench):
    """A last input without address and size is refused."""
    run = workbench.run_of(PAIR)
    given = runs.args(api, run, input=runs.last_without_memory(run.input_buffers))
    expect.refused(runs.outcome(api, acl.call(api, **given)), unchanged=run.output_blocks)


@covers_each("host_buffer_on_ep", *EXECUTES)
@isolated("no document covers the call")
def test_host_memory(api, acl, expect, runs, workbench):
    """With inputs and outputs in host memory a call fails, or gives the right result."""
    run = runs.on_host(workbench.run_of(MODEL))
    result = runs.outcome(api, acl.call(api, **runs.args(api, run)))
    expect.observed(result)
    expect.true("no wrong result", not result.ok or run.result() == run.wanted)


@covers("execute.threads_need_lock")
def test_threads_with_a_lock(acl, expect, runs, workbench):
    """Threads that take turns by a lock get right results from one model."""
    model, turn = workbench.load(MODEL), threading.Lock()
    both = [workbench.run_of(MODEL, model, seed) for seed in (1, 2)]
    jobs = [lambda run=run: runs.in_turn(acl, run, turn, ROUNDS) for run in both]
    expect.true("right results", together(acl, jobs), [ROUNDS, ROUNDS])
    expect.observed("threads that take turns get right results")


@covers("execute.threads_two_ids")
@deadline(60)
def test_threads_with_models_of_their_own(acl, expect, workbench):
    """Threads execute two loads of one model at the same time, and all results are right."""
    both = [workbench.run_of(MODEL, seed=seed) for seed in (1, 2)]
    jobs = [lambda run=run: workbench.right_results(acl, run, ROUNDS) for run in both]
    expect.true("right results", together(acl, jobs), [ROUNDS, ROUNDS])


@covers("execute.mixed_with_async_refused")
@pytest.mark.parametrize("first", ["aclmdlExecute", "aclmdlExecuteAsync"])
def test_both_ways(acl, expect, runs, workbench, first):
    """A static model that was executed one way is not executed the other way, however often that is tried."""
    run = workbench.run_of(MODEL)
    second = "aclmdlExecuteAsync" if first == "aclmdlExecute" else "aclmdlExecute"
    runs.outcome(first, workbench.call(first, **runs.args(first, run)))
    expect.refused(runs.outcome(second, acl.call(second, **runs.args(second, run))))
    expect.refused(runs.outcome(second, acl.call(second, **runs.args(second, run))))


@covers("execute.failure_leaves_model_usable")
def test_good_run_after_a_failed_one(acl, expect, runs, workbench):
    """After a run that failed the model runs again and gives right results."""
    run = workbench.run_of("failing")
    runs.poison(run)
    expect.true("the first run fails", not acl.aclmdlExecute(**run.datasets).ok)
    runs.refill(run)
    expect.success(acl.aclmdlExecute(**run.datasets))
    expect.data(run.result(), run.wanted)


@covers("execute.failure_is_told")
def test_failed_run(acl, expect, runs, workbench):
    """Each run that fails on the device fails by its return code."""
    run = workbench.run_of("failing")
    runs.poison(run)
    expect.refused(acl.aclmdlExecute(**run.datasets))
    expect.refused(acl.aclmdlExecute(**run.datasets))


@covers("execute.refusal_leaves_model_usable")
def test_good_run_after_a_refused_one(acl, expect, runs, workbench):
    """A model whose datasets were refused gives the result of a run without that call."""
    run = workbench.run_of(MODEL)
    before = runs.repeated(acl, run, 1)
    acl.aclmdlExecute(**runs.args("aclmdlExecute", run, input=runs.inputs([])))
    acl.aclmdlExecute(**runs.args("aclmdlExecute", run, output=runs.inputs([])))
    expect.data(runs.repeated(acl, run, 1)[0], before[0])


@covers("execute.system_allocated_output")
def test_output_of_the_library(acl, expect, runs):
    """An output of unknown size gets memory from the library, which aclrtFree gives back."""
    run = runs.with_open_output("unbounded", (3, 4))
    expect.success(acl.aclmdlExecute(**run.datasets))
    expect.data(runs.taken_output(run)[0], run.wanted)


@covers("execute.system_allocated_output", uses=["aclmdlExecuteV2"])
def test_output_of_the_library_with_options(acl, expect, runs):
    """The synchronous call that takes options gets memory for such an output too."""
    run = runs.with_open_output("unbounded", (3, 4))
    expect.success(acl.aclmdlExecuteV2(**runs.args("aclmdlExecuteV2", run)))
    expect.data(runs.taken_output(run)[0], run.wanted)


@covers("execute.dynamic_shape_extra_inputs")
def test_additional_input(acl, expect, runs):
    """A dynamic-shape model passes over buffers beyond its inputs."""
    run = runs.shaped("dynamic", (3, 4))
    more = runs.inputs([*run.input_buffers, *run.input_buffers])
    runs.describe(more, 0, (3, 4))
    expect.success(acl.aclmdlExecute(**{**run.datasets, "input": more}))
    expect.data(run.result(), run.wanted)


@covers("execute.dynamic_shape_out_of_range")
@pytest.mark.parametrize(("room", "dims"), [((17, 4), (17, 4)), ((3, 5), (3, 5)), ((3, 4), (0, 4))])
def test_shape_out_of_range(acl, expect, runs, room, dims):
    """A shape that the model was not built for is refused, wherever it lies outside."""
    run = runs.shaped("dynamic", room)
    runs.describe(run.input, 0, dims)
    expect.refused(acl.aclmdlExecute(**run.datasets), unchanged=run.output_blocks)


@covers("execute.leak_free")
@deadline(120)
def test_many_runs(acl, expect, runs, workbench):
    """Executing again and again takes no device memory."""
    run = workbench.run_of(MODEL)
    workbench.right_results(acl, run, 10)
    before = workbench.free_memory()
    workbench.right_results(acl, run, MANY_RUNS)
    expect.within("bytes that are missing", before - workbench.free_memory(), 0, workbench.slack + MEBIBYTE)
