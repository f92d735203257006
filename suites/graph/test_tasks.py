"""Tasks of a capture: groups of them, conditions, and copies with host memory."""

from __future__ import annotations

import pytest

from harness.plugin import covers, deadline
from suites.graph.captures import BYTES, GLOBAL, RELAXED
from suites.graph.conditions import IF, SWITCH
from suites.threads import elsewhere

H2D, D2H = "ACL_MEMCPY_HOST_TO_DEVICE", "ACL_MEMCPY_DEVICE_TO_HOST"


@covers("ri_capture_task_grp_begin.nested")
def test_nested_group(acl, expect, graphs):
    """A group does not begin inside another."""
    stream = graphs.begin()
    graphs.call("aclmdlRICaptureTaskGrpBegin", stream=stream)
    result = acl.aclmdlRICaptureTaskGrpBegin(stream=stream)
    expect.code(result, "ACL_ERROR_STREAM_TASK_GROUP_STATUS")


@covers("ri_capture_task_grp_begin.unsupported_task", uses=("aclrtMemcpyAsync",))
def test_copy_in_group(expect, graphs):
    """A copy does not belong into a group."""
    stream = graphs.begin()
    graphs.call("aclmdlRICaptureTaskGrpBegin", stream=stream)
    expect.refused(graphs.try_copy(stream))


@covers("ri_capture_task_grp_end.same_stream")
def test_group_of_other_stream(acl, expect, graphs):
    """A group does not end on another stream that is being captured."""
    stream, other = graphs.begin(), graphs.begin()
    graphs.call("aclmdlRICaptureTaskGrpBegin", stream=stream)
    expect.refused(acl.aclmdlRICaptureTaskGrpEnd(stream=other))


@covers("ri_capture_task_update_begin.model_stream")
def test_update_on_bound_stream(acl, expect, graphs):
    """A group is not updated on a stream of an instance."""
    stream = graphs.building().stream
    expect.refused(acl.aclmdlRICaptureTaskUpdateBegin(stream=stream, handle=graphs.group()))


@covers("ri_capture_task_update_begin.same_handle_twice", uses=("aclmdlRICaptureTaskUpdateEnd",))
def test_two_updates(acl, expect, graphs):
    """Two streams do not update one group at the same time."""
    group, other = graphs.group(), graphs.stream()
    graphs.begin_update(group)
    result = acl.aclmdlRICaptureTaskUpdateBegin(stream=other, handle=group)
    expect.code(result, "ACL_ERROR_STREAM_TASK_GROUP_STATUS")


@covers("ri_add_cond_task.handle_reuse")
def test_condition_twice(acl, expect, graphs):
    """A condition serves one task."""
    graph = graphs.under_way()
    params, _ = graphs.branch(graph.instance)
    graphs.call("aclmdlRIAddCondTask", params=params, stream=graph.stream, flags=0)
    expect.refused(acl.aclmdlRIAddCondTask(params=params, stream=graph.stream, flags=0))


@covers("ri_add_cond_task.branch_selection", uses=("aclmdlRICaptureToModelRIBegin",))
@pytest.mark.parametrize("value", [0, 1])
def test_branch(expect, graphs, value):
    """The body runs where the condition is not 0."""
    instance, copy = graphs.conditional(None, value)
    graphs.run(instance)
    expect.data(copy.target, copy.source.read() if value else 0)


@covers("ri_add_cond_task.branch_selection", uses=("aclmdlRICaptureToModelRIBegin",))
@pytest.mark.parametrize(
    ("kind", "value", "chosen"),
    [(IF, 1, [0]), (IF, 0, [1]), (SWITCH, 0, [0]), (SWITCH, 1, [1]), (SWITCH, 2, [])],
    ids=["then", "else", "first", "second", "none"],
)
def test_one_of_two(expect, graphs, kind, value, chosen):
    """Of two bodies only the one runs that the condition chooses."""
    instance, copies = graphs.choosing(kind, 2, value)
    graphs.run(instance)
    expect.true("the bodies that ran", graphs.arrived(copies), chosen)


@covers("ri_add_cond_task.branch_selection", uses=("aclmdlRICaptureToModelRIBegin",))
@deadline(10)
def test_loop(expect, graphs):
    """A body is run again until the condition is 0."""
    instance, copy = graphs.looping()
    graphs.run(instance)
    expect.data(copy.target, copy.source.read())


@covers("ri_add_cond_task.branch_selection", uses=("aclmdlRICondHandleCreate",))
@deadline(10)
def test_value_at_each_start(expect, graphs):
    """A condition with a value of its own has it again at the start of each execution."""
    instance, copy = graphs.looping()
    graphs.run(instance)
    copy.target.fill(0)
    graphs.run(instance)
    expect.data(copy.target, copy.source.read())


@covers(
    "ri_cond_handle_get_cond_ptr.eight_bytes", uses=("aclmdlRIAddCondTask", "aclmdlRICaptureToModelRIBegin")
)
@pytest.mark.parametrize("value", [0, 1, 1 << 32])
def test_value_of_condition(expect, graphs, value):
    """The tasks of an instance write the condition, as 8 bytes on the device, and the body follows."""
    instance, copy = graphs.conditional(value, 0 if value else 1)
    graphs.run(instance)
    expect.data(copy.target, copy.source.read() if value else 0)


@covers("ri_capture_to_model_ri_begin.twice")
def test_body_twice(acl, expect, graphs):
    """A body is captured once."""
    body, stream = graphs.body(graphs.under_way()), graphs.stream()
    graphs.call("aclmdlRICaptureToModelRIBegin", stream=stream, modelRI=body, mode=RELAXED)
    graphs.call("aclmdlRICaptureEnd", stream=stream)
    expect.refused(acl.aclmdlRICaptureToModelRIBegin(stream=stream, modelRI=body, mode=RELAXED))


@covers("ri_capture_begin.during_pinned_async_copy", uses=("aclrtMemcpyAsync",))
def test_pinned_memory(expect, graphs, memory):
    """Copies with pinned memory are captured both ways."""
    host, back = memory.pinned(BYTES).fill(0x3C), memory.pinned(BYTES).fill(0)
    block, stream = graphs.target(), graphs.begin()
    expect.success(graphs.try_copy(stream, host, block, H2D))
    expect.success(graphs.try_copy(stream, block, back, D2H))
    graphs.run(graphs.end(stream))
    expect.data(block, 0x3C)
    expect.data(back, 0x3C)


@covers("ri_capture_begin.during_device_copy_needs_no_pinning", uses=("aclrtMemcpyAsync",))
def test_device_memory(expect, graphs):
    """A copy on the device is captured."""
    blocks, stream = graphs.blocks(), graphs.begin()
    expect.success(graphs.try_copy(stream, blocks.source, blocks.target))
    graphs.run(graphs.end(stream))
    expect.data(blocks.target, blocks.source.read())


@covers("ri_capture_begin.during_registered_host_copy", uses=("aclrtMemcpyAsync",))
def test_registered_memory(expect, graphs, memory):
    """What a copy with registered memory comes to is recorded."""
    host, block, stream = memory.registered(BYTES).fill(0x3C), graphs.target(), graphs.begin()
    expect.observed(graphs.try_copy(stream, host, block, H2D))


@covers("ri_capture_begin.during_pinned_content_at_execution", uses=("aclrtMemcpyAsync",))
def test_content(expect, graphs, memory):
    """A captured copy takes what pinned memory holds when the instance is executed."""
    host, block, stream = memory.pinned(BYTES).fill(0x3C), graphs.target(), graphs.begin()
    expect.success(graphs.try_copy(stream, host, block, H2D))
    instance = graphs.end(stream)
    host.fill(0xC3)
    graphs.run(instance)
    expect.data(block, 0xC3)


@covers("ri_capture_begin.during_pageable_async_copy", uses=("aclrtMemcpyAsync",))
@pytest.mark.parametrize("to_host", [False, True], ids=["to_device", "to_host"])
def test_pageable_memory(expect, graphs, memory, to_host):
    """A copy with pageable memory is refused in a capture, or by its end."""
    host, block, stream = memory.pageable(BYTES).fill(0x3C), graphs.target(), graphs.begin()
    ends = (block, host, D2H) if to_host else (host, block, H2D)
    expect.refused(graphs.copy_or_end(stream, *ends))


@covers("ri_capture_begin.during_pageable_async_copy_other_stream", uses=("aclrtMemcpyAsync",))
def test_pageable_memory_elsewhere(expect, graphs, memory):
    """Under a global capture a copy with pageable memory is refused on other streams too."""
    host, block, other = memory.pageable(BYTES).fill(0x3C), graphs.target(), graphs.stream()
    graphs.begin(mode=GLOBAL)
    result = graphs.try_copy(other, host, block, H2D)
    graphs.end_all()
    expect.refused(result, unchanged=(block,))


@covers("ri_capture_begin.during_synchronize_stream", uses=("aclrtSynchronizeStream",))
def test_synchronize(acl, expect, graphs):
    """A stream that is being captured cannot be waited for, nor one that was drawn in."""
    stream, (origin, side) = graphs.begin(), graphs.joined()
    expect.refused(graphs.call_or_end(acl, origin, "aclrtSynchronizeStream", stream=side))
    result = graphs.call_or_end(acl, stream, "aclrtSynchronizeStream", stream=stream)
    expect.refused(result)
    expect.true("the answer is that a time is over", graphs.time_is_over(result), False)


@covers("ri_capture_begin.during_synchronize_stream_timeout", uses=("aclrtSynchronizeStreamWithTimeout",))
def test_synchronize_with_bound(acl, expect, graphs):
    """A stream that is being captured cannot be waited for with a bound, nor by that call without one."""
    stream, again = graphs.begin(), graphs.begin()
    endless = {"stream": again, "timeout": -1}
    expect.refused(graphs.call_or_end(acl, again, "aclrtSynchronizeStreamWithTimeout", **endless))
    given = {"stream": stream, "timeout": 1000}
    result = graphs.call_or_end(acl, stream, "aclrtSynchronizeStreamWithTimeout", **given)
    expect.refused(result)
    expect.true("the answer is that a time is over", graphs.time_is_over(result), False)


@covers("ri_capture_begin.during_stream_query", uses=("aclrtStreamQuery",))
def test_query(acl, expect, graphs):
    """A stream that is being captured cannot be asked whether it is done, nor one that was drawn in."""
    stream, (origin, side) = graphs.begin(), graphs.joined()
    expect.refused(graphs.call_or_end(acl, origin, "aclrtStreamQuery", stream=side))
    expect.refused(graphs.call_or_end(acl, stream, "aclrtStreamQuery", stream=stream))


@covers("ri_capture_begin.during_synchronize_device", uses=("aclrtSynchronizeDevice",))
def test_synchronize_device(acl, expect, graphs):
    """The device cannot be waited for while one of its streams is being captured, whatever the mode is and
    from whichever thread.
    """
    wait = "aclrtSynchronizeDevice"
    expect.refused(graphs.call_or_end(acl, graphs.begin(), wait))
    graphs.end_all()
    stream = graphs.begin()
    expect.refused(elsewhere(acl, lambda: graphs.call_or_end(acl, stream, wait)))
    graphs.end_all()
    expect.refused(graphs.call_or_end(acl, graphs.begin(mode=GLOBAL), wait))


@covers("ri_capture_begin.during_synchronize_event", uses=("aclrtSynchronizeEvent",))
def test_synchronize_event(acl, expect, graphs):
    """An event of a capture cannot be waited for."""
    stream = graphs.begin()
    event = graphs.recorded(stream)
    expect.refused(graphs.call_or_end(acl, stream, "aclrtSynchronizeEvent", event=event))


@covers("ri_capture_begin.during_query_event", uses=("aclrtQueryEventStatus",))
def test_query_event(acl, expect, graphs):
    """An event of a capture cannot be asked whether it is reached, nor one of a stream that was drawn in."""
    stream, (origin, side) = graphs.begin(), graphs.joined()
    event, other = graphs.recorded(stream), graphs.recorded(side)
    graphs.follow(side, origin)
    expect.refused(graphs.call_or_end(acl, origin, "aclrtQueryEventStatus", event=other))
    expect.refused(graphs.call_or_end(acl, stream, "aclrtQueryEventStatus", event=event))


@covers("ri_capture_begin.during_elapsed_time", uses=("aclrtEventElapsedTime",))
def test_elapsed_time(acl, expect, graphs):
    """No time passes between events of a capture."""
    stream = graphs.begin()
    start, end = graphs.recorded(stream), graphs.recorded(stream)
    expect.refused(acl.aclrtEventElapsedTime(startEvent=start, endEvent=end))


@covers("ri_capture_begin.during_destroy_stream", uses=("aclrtDestroyStream",))
def test_destroy_stream(acl, expect, graphs):
    """A stream that is being captured is not destroyed, nor one that was drawn in."""
    expect.refused(acl.aclrtDestroyStream(stream=graphs.joined()[1]))
    expect.refused(acl.aclrtDestroyStream(stream=graphs.begin()))
