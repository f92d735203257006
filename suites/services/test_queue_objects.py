"""The objects that describe queues and routes."""

from __future__ import annotations

import pytest

from harness.plugin import covers, covers_each, isolated
from suites.services.host_bytes import text_at
from suites.services.objects import ENDINGS

CREATORS = (
    "acltdtCreateQueueAttr",
    "acltdtCreateQueueRoute",
    "acltdtCreateQueueRouteList",
    "acltdtCreateQueueRouteQueryInfo",
)
ARGUMENTS = {"acltdtCreateQueueRoute": {"srcId": 1, "dstId": 2}}


@covers_each("returns_object", *CREATORS)
def test_two_objects(acl, expect, api):
    """Two calls give two objects, and both can be destroyed."""
    args, ending = ARGUMENTS.get(api, {}), ENDINGS[api]
    one, other = (acl.call(api, **args).value for _ in range(2))
    expect.true("two objects that differ", 0 != one != other != 0)
    expect.success(acl.call(ending.api, **{ending.name: one}))
    expect.success(acl.call(ending.api, **{ending.name: other}))


@covers_each("needs_no_device", *CREATORS)
@isolated("no device is set")
def test_without_a_device(initialised_only, expect, api):
    """The object is made before any device is set."""
    ending = ENDINGS[api]
    made = expect.success(initialised_only.call(api, **ARGUMENTS.get(api, {})))
    expect.success(initialised_only.call(ending.api, **{ending.name: made.value}))


@covers("tdt_create_queue_attr.defaults")
def test_fresh_attributes(acl, queues, expect):
    """What name and depth are at first is recorded."""
    fresh = acl.acltdtCreateQueueAttr().value
    depth, _ = queues.get(fresh, "ACL_TDT_QUEUE_DEPTH_UINT32", 4)
    name, _ = queues.get(fresh, "ACL_TDT_QUEUE_NAME_PTR", 8)
    expect.observed(f"depth {depth}, name {text_at(name)!r}")


@covers("tdt_get_queue_attr.round_trip")
def test_attributes(queues, expect):
    """Name and depth are read back, and their sizes told."""
    attributes = queues.attributes(depth=16)
    expect.success(queues.set_name(attributes, "queue"))
    name, told = queues.get(attributes, "ACL_TDT_QUEUE_NAME_PTR", 8)
    expect.true("the name", text_at(name), "queue")
    expect.true("the size of a pointer", told, 8)
    expect.true("depth and its size", queues.get(attributes, "ACL_TDT_QUEUE_DEPTH_UINT32", 4), (16, 4))


@covers("tdt_set_queue_attr.name_too_long")
def test_long_name(queues, expect):
    """A name of 128 characters is refused, one of 127 is not."""
    attributes = queues.attributes(depth=2)
    expect.success(queues.set_name(attributes, "x" * 127))
    expect.refused(queues.set_name(attributes, "x" * 128))


@covers("tdt_get_queue_route_param.values")
def test_route(queues, expect):
    """A route has its ends and the status 0."""
    expect.true("source, destination, status", queues.parts(queues.route(5, 6)), (5, 6, 0))


@covers("tdt_create_queue_route.ids_unchecked")
@pytest.mark.parametrize(("source", "destination"), [(0, 0xFFFF_FFFF), (0xFFFF_FFFF, 0)])
def test_route_between_no_queues(queues, expect, source, destination):
    """A route keeps ids that no queue has."""
    parts = queues.parts(queues.route(source, destination))
    expect.true("source, destination, status", parts, (source, destination, 0))


@covers("tdt_get_queue_route_num.null_zero")
def test_count_of_no_list(acl, expect):
    """NULL has no routes."""
    expect.true("no routes", acl.acltdtGetQueueRouteNum(routeList=None).value, 0)


@covers("tdt_create_queue_route_list.fresh_is_empty")
def test_fresh_list(acl, queues, expect):
    """A new list has no routes."""
    expect.true("no routes", acl.acltdtGetQueueRouteNum(routeList=queues.routes([])).value, 0)


@covers("tdt_get_queue_route_num.counts")
def test_count(acl, queues, expect):
    """Three routes count as three."""
    routes = queues.routes([(1, 2), (1, 3), (1, 4)])
    expect.true("three routes", acl.acltdtGetQueueRouteNum(routeList=routes).value, 3)


@covers("tdt_add_queue_route.copies")
def test_route_is_copied(acl, queues, expect):
    """A list keeps a route that was destroyed since."""
    routes, route = queues.routes([]), queues.route(5, 6)
    expect.success(acl.acltdtAddQueueRoute(routeList=routes, route=route))
    expect.success(acl.acltdtDestroyQueueRoute(route=route))
    expect.true("the route in the list", queues.ends_of(routes), [(5, 6, 0)])
