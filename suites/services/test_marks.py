"""Marks and ranges of a program in what is collected."""

from __future__ import annotations

import pytest

from harness.plugin import covers, covers_each
from suites.services.processes import outcome_elsewhere
from suites.threads import elsewhere

LONGEST = 127
TEXTS = ("one", "another", "one and another")


@covers("prof_create_stamp.outside_profiling")
def test_stamp_outside(acl, expect):
    """While nothing is collected there is no stamp."""
    expect.refused(acl.aclprofCreateStamp())


@covers("prof_create_stamp.inside_profiling")
def test_stamp(acl, marking, expect):
    """While markers are collected there is a stamp."""
    stamp = expect.success(acl.aclprofCreateStamp()).value
    acl.aclprofDestroyStamp(stamp=stamp)


@covers("prof_destroy_stamp.null")
def test_destroy_nothing(acl, expect):
    """Destroying NULL does no harm."""
    expect.observed(acl.aclprofDestroyStamp(stamp=None))


@covers_each("outside_profiling", "aclprofMark", "aclprofPush")
def test_mark_outside(acl, marking, expect, api):
    """A stamp that outlives its collection marks nothing."""
    stamp = marking.stamp()
    marking.stop()
    expect.refused(acl.call(api, stamp=stamp))


@covers("prof_set_stamp_trace_message.message_limit")
def test_long_message(acl, marking, expect):
    """A message of 200 characters is refused, one of 127 is not."""
    stamp = marking.stamp()
    expect.success(acl.aclprofSetStampTraceMessage(stamp=stamp, msg="x" * LONGEST, msgLen=LONGEST))
    expect.refused(acl.aclprofSetStampTraceMessage(stamp=stamp, msg="x" * 200, msgLen=200))


@covers("prof_mark_ex.length_limit")
def test_long_mark(acl, marking, stream, expect):
    """A mark of 128 characters is refused, one of 127 is not."""
    expect.success(acl.aclprofMarkEx(msg="x" * LONGEST, msgLen=LONGEST, stream=stream))
    longer = LONGEST + 1
    expect.refused(acl.aclprofMarkEx(msg="x" * longer, msgLen=longer, stream=stream))


@covers("prof_pop.without_push")
def test_pop_without_push(acl, marking, expect):
    """A range that has not begun does not end."""
    expect.refused(acl.aclprofPop())


@covers("prof_pop.same_thread")
def test_pop_elsewhere(acl, marking, expect):
    """A range does not end in another thread."""
    expect.success(acl.aclprofPush(stamp=marking.stamp()))
    expect.refused(elsewhere(acl, acl.aclprofPop))


@covers("prof_range_stop.other_thread")
def test_stop_elsewhere(acl, marking, expect):
    """A range with a number ends in any thread."""
    begun = expect.success(acl.aclprofRangeStart(stamp=marking.stamp()))
    expect.success(elsewhere(acl, lambda: acl.aclprofRangeStop(rangeId=begun.rangeId)))


@covers("prof_str2_id.null")
def test_id_of_nothing(case, expect):
    """What the id of NULL is, or how it ends the process, is recorded."""
    expect.observed(outcome_elsewhere(case, "aclprofStr2Id", message=None))


@covers("prof_str2_id.stable")
@pytest.mark.parametrize("text", TEXTS)
def test_id(acl, expect, text):
    """A text has one id, which is no failure."""
    first = acl.aclprofStr2Id(message=text).value
    expect.true("not the value for a failure", first != 2**64 - 1)
    expect.true("the same id again", acl.aclprofStr2Id(message=text).value, first)


@covers("prof_range_push_ex.pair")
def test_range(acl, marking, expect):
    """A range begins and ends in one thread."""
    expect.success(acl.aclprofRangePushEx(attr=marking.attributes()))
    expect.success(acl.aclprofRangePop())


@covers("prof_range_push_ex.outside_profiling")
def test_range_outside(acl, marking, expect):
    """What a range gives while nothing is collected is recorded."""
    marking.stop()
    expect.observed(acl.aclprofRangePushEx(attr=marking.attributes()))


@covers("prof_range_pop.without_push")
def test_range_pop_without_push(acl, marking, expect):
    """A range that has not begun does not end."""
    expect.refused(acl.aclprofRangePop())
