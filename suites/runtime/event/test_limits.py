"""How many events there are."""

from __future__ import annotations

from harness.plugin import covers, isolated, sequential, surfaces
from suites.runtime.crowd import Crowd, most_events

PROGRESS = 0x2
BLOCKS = "a record may block where there is no event left"


@covers("create_event.max_65536", "create_event.max_1023", "create_event.max_65535")
@surfaces("c")
@isolated(BLOCKS)
@sequential
def test_events(case, desk, stream, expect):
    """How many events can be recorded at a time is recorded."""
    crowd = Crowd(case, "aclrtCreateEvent", "event", "aclrtDestroyEvent")
    crowd.fill(most_events(case) + 1)
    expect.observed(crowd.recorded(stream, desk.context()))


@covers("create_event_ex_with_flag.not_hardware_bound")
@sequential
def test_extended_events(case, expect):
    """As many events of the other kind are made as the product has of the first."""
    crowd = Crowd(case, "aclrtCreateEventExWithFlag", "event", "aclrtDestroyEvent", flag=PROGRESS)
    most = most_events(case)
    expect.true("events made", crowd.fill(most - 1), most - 1)
    expect.success(crowd.one_more())
