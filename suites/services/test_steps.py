"""Steps of a training loop."""

from __future__ import annotations

import resource

from harness.plugin import covers

MANY = 1000
GROWTH_KIB = 8192
"""How much memory a process may take for itself in the meantime."""


@covers("prof_get_step_timestamp.start_twice")
def test_start_twice(acl, steps, stream, expect):
    """A step starts once."""
    step = steps.make()
    expect.success(acl.aclprofGetStepTimestamp(stepInfo=step, tag="ACL_STEP_START", stream=stream))
    expect.refused(acl.aclprofGetStepTimestamp(stepInfo=step, tag="ACL_STEP_START", stream=stream))


@covers("prof_get_step_timestamp.end_twice")
def test_end_twice(acl, steps, stream, expect):
    """A step ends once."""
    step = steps.make()
    expect.success(acl.aclprofGetStepTimestamp(stepInfo=step, tag="ACL_STEP_START", stream=stream))
    expect.success(acl.aclprofGetStepTimestamp(stepInfo=step, tag="ACL_STEP_END", stream=stream))
    expect.refused(acl.aclprofGetStepTimestamp(stepInfo=step, tag="ACL_STEP_END", stream=stream))


@covers("prof_create_step_info.tag_once", uses=("aclprofGetStepTimestamp",))
def test_tag_again(acl, steps, stream, expect):
    """What tagging a step again gives is recorded."""
    step = steps.make()
    expect.success(acl.aclprofGetStepTimestamp(stepInfo=step, tag="ACL_STEP_START", stream=stream))
    expect.observed(acl.aclprofGetStepTimestamp(stepInfo=step, tag="ACL_STEP_START", stream=stream))


@covers("prof_create_step_info.returns_object")
def test_two_steps(acl, steps, expect):
    """Two calls give two objects."""
    one, other = steps.make(), steps.make()
    expect.true("two objects that differ", 0 != one != other != 0)


@covers("prof_create_step_info.needs_no_profiling")
def test_without_profiling(acl, expect):
    """A step object is made while nothing is collected."""
    made = expect.success(acl.aclprofCreateStepInfo())
    acl.aclprofDestroyStepInfo(stepinfo=made.value)


@covers("prof_destroy_step_info.object_destroyed")
def test_many_steps(steps, expect):
    """A thousand step objects that came and went leave nothing."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    steps.make_and_destroy(MANY)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    expect.within("the process grows by at most so many KiB", grown, 0, GROWTH_KIB)


@covers("prof_destroy_step_info.null")
def test_destroy_nothing(acl, expect):
    """Destroying NULL does no harm."""
    expect.success(acl.aclprofDestroyStepInfo(stepinfo=None))
