"""Instances that are built stream by stream: binding, ending, executing and aborting."""

from __future__ import annotations

from harness.plugin import covers
from suites.graph.building import HEAD

FOREVER = -1
SHORT_MS = 50
LONG_MS = 10000


@covers(
    "ri_build_begin.full_cycle",
    uses=("aclmdlRIBindStream", "aclmdlRIEndTask", "aclmdlRIBuildEnd", "aclmdlRIExecute"),
)
def test_cycle(expect, graphs):
    """What is put on a bound stream runs when the instance is executed, and not before."""
    made, copy = graphs.built_copy()
    expect.unchanged(copy.target)
    graphs.call("aclmdlRIExecute", modelRI=made.instance, timeout=FOREVER)
    expect.data(copy.target, copy.source.read())
    graphs.call("aclmdlRIUnbindStream", modelRI=made.instance, stream=made.stream)


@covers("ri_bind_stream.bound_elsewhere")
def test_bound_elsewhere(acl, expect, graphs):
    """A stream of one instance is not bound to another."""
    one, other = graphs.building(), graphs.building()
    expect.refused(acl.aclmdlRIBindStream(modelRI=other.instance, stream=one.stream, flag=HEAD))


@covers("ri_unbind_stream.not_bound")
def test_not_bound(acl, expect, graphs):
    """A stream that is not bound cannot be unbound."""
    stream = graphs.persistent_stream()
    expect.refused(acl.aclmdlRIUnbindStream(modelRI=graphs.building().instance, stream=stream))


@covers("ri_build_end.no_more_tasks")
def test_late_task(expect, graphs):
    """What a task after the end of the building comes to is recorded."""
    made, _ = graphs.built_copy()
    expect.observed(graphs.try_copy(made.stream))


@covers("ri_execute.timeout_minus_one", "ri_execute.synchronous")
def test_without_bound(acl, expect, graphs):
    """Without a bound the call returns when the work is done, each time anew."""
    made, copy = graphs.built_copy()
    expect.success(acl.aclmdlRIExecute(modelRI=made.instance, timeout=FOREVER))
    expect.data(copy.target, copy.source.read())
    copy.target.fill(0)
    expect.success(acl.aclmdlRIExecute(modelRI=made.instance, timeout=FOREVER))
    expect.data(copy.target, copy.source.read())


@covers("ri_execute.synchronous")
def test_long_bound(acl, expect, graphs):
    """With a long bound the call returns when the work is done, too."""
    made, copy = graphs.built_copy()
    expect.success(acl.aclmdlRIExecute(modelRI=made.instance, timeout=LONG_MS))
    expect.data(copy.target, copy.source.read())


@covers("ri_execute.timeout_expires")
def test_bound_expires(acl, expect, graphs):
    """A bound shorter than the work makes the call fail."""
    made = graphs.waiting()
    result, seconds = graphs.timed(acl, "aclmdlRIExecute", modelRI=made.instance, timeout=SHORT_MS)
    expect.refused(result)
    expect.within("seconds it took", seconds, 0.9e-3 * SHORT_MS, 5)


@covers("ri_abort.re_execute", uses=("aclmdlRIExecute",))
def test_abort(acl, expect, graphs):
    """An instance that was aborted while it ran executes again, all of it."""
    made, copy = graphs.waiting_copy()
    running = graphs.running(acl, made.instance)
    expect.success(acl.aclmdlRIAbort(modelRI=made.instance))
    running.result()
    graphs.let_go()
    expect.unchanged(copy.target)
    expect.success(acl.aclmdlRIExecute(modelRI=made.instance, timeout=FOREVER))
    expect.data(copy.target, copy.source.read())


@covers("ri_abort.not_for_capture")
def test_abort_captured(acl, expect, graphs):
    """What aborting an instance of a capture comes to is recorded."""
    expect.observed(acl.aclmdlRIAbort(modelRI=graphs.captured()))
