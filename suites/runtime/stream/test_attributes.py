"""Failure mode, overflow switch and the attributes of streams."""

from __future__ import annotations

import pytest

from harness.plugin import covers, isolated, surfaces
from suites.runtime.stream.stopping import Stopping

FAILURE_MODE = "ACL_STREAM_ATTR_FAILURE_MODE"
OVERFLOW = "ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK"
TAG = "ACL_STREAM_ATTR_USER_CUSTOM_TAG"
CACHE = "ACL_STREAM_ATTR_CACHE_OP_INFO"
PRIORITY = "ACL_STREAM_ATTR_PRIORITY"


@covers("set_stream_failure_mode.default_continue", uses=["aclrtGetStreamAttribute"])
def test_default_mode(acl, stream, expect):
    """A stream goes on after a failure unless told otherwise."""
    result = acl.aclrtGetStreamAttribute(stream=stream, stmAttrType=FAILURE_MODE)
    expect.true("the mode", expect.success(result).value["failureMode"], 0)


@covers("set_stream_failure_mode.once")
def test_mode_once(acl, case, expect):
    """The mode of a stream is set once and for all."""
    with Stopping(case) as context:
        stream = context.stream()
        context.stops(stream)
        result = acl.aclrtSetStreamFailureMode(stream=stream, mode=0)
    expect.refused(result)


@covers("set_stream_failure_mode.null_stream_new")
def test_mode_of_default(acl, desk, expect):
    """NULL stands for the default stream."""
    with desk.other_context():
        expect.success(acl.aclrtSetStreamFailureMode(stream=None, mode="ACL_STOP_ON_FAILURE"))
        told = desk.must("aclrtGetStreamAttribute", stream=None, stmAttrType=FAILURE_MODE)
    expect.true("the mode", told.value["failureMode"], 1)


@covers("set_stream_overflow_switch.later_tasks")
def test_switch_between(acl, desk, stream, expect):
    """Work before and after the switch is done."""
    before = desk.works(stream)
    expect.success(acl.aclrtSetStreamOverflowSwitch(stream=stream, flag=1))
    expect.true("work before and after", (before, desk.works(stream)), (True, True))


@covers("set_stream_overflow_switch.null_stream", uses=["aclrtGetStreamOverflowSwitch"])
def test_switch_of_default(acl, desk, expect):
    """NULL stands for the default stream."""
    with desk.other_context():
        expect.success(acl.aclrtSetStreamOverflowSwitch(stream=None, flag=1))
        expect.true("the switch", acl.aclrtGetStreamOverflowSwitch(stream=None).flag, 1)


@covers("set_stream_overflow_switch.capturing")
def test_switch_captured(desk, stream, expect):
    """The switch of a stream that is being captured cannot be set."""
    result = desk.captured("aclrtSetStreamOverflowSwitch", stream, stream=stream, flag=1)
    expect.refused(result)


@covers("get_stream_overflow_switch.reads_back")
def test_switch_reads_back(acl, desk, stream, expect):
    """The switch is off at first, and then as it was set."""
    seen = [expect.success(acl.aclrtGetStreamOverflowSwitch(stream=stream)).flag]
    desk.must("aclrtSetStreamOverflowSwitch", stream=stream, flag=1)
    seen.append(expect.success(acl.aclrtGetStreamOverflowSwitch(stream=stream)).flag)
    desk.must("aclrtSetStreamOverflowSwitch", stream=stream, flag=0)
    seen.append(expect.success(acl.aclrtGetStreamOverflowSwitch(stream=stream)).flag)
    expect.true("the switch", seen, [0, 1, 0])


@covers("get_stream_overflow_switch.reads_back")
def test_switch_of_other_stream(acl, desk, stream, other_stream, expect):
    """The switch of one stream is not that of another."""
    desk.must("aclrtSetStreamOverflowSwitch", stream=stream, flag=1)
    result = acl.aclrtGetStreamOverflowSwitch(stream=other_stream)
    expect.true("the switch of the other stream", expect.success(result).flag, 0)


@covers("set_stream_attribute.failure_mode_equiv", uses=["aclrtGetStreamAttribute", "aclrtMemsetAsync"])
@isolated("a context that has stopped may be lost to its process")
def test_mode_attribute(acl, case, memory, expect):
    """The failure mode can be set as an attribute, is read so, and stops the stream at a failure."""
    with Stopping(case) as context:
        stream = context.stream()
        asked = {"stream": stream, "stmAttrType": FAILURE_MODE}
        expect.success(acl.aclrtSetStreamAttribute(**asked, value={"failureMode": 1}))
        result = acl.aclrtGetStreamAttribute(**asked)
        context.fail(stream)
        codes = context.work(stream, memory.device(64))
    expect.true("the mode", expect.success(result).value["failureMode"], 1)
    expect.true("new work after a failure is refused", any(codes))


@covers("set_stream_attribute.failure_mode_default_stream")
def test_mode_attribute_of_default(acl, desk, expect):
    """What setting the mode of the default stream gives is recorded."""
    with desk.other_context():
        result = acl.aclrtSetStreamAttribute(stream=None, stmAttrType=FAILURE_MODE, value={"failureMode": 1})
    expect.observed(result)


@covers("set_stream_attribute.overflow_equiv", uses=["aclrtGetStreamOverflowSwitch"])
def test_overflow_attribute(acl, stream, expect):
    """The overflow switch can be set as an attribute, and taken back."""
    asked = {"stream": stream, "stmAttrType": OVERFLOW}
    expect.success(acl.aclrtSetStreamAttribute(**asked, value={"overflowSwitch": 1}))
    on = acl.aclrtGetStreamOverflowSwitch(stream=stream).flag
    expect.success(acl.aclrtSetStreamAttribute(**asked, value={"overflowSwitch": 0}))
    expect.true("the switch", (on, acl.aclrtGetStreamOverflowSwitch(stream=stream).flag), (1, 0))


@covers("set_stream_attribute.overflow_equiv", uses=["aclrtGetStreamAttribute"])
def test_overflow_attribute_read(acl, desk, stream, expect):
    """The overflow switch can be read as an attribute."""
    desk.must("aclrtSetStreamOverflowSwitch", stream=stream, flag=1)
    result = acl.aclrtGetStreamAttribute(stream=stream, stmAttrType=OVERFLOW)
    expect.true("the switch", expect.success(result).value["overflowSwitch"], 1)


@covers("set_stream_attribute.user_tag", uses=["aclrtGetStreamAttribute"])
def test_tag(acl, desk, stream, expect):
    """A tag of 32 bits is kept, though there was another one before."""
    asked = {"stream": stream, "stmAttrType": TAG}
    desk.must("aclrtSetStreamAttribute", **asked, value={"userCustomTag": 1})
    expect.success(acl.aclrtSetStreamAttribute(**asked, value={"userCustomTag": 0xFFFFFFFF}))
    result = acl.aclrtGetStreamAttribute(**asked)
    expect.true("the tag", expect.success(result).value["userCustomTag"], 0xFFFFFFFF)


@covers("set_stream_attribute.user_tag", uses=["aclrtGetStreamAttribute"])
def test_tags_of_two_streams(acl, stream, other_stream, expect):
    """Two streams keep a tag each."""
    first, second = ({"stream": each, "stmAttrType": TAG} for each in (stream, other_stream))
    expect.success(acl.aclrtSetStreamAttribute(**first, value={"userCustomTag": 1}))
    expect.success(acl.aclrtSetStreamAttribute(**second, value={"userCustomTag": 2}))
    result = acl.aclrtGetStreamAttribute(**first)
    expect.true("the tag", expect.success(result).value["userCustomTag"], 1)


@covers("set_stream_attribute.cache_op_values")
@surfaces("c")
def test_cache_switch(acl, stream, expect):
    """The switch for operator information is 0 or 1."""
    result = acl.aclrtSetStreamAttribute(stream=stream, stmAttrType=CACHE, value={"cacheOpInfoSwitch": 2})
    expect.refused(result)


@covers("set_stream_attribute.cache_op_needs_capture", uses=["aclrtGetStreamAttribute"])
@surfaces("c")
def test_cache_switch_captured(acl, desk, stream, expect):
    """The switch for operator information reads as on only while the stream is being captured."""
    on = {"stream": stream, "stmAttrType": CACHE, "value": {"cacheOpInfoSwitch": 1}}
    asked = {"stream": stream, "stmAttrType": CACHE}
    expect.success(acl.aclrtSetStreamAttribute(**on))
    before = expect.success(acl.aclrtGetStreamAttribute(**asked)).value["cacheOpInfoSwitch"]
    with desk.capturing(stream):
        expect.success(acl.aclrtSetStreamAttribute(**on))
        inside = expect.success(acl.aclrtGetStreamAttribute(**asked)).value["cacheOpInfoSwitch"]
    expect.true("the switch before and in the capture", (before, inside), (0, 1))


@covers("set_stream_attribute.priority_range", uses=["aclrtStreamGetPriority"])
@surfaces("c")
@pytest.mark.parametrize("priority", [0, 7])
def test_priority(acl, desk, stream, expect, priority):
    """A priority of 0 to 7 can be set, and is told back, though there was another one before."""
    asked = {"stream": stream, "stmAttrType": PRIORITY}
    desk.must("aclrtSetStreamAttribute", **asked, value={"streamPriority": 7 - priority})
    expect.success(acl.aclrtSetStreamAttribute(**asked, value={"streamPriority": priority}))
    expect.true("the priority", acl.aclrtStreamGetPriority(stream=stream).priority, priority)


@covers("set_stream_attribute.priority_range", uses=["aclrtGetStreamAttribute"])
@surfaces("c")
def test_priority_attribute(acl, stream, expect):
    """A priority that was set is told back as an attribute."""
    asked = {"stream": stream, "stmAttrType": PRIORITY}
    expect.success(acl.aclrtSetStreamAttribute(**asked, value={"streamPriority": 5}))
    expect.true(
        "the priority", expect.success(acl.aclrtGetStreamAttribute(**asked)).value["streamPriority"], 5
    )


@covers("get_stream_attribute.defaults")
@surfaces("c")
@pytest.mark.parametrize(
    ("attribute", "field"),
    [
        (FAILURE_MODE, "failureMode"),
        (OVERFLOW, "overflowSwitch"),
        (CACHE, "cacheOpInfoSwitch"),
        (PRIORITY, "streamPriority"),
    ],
)
def test_defaults(acl, stream, expect, attribute, field):
    """The attributes of a fresh stream are 0."""
    result = acl.aclrtGetStreamAttribute(stream=stream, stmAttrType=attribute)
    expect.true("the attribute", expect.success(result).value[field], 0)
