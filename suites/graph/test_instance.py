"""Instances: executing, destroying, naming and describing them."""

from __future__ import annotations

import pytest

from harness.plugin import covers, deadline, isolated
from suites.graph.captures import BYTES, RELAXED
from suites.graph.graphs import NAME_LIMIT

ROUNDS = 1000
CYCLES = 500
TASKS = 10


@covers("ri_execute_async.null_stream")
def test_default_stream(acl, expect, graphs, blocked_stream):
    """NULL executes on the default stream, when that comes to it."""
    instance, copy = graphs.record(RELAXED)
    with blocked_stream(None) as hold:
        expect.success(acl.aclmdlRIExecuteAsync(modelRI=instance, stream=None))
        expect.unchanged(copy.target)
        hold.release()
    graphs.wait(None)
    expect.data(copy.target, copy.source.read())


@covers("ri_execute_async.still_capturing")
def test_captured_still(acl, expect, graphs, stream):
    """An instance that is still being captured is not executed."""
    graph = graphs.under_way()
    expect.refused(acl.aclmdlRIExecuteAsync(modelRI=graph.instance, stream=stream))


@covers("ri_execute_async.on_own_stream")
def test_own_stream(acl, expect, graphs):
    """A built instance is not executed on its own stream."""
    built = graphs.built()
    expect.refused(acl.aclmdlRIExecuteAsync(modelRI=built.instance, stream=built.stream))


@covers("ri_execute_async.foreign_stream")
def test_foreign_stream(acl, expect, graphs, desk):
    """An instance is not executed on a stream of another context."""
    instance = graphs.captured()
    with desk.other_context():
        stream = graphs.passing_stream()
        graphs.go_home()
        expect.refused(acl.aclmdlRIExecuteAsync(modelRI=instance, stream=stream))


@covers("ri_execute_async.foreign_instance")
def test_foreign_instance(acl, expect, graphs, desk):
    """An instance of another context is not executed."""
    instance = graphs.captured()
    with desk.other_context():
        stream = graphs.passing_stream()
        expect.refused(acl.aclmdlRIExecuteAsync(modelRI=instance, stream=stream))


@covers("ri_execute_async.repeat", uses=("aclrtReduceAsync",))
def test_again_and_again(expect, graphs):
    """An instance that adds 1 to a counter does so each time."""
    instance, counter, stream = graphs.counting()
    graphs.run_times(instance, stream, ROUNDS)
    expect.true("the counter", graphs.number(counter), float(ROUNDS))


@covers("ri_execute_async.async")
def test_does_not_wait(acl, expect, graphs, stream, blocked_stream):
    """On a stream that is held the call returns, and the tasks run once the stream goes on."""
    instance, copy = graphs.record(RELAXED)
    with blocked_stream(stream) as hold:
        expect.success(acl.aclmdlRIExecuteAsync(modelRI=instance, stream=stream))
        expect.unchanged(copy.target)
        hold.release()
    graphs.wait(stream)
    expect.data(copy.target, copy.source.read())


@covers("ri_execute_async.ordered_with_stream")
def test_order_on_stream(acl, expect, graphs, stream):
    """An instance runs after what is on its stream before it, and before what comes after."""
    instance, copy = graphs.record(RELAXED)
    into = graphs.copy(stream, source=graphs.block(7), target=copy.source)
    expect.success(acl.aclmdlRIExecuteAsync(modelRI=instance, stream=stream))
    out = graphs.copy(stream, source=copy.target)
    graphs.wait(stream)
    expect.data(out.target, into.source.read())


@covers("ri_execute_async.ordered_with_stream", uses=("aclrtRecordEvent", "aclrtStreamWaitEvent"))
def test_order_with_events(acl, expect, graphs, stream, other_stream, blocked_stream):
    """An instance runs after the event that its stream waits for, and before the one recorded behind it."""
    (instance, copy), first = graphs.record(RELAXED), graphs.stream()
    with blocked_stream(first) as hold:
        into = graphs.copy(first, source=graphs.block(7), target=copy.source)
        graphs.follow(first, stream)
        expect.success(acl.aclmdlRIExecuteAsync(modelRI=instance, stream=stream))
        graphs.follow(stream, other_stream)
        out = graphs.copy(other_stream, source=copy.target)
        hold.release()
    graphs.wait(other_stream)
    expect.data(out.target, into.source.read())


@covers("ri_execute_async.origin_stream_ok")
def test_on_origin(acl, expect, graphs):
    """The stream that was captured executes the instance."""
    stream = graphs.begin()
    copy = graphs.copy(stream)
    instance = graphs.end(stream)
    expect.success(acl.aclmdlRIExecuteAsync(modelRI=instance, stream=stream))
    graphs.wait(stream)
    expect.data(copy.target, copy.source.read())


@covers("ri_execute_async.other_stream_ok")
def test_on_another(acl, expect, graphs, stream):
    """Another stream executes the instance."""
    instance, copy = graphs.record(RELAXED)
    expect.success(acl.aclmdlRIExecuteAsync(modelRI=instance, stream=stream))
    graphs.wait(stream)
    expect.data(copy.target, copy.source.read())


@covers("ri_execute_async.after_origin_destroyed")
def test_origin_gone(acl, expect, graphs, stream):
    """What executing comes to when the captured stream is gone is recorded."""
    origin = graphs.passing_stream()
    graphs.begin(origin)
    graphs.copy(origin)
    instance = graphs.end(origin)
    graphs.call("aclrtDestroyStream", stream=origin)
    expect.observed(acl.aclmdlRIExecuteAsync(modelRI=instance, stream=stream))


@covers("ri_execute_async.destroyed_instance")
@isolated("a library may follow the handle of an instance that is gone")
def test_execute_destroyed(acl, expect, graphs, stream):
    """An instance that is gone is not executed."""
    instance = graphs.destroyed()
    expect.refused(acl.aclmdlRIExecuteAsync(modelRI=instance, stream=stream))


@covers("ri_execute_async.sub_graph")
def test_execute_body(acl, expect, graphs, stream):
    """The body of a conditional task is not executed on its own."""
    body = graphs.body(graphs.under_way())
    expect.refused(acl.aclmdlRIExecuteAsync(modelRI=body, stream=stream))


@covers("ri_destroy.while_capturing")
def test_destroy_captured_still(acl, expect, graphs):
    """An instance that is still being captured is not destroyed."""
    expect.refused(acl.aclmdlRIDestroy(modelRI=graphs.under_way().instance))


@covers("ri_destroy.twice")
@isolated("a library may follow the handle of an instance that is gone")
def test_destroy_twice(acl, expect, graphs):
    """An instance is destroyed once."""
    expect.refused(acl.aclmdlRIDestroy(modelRI=graphs.destroyed_built()))


@covers("ri_destroy.while_running_short")
def test_destroy_running(acl, expect, graphs, stream, blocked_stream):
    """Destroying an instance that has yet to end waits for it, and its work is done."""
    instance, copy = graphs.record(RELAXED)
    with blocked_stream(stream) as hold:
        graphs.call("aclmdlRIExecuteAsync", modelRI=instance, stream=stream)
        hold.release()
        expect.success(acl.aclmdlRIDestroy(modelRI=instance))
    graphs.forget(instance)
    graphs.wait(stream)
    expect.data(copy.target, copy.source.read())


@covers("ri_destroy.while_running")
@deadline(60)
def test_destroy_running_long(acl, expect, graphs):
    """Destroying an instance that does not end is refused after a while."""
    instance = graphs.waiting_capture()
    graphs.under_execution(instance)
    expect.refused(acl.aclmdlRIDestroy(modelRI=instance))


@covers("ri_destroy.foreign_context")
def test_destroy_foreign(acl, expect, graphs, desk):
    """An instance of another context is not destroyed."""
    instance = graphs.built().instance
    with desk.other_context():
        expect.refused(acl.aclmdlRIDestroy(modelRI=instance))


@covers(
    "ri_destroy.frees_resources", uses=("aclmdlRICaptureBegin", "aclmdlRICaptureEnd", "aclmdlRIExecuteAsync")
)
def test_come_and_go(expect, graphs):
    """Instances that came and went leave neither streams nor memory taken."""
    streams, missing = graphs.come_and_go(CYCLES, TASKS)
    expect.true("streams that are missing", streams, 0)
    expect.within("bytes that are missing", missing, -graphs.slack, graphs.slack)


@covers("ri_destroy.callbacks_run", uses=("aclmdlRIDestroyRegisterCallback",))
def test_callbacks(acl, expect, graphs):
    """Three functions run once each when the instance goes, with what they were registered with, and one of
    the instance of a capture.
    """
    instance, captured, called = graphs.passing_built(), graphs.passing_captured(), []
    graphs.call_back(acl, captured, lambda data: called.append(("captured", data)), 0x1230)
    expect.success(acl.aclmdlRIDestroy(modelRI=captured))
    graphs.call_back(acl, instance, lambda data: called.append(("one", data)), 0x1230)
    graphs.call_back(acl, instance, lambda data: called.append(("two", data)), 0x4560)
    graphs.call_back(acl, instance, lambda data: called.append(("last", data)), 0x7890)
    expect.success(acl.aclmdlRIDestroy(modelRI=instance))
    one_each = [("captured", 0x1230), ("last", 0x7890), ("one", 0x1230), ("two", 0x4560)]
    expect.true("the calls", sorted(called), one_each)


@covers("ri_destroy.sub_graph")
def test_destroy_body(acl, expect, graphs):
    """The body of a conditional task is not destroyed on its own."""
    expect.refused(acl.aclmdlRIDestroy(modelRI=graphs.body(graphs.under_way())))


@covers("ri_destroy_register_callback.user_data_null", uses=("aclmdlRIDestroy",))
def test_no_user_data(acl, expect, graphs):
    """A function without user data gets NULL."""
    instance, called = graphs.passing_built(), []
    function = graphs.function(called.append)
    expect.success(acl.aclmdlRIDestroyRegisterCallback(modelRI=instance, func=function, userData=None))
    graphs.call("aclmdlRIDestroy", modelRI=instance)
    expect.true("what the function got", called, [0])


@covers("ri_destroy_register_callback.duplicate")
def test_function_twice(acl, expect, graphs):
    """A function is registered once."""
    instance, function = graphs.built().instance, graphs.function(lambda data: None)
    graphs.call("aclmdlRIDestroyRegisterCallback", modelRI=instance, func=function, userData=None)
    result = acl.aclmdlRIDestroyRegisterCallback(modelRI=instance, func=function, userData=None)
    expect.refused(result)


@covers("ri_destroy_unregister_callback.not_registered")
def test_unknown_function(acl, expect, graphs):
    """A function that is not registered is not removed."""
    function = graphs.function(lambda data: None)
    expect.refused(acl.aclmdlRIDestroyUnregisterCallback(modelRI=graphs.built().instance, func=function))


@covers(
    "ri_destroy_unregister_callback.not_called", uses=("aclmdlRIDestroyRegisterCallback", "aclmdlRIDestroy")
)
def test_removed_function(acl, expect, graphs):
    """A function that was removed is not called, and another one is."""
    instance, called = graphs.passing_built(), []
    function = graphs.function(lambda data: called.append("removed"))
    graphs.call("aclmdlRIDestroyRegisterCallback", modelRI=instance, func=function, userData=None)
    graphs.call_back(graphs, instance, lambda data: called.append("kept"), 0)
    expect.success(acl.aclmdlRIDestroyUnregisterCallback(modelRI=instance, func=function))
    graphs.call("aclmdlRIDestroy", modelRI=instance)
    expect.true("the calls", called, ["kept"])


@covers("ri_set_name.last_wins", uses=("aclmdlRIGetName",))
def test_name_again(acl, expect, graphs):
    """A second name takes the place of the first, and a shorter one that of the second."""
    instance = graphs.built().instance
    graphs.call("aclmdlRISetName", modelRI=instance, name="first")
    expect.success(acl.aclmdlRISetName(modelRI=instance, name="the second"))
    second = graphs.name(acl, instance, 64)
    expect.success(acl.aclmdlRISetName(modelRI=instance, name="third"))
    expect.true("the names", (second, graphs.name(acl, instance, 64)), (b"the second", b"third"))


@covers("ri_get_name.unset_empty")
def test_no_name(acl, expect, graphs):
    """An instance without a name has the empty one."""
    expect.true("the name", graphs.name(acl, graphs.built().instance, 64), b"")


@covers("ri_get_name.truncation", uses=("aclmdlRISetName",))
def test_long_name(acl, expect, graphs):
    """A name is cut at 512 bytes, if not before."""
    instance, name = graphs.built().instance, "n" * 600
    graphs.call("aclmdlRISetName", modelRI=instance, name=name)
    told = graphs.name(acl, instance, 1024)
    expect.within("bytes of the name", len(told), 1, NAME_LIMIT)
    expect.true("the beginning of the name", name.encode().startswith(told), True)


@covers("ri_get_name.exact_buffer", uses=("aclmdlRISetName",))
def test_tight_room(acl, expect, graphs):
    """Room for the name and its end is enough."""
    instance = graphs.built().instance
    graphs.call("aclmdlRISetName", modelRI=instance, name="ten_letter")
    expect.true("the name", graphs.name(acl, instance, 11), b"ten_letter")


@covers("ri_get_id.unique")
def test_ids(acl, expect, graphs):
    """Instances have ids of their own, those of captures and those that are built."""
    instances = graphs.captured(), graphs.captured(), graphs.built().instance, graphs.built().instance
    told = [expect.success(acl.aclmdlRIGetId(modelRI=instance)).modelRIId for instance in instances]
    expect.true("different ids", len(set(told)), len(told))


@covers("ri_debug_json_print.unwritable_path")
def test_no_folder(acl, expect, graphs, models):
    """A file in a folder that does not exist is refused."""
    path = str(models.folder() / "missing" / "graph.json")
    expect.refused(acl.aclmdlRIDebugJsonPrint(modelRI=graphs.captured(), path=path, flags=0))


@covers("ri_debug_json_print.valid_json")
@pytest.mark.parametrize("flags", [0, 1])
def test_json(acl, expect, graphs, models, flags):
    """The file holds JSON."""
    path = models.folder() / "graph.json"
    expect.success(acl.aclmdlRIDebugJsonPrint(modelRI=graphs.captured(), path=str(path), flags=flags))
    expect.true("JSON in the file", graphs.is_json(path), True)


@covers("ri_debug_print.after_end_only")
def test_print_captured_still(acl, expect, graphs):
    """What printing an instance that is being captured gives is recorded."""
    expect.observed(acl.aclmdlRIDebugPrint(modelRI=graphs.under_way().instance))


@covers("ri_update.while_capturing")
def test_update_captured_still(acl, expect, graphs):
    """An instance that is still being captured is not updated."""
    result = acl.aclmdlRIUpdate(modelRI=graphs.under_way().instance)
    expect.code(result, "ACL_ERROR_RT_MODEL_UPDATE_FAILED")


@covers("ri_update.while_running")
def test_update_running(acl, expect, graphs):
    """An instance that runs is not updated."""
    instance = graphs.waiting_capture()
    graphs.under_execution(instance)
    expect.code(acl.aclmdlRIUpdate(modelRI=instance), "ACL_ERROR_RT_MODEL_UPDATE_FAILED")


@covers("ri_get_streams.count_only")
def test_count(acl, expect, graphs):
    """Without an array the call tells how many streams there are: those that were captured at least."""
    stream = graphs.begin()
    side = graphs.side(stream)
    graphs.copy(side)
    graphs.follow(side, stream)
    told = acl.aclmdlRIGetStreams(modelRI=graphs.end(stream), streams=None, numStreams=graphs.no_count())
    expect.within("streams", expect.success(told).numStreams, 2, BYTES)


@covers("ri_task_get_seq_id.increasing")
def test_sequence(acl, expect, graphs):
    """The tasks of an instance have numbers of their own."""
    stream = graphs.begin()
    graphs.copies(stream, 3)
    numbers = [acl.aclmdlRITaskGetSeqId(task=task).id for task in graphs.tasks(graphs.end(stream))]
    expect.true("different numbers", len(set(numbers)), len(numbers))


@covers("ri_kernel_task_get_attribute.non_kernel_task")
def test_no_kernel(acl, expect, graphs):
    """A copy has no attributes of a kernel."""
    (task,) = graphs.tasks(graphs.captured())
    expect.refused(acl.aclmdlRIKernelTaskGetAttribute(task=task, attrId=0))
