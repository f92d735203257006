"""aclrtSetOpWaitTimeout and waits with a bound: a wait that lasts too long ends with an error.

A second is the shortest limit, so these tests take that long; what the process keeps is shown on one surface.
"""

from __future__ import annotations

from harness.plugin import covers, isolated, surfaces
from suites.runtime.event.waits import LIMIT_S

SYNC = 0x1
FRESH = "a process in which no limit was set before"


@covers("stream_wait_event.timeout_from_process", uses=["aclrtSetOpWaitTimeout"])
def test_expires(acl, waits, stream, other_stream, event, expect):
    """A wait that lasts longer than the limit of the process lets the wait for its stream fail."""
    waits.limit(LIMIT_S)
    with waits.late(event, stream):
        expect.success(acl.aclrtStreamWaitEvent(stream=other_stream, event=event))
        result, seconds = waits.ended_by_limit(other_stream)
    expect.refused(result)
    expect.within("seconds it took", seconds, 0.5 * LIMIT_S, 20)


@covers("set_op_wait_timeout.default_none", uses=["aclrtStreamWaitEvent"])
@surfaces("c")
@isolated(FRESH)
def test_no_limit(acl, waits, stream, other_stream, event, expect):
    """Where no limit was set, a wait ends with its event."""
    with waits.late(event, stream) as hold:
        expect.success(acl.aclrtStreamWaitEvent(stream=other_stream, event=event))
        expect.success(waits.outlasts(hold, other_stream))


@covers("set_op_wait_timeout.zero", uses=["aclrtStreamWaitEvent"])
@surfaces("c")
def test_switched_off(acl, waits, stream, other_stream, event, expect):
    """0 takes the limit away."""
    waits.limit(LIMIT_S, 0)
    with waits.late(event, stream) as hold:
        expect.success(acl.aclrtStreamWaitEvent(stream=other_stream, event=event))
        expect.success(waits.outlasts(hold, other_stream))


@covers("set_op_wait_timeout.last_wins", uses=["aclrtStreamWaitEvent"])
@surfaces("c")
def test_last_wins(acl, waits, stream, other_stream, event, expect):
    """The limit that was set last counts."""
    waits.limit(100, LIMIT_S)
    with waits.late(event, stream):
        expect.success(acl.aclrtStreamWaitEvent(stream=other_stream, event=event))
        result, _ = waits.ended_by_limit(other_stream)
    expect.refused(result)


@covers("set_op_wait_timeout.later_waits_only", uses=["aclrtStreamWaitEvent"])
@surfaces("c")
@isolated(FRESH)
def test_earlier_wait(acl, waits, stream, other_stream, event, expect):
    """A limit does not touch a wait that was made before."""
    with waits.late(event, stream) as hold:
        expect.success(acl.aclrtStreamWaitEvent(stream=other_stream, event=event))
        waits.limit(LIMIT_S)
        expect.success(waits.outlasts(hold, other_stream))


@covers("stream_wait_event_with_timeout.expiry")
def test_bound_expires(acl, waits, stream, other_stream, event, expect):
    """A wait that lasts longer than its own bound lets the wait for its stream fail."""
    wait = {"stream": other_stream, "event": event, "timeout": LIMIT_S}
    with waits.late(event, stream):
        expect.success(acl.aclrtStreamWaitEventWithTimeout(**wait))
        result, seconds = waits.ended_by_limit(other_stream)
    expect.refused(result)
    expect.within("seconds it took", seconds, 0.5 * LIMIT_S, 20)


@covers("stream_wait_event_with_flag.default_equals_timeout")
def test_bound_with_flag(acl, waits, stream, other_stream, desk, expect):
    """With flag 0 a wait that lasts longer than its bound lets the wait for its stream fail."""
    event = desk.event_ex(SYNC)
    wait = {"stream": other_stream, "event": event, "timeout": LIMIT_S, "flag": 0}
    with waits.late(event, stream):
        expect.success(acl.aclrtStreamWaitEventWithFlag(**wait))
        result, seconds = waits.ended_by_limit(other_stream)
    expect.refused(result)
    expect.within("seconds it took", seconds, 0.5 * LIMIT_S, 20)


@covers("stream_wait_event_with_timeout.ignored_old")
def test_bound_of_older_products(acl, waits, stream, other_stream, event, expect):
    """Whether older products mind the bound of a wait is recorded."""
    wait = {"stream": other_stream, "event": event, "timeout": LIMIT_S}
    with waits.late(event, stream) as hold:
        expect.success(acl.aclrtStreamWaitEventWithTimeout(**wait))
        expect.observed(waits.outlasts(hold, other_stream))
