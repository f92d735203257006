"""Executing on streams: order, completion, which streams are refused."""

from __future__ import annotations

from harness.plugin import covers, deadline, isolated
from suites.models.execute.runs import MODEL

ROUNDS = 8


@covers("execute_async.completion_needs_sync")
def test_after_synchronise(acl, expect, workbench, stream):
    """The outputs are right once the stream was synchronised."""
    run = workbench.run_of(MODEL)
    expect.success(acl.aclmdlExecuteAsync(**run.datasets, stream=stream))
    workbench.call("aclrtSynchronizeStream", stream=stream)
    expect.data(run.result(), run.wanted)


@covers("execute_async.completion_needs_sync")
def test_does_not_wait(acl, expect, workbench, stream, blocked_stream):
    """On a stream that is held the call returns, and the output is as it was."""
    run = workbench.run_of(MODEL)
    with blocked_stream(stream) as hold:
        expect.success(acl.aclmdlExecuteAsync(**run.datasets, stream=stream))
        expect.unchanged(*run.output_blocks)
        hold.release()
    workbench.call("aclrtSynchronizeStream", stream=stream)
    expect.data(run.result(), run.wanted)


@covers("execute_async.ordered_on_stream")
def test_between_copies(acl, expect, runs, workbench, stream):
    """Copies in, runs and copies out on one stream happen in that order, twice without a wait between."""
    run = workbench.run_of("identity")
    first, out = runs.passed_through(acl, run, 9, stream)
    second, other_out = runs.passed_through(acl, run, 10, stream)
    workbench.call("aclrtSynchronizeStream", stream=stream)
    expect.data(out.view().tobytes() + other_out.view().tobytes(), first.tobytes() + second.tobytes())


@covers("execute_async.default_stream")
def test_default_stream(acl, expect, workbench, blocked_stream):
    """Without a stream the model runs on the default one, behind what is there."""
    run = workbench.run_of(MODEL)
    with blocked_stream(None) as hold:
        expect.success(acl.aclmdlExecuteAsync(**run.datasets, stream=None))
        expect.unchanged(*run.output_blocks)
        hold.release()
    workbench.call("aclrtSynchronizeStream", stream=None)
    expect.data(run.result(), run.wanted)


@covers("execute_async.one_id_two_streams")
def test_two_streams_in_turn(acl, expect, workbench, stream, other_stream):
    """One model runs on two streams one after the other."""
    run = workbench.run_of(MODEL)
    acl.aclmdlExecuteAsync(**run.datasets, stream=stream)
    workbench.call("aclrtSynchronizeStream", stream=stream)
    run.output_blocks[0].fill(0)
    expect.observed(acl.aclmdlExecuteAsync(**run.datasets, stream=other_stream))
    workbench.call("aclrtSynchronizeStream", stream=other_stream)
    expect.data(run.result(), run.wanted)


@covers("execute_async.two_ids_two_streams")
@deadline(60)
def test_two_models_on_two_streams(acl, expect, runs, workbench, stream, other_stream):
    """Two loads of one model are under way on two streams, and every result is right."""
    both = [workbench.run_of(MODEL, seed=seed) for seed in (1, 2)]
    right = runs.side_by_side(acl, list(zip(both, (stream, other_stream), strict=True)), ROUNDS)
    expect.true("right results", right, 2 * ROUNDS)


@covers("execute_async.dataset_alive")
def test_datasets_kept(acl, expect, workbench, stream):
    """With everything kept until the stream was synchronised the outputs are right."""
    run = workbench.run_of(MODEL)
    expect.observed(acl.aclmdlExecuteAsync(**run.datasets, stream=stream))
    workbench.call("aclrtSynchronizeStream", stream=stream)
    expect.data(run.result(), run.wanted)


@covers("execute_async.destroyed_stream")
@isolated("a destroyed stream may take the process down")
def test_destroyed_stream(acl, case, expect, workbench, stream):
    """A stream that was destroyed is refused."""
    run = workbench.run_of(MODEL)
    workbench.call("aclrtDestroyStream", stream=stream)
    case.resources.forget(stream)
    expect.refused(acl.aclmdlExecuteAsync(**run.datasets, stream=stream), unchanged=run.output_blocks)


@covers("execute_async.foreign_stream")
def test_stream_of_another_context(acl, expect, runs, workbench):
    """A stream of another context is refused."""
    run, home = workbench.run_of(MODEL), workbench.home()
    workbench.go(workbench.context())
    foreign = runs.own_stream()
    workbench.go(home)
    expect.refused(acl.aclmdlExecuteAsync(**run.datasets, stream=foreign), unchanged=run.output_blocks)


@covers("execute_async.no_system_allocated_output")
def test_output_without_memory(acl, expect, runs):
    """An asynchronous run gets no memory from the library for its outputs."""
    run = runs.with_open_output("unbounded", (3, 4))
    expect.refused(
        runs.outcome("aclmdlExecuteAsync", acl.aclmdlExecuteAsync(**run.datasets, stream=runs.stream))
    )


@covers("execute_async_v2.only_ipv350")
def test_second_form_elsewhere(acl, expect, runs, workbench):
    """What the call that IPV350 alone has says on other products is recorded."""
    run = workbench.run_of(MODEL)
    expect.observed(acl.aclmdlExecuteAsyncV2(**runs.args("aclmdlExecuteAsyncV2", run)))


@covers("query_exe_om_desc.only_ipv350")
def test_parts_elsewhere(acl, expect, models):
    """What the query that IPV350 alone has says on other products is recorded."""
    expect.observed(acl.aclmdlQueryExeOMDesc(fileName=str(models.file(MODEL))))
