"""Routes between queues."""

from __future__ import annotations

import pytest

from harness.plugin import covers

BY_SOURCE, BY_DESTINATION, BY_BOTH = 0, 1, 2
UNUSED_QUEUE = 0xFFFF_FFFF


@covers("tdt_bind_queue_routes.one_to_many")
def test_one_to_many(queues, expect):
    """A message goes to every destination."""
    source, one, other = queues.make(), queues.make(), queues.make()
    queues.bind([(source, one), (source, other)])
    queues.fill(source, 3)
    expect.true("messages at the first destination", queues.numbers(one, 3), [0, 1, 2])
    expect.true("messages at the second one", queues.numbers(other, 3), [0, 1, 2])


@covers("tdt_bind_queue_routes.cycle")
def test_cycle(acl, queues, expect):
    """Routes that lead back are refused."""
    one, other = queues.make(), queues.make()
    expect.refused(acl.acltdtBindQueueRoutes(qRouteList=queues.routes([(one, other), (other, one)])))


@covers("tdt_bind_queue_routes.all_or_error")
def test_one_bad_route(acl, queues, expect):
    """One route of an unknown queue makes the call fail."""
    source, destination = queues.make(), queues.make()
    routes = queues.routes([(source, destination), (source, UNUSED_QUEUE)])
    result = acl.acltdtBindQueueRoutes(qRouteList=routes)
    queues.unbind_at_last(routes)
    expect.refused(result)


@covers("tdt_unbind_queue_routes.stops_forwarding")
def test_unbind(acl, queues, expect):
    """Nothing is forwarded along a route that was unbound."""
    source, destination = queues.make(), queues.make()
    routes = queues.bind([(source, destination)])
    expect.success(acl.acltdtUnbindQueueRoutes(qRouteList=routes))
    queues.fill(source, 1)
    expect.refused(queues.take_late(destination, timeout=100).result)


@covers("tdt_query_queue_routes.mode_missing", "tdt_create_queue_route_query_info.fresh_is_unset")
def test_query_without_a_mode(queues, expect):
    """A query that was not set up is refused."""
    expect.refused(queues.ask(queues.query(), queues.routes([])))


@covers("tdt_query_queue_routes.source_missing")
@pytest.mark.parametrize(
    ("mode", "ends"),
    [(BY_SOURCE, ()), (BY_DESTINATION, ()), (BY_BOTH, ("source",)), (BY_BOTH, ("destination",))],
    ids=["source", "destination", "both-without-destination", "both-without-source"],
)
def test_query_without_an_end(queues, expect, mode, ends):
    """A query without a queue that its mode asks for is refused."""
    query = queues.query(mode, **dict.fromkeys(ends, queues.make()))
    expect.refused(queues.ask(query, queues.routes([])))


@covers("tdt_query_queue_routes.finds_routes")
def test_query(queues, expect):
    """Bound routes are listed with their ends and the status 1."""
    source, one, other = queues.make(), queues.make(), queues.make()
    queues.bind([(source, one), (source, other)])
    found = queues.routes([])
    expect.success(queues.ask(queues.query(BY_SOURCE, source=source), found))
    wanted = sorted([(source, one, 1), (source, other, 1)])
    expect.true("the routes", sorted(queues.ends_of(found)), wanted)
