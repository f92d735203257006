"""Valid calls of chapter 17: the objects that describe queues, routes and queries."""

from __future__ import annotations

from typing import Any

from suites.recipes import Bench, Call, recipe
from suites.recipes.transfer_means import Means
from suites.services.objects import ENDINGS


def _creating(api: str, **args: Any) -> None:
    """The recipe of a function that makes an object, and the one of the function that destroys it."""
    ending = ENDINGS[api]

    def create(bench: Bench) -> Call:
        return Means(bench).call(api, dict(args))

    def destroy(bench: Bench) -> Call:
        means = Means(bench)
        return means.call(ending.api, {ending.name: means.make(api, **args)})

    recipe(api)(create)
    recipe(ending.api)(destroy)


_creating("acltdtCreateQueueAttr")
_creating("acltdtCreateQueueRoute", srcId=1, dstId=2)
_creating("acltdtCreateQueueRouteList")
_creating("acltdtCreateQueueRouteQueryInfo")


@recipe("acltdtSetQueueAttr")
def set_queue_attribute(bench: Bench) -> Call:
    """A depth of 16."""
    depth = bench.memory.pageable(8)
    depth.write((16).to_bytes(8, "little"))
    args = {
        "attr": Means(bench).attributes(),
        "type": "ACL_TDT_QUEUE_DEPTH_UINT32",
        "len": 4,
        "param": depth,
    }
    return Call(args)


@recipe("acltdtGetQueueAttr")
def get_queue_attribute(bench: Bench) -> Call:
    """The depth."""
    room = bench.memory.pageable(8)
    args = {"attr": Means(bench).attributes(), "type": "ACL_TDT_QUEUE_DEPTH_UINT32", "len": 4, "param": room}
    return Call(args, watch=(room,))


@recipe("acltdtGetQueueRouteParam")
def get_route_parameter(bench: Bench) -> Call:
    """The source of a route."""
    room = bench.memory.pageable(8)
    args = {"route": Means(bench).route(), "type": "ACL_TDT_QUEUE_ROUTE_SRC_UINT32", "len": 4, "param": room}
    return Call(args, watch=(room,))


@recipe("acltdtAddQueueRoute")
def add_route(bench: Bench) -> Call:
    """A route for an empty list."""
    means = Means(bench)
    route = means.route()
    return Call({"routeList": means.routes(), "route": route})


@recipe("acltdtGetQueueRoute")
def get_route(bench: Bench) -> Call:
    """The only route of a list."""
    means = Means(bench)
    return Call({"routeList": means.routes(means.route()), "index": 0, "route": means.route()})


@recipe("acltdtSetQueueRouteQueryInfo")
def set_route_query(bench: Bench) -> Call:
    """Routes are asked for by their source."""
    value = bench.memory.pageable(4).fill(0)
    query = Means(bench).make("acltdtCreateQueueRouteQueryInfo")
    args = {"param": query, "type": "ACL_TDT_QUEUE_ROUTE_QUERY_MODE_ENUM", "len": 4, "value": value}
    return Call(args)
