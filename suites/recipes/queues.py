"""Valid calls of chapter 17: queues, what goes through them, and the routes between them."""

from __future__ import annotations

import os

from suites.recipes import Bench, Call, recipe
from suites.recipes.transfer_means import Means


@recipe("acltdtCreateQueue")
def create_queue(bench: Bench) -> Call:
    """A queue as the library likes it."""
    return Means(bench).call("acltdtCreateQueue", {"attr": None})


@recipe("acltdtDestroyQueue")
def destroy_queue(bench: Bench) -> Call:
    """A queue."""
    means = Means(bench)
    return means.call("acltdtDestroyQueue", {"qid": means.queue()})


@recipe("acltdtEnqueueData")
def enqueue_data(bench: Bench) -> Call:
    """64 bytes, and as many for the user."""
    args = {
        "qid": Means(bench).queue(),
        "data": bench.memory.pageable(64),
        "dataSize": 64,
        "userData": bench.memory.pageable(128),
        "userDataSize": 64,
        "timeout": 1000,
        "rsv": 0,
    }
    return Call(args)


@recipe("acltdtDequeueData")
def dequeue_data(bench: Bench) -> Call:
    """What was put in before."""
    queue = Means(bench).queue()
    sent = bench.memory.pageable(64)
    if bench.case.supports("acltdtEnqueueData"):
        bench.call(
            "acltdtEnqueueData",
            qid=queue,
            data=sent,
            dataSize=64,
            userData=None,
            userDataSize=0,
            timeout=1000,
            rsv=0,
        )
    data = bench.memory.pageable(64)
    args = {
        "qid": queue,
        "data": data,
        "dataSize": 64,
        "userData": None,
        "userDataSize": 0,
        "timeout": 1000,
    }
    return Call(args, watch=(data,))


@recipe("acltdtEnqueue")
def enqueue(bench: Bench) -> Call:
    """A buffer, which no host program has."""
    return Call({"qid": Means(bench).queue(), "buf": bench.memory.pageable(64), "timeout": 0}, control=False)


@recipe("acltdtDequeue")
def dequeue(bench: Bench) -> Call:
    """A buffer, which no host program gets."""
    return Call({"qid": Means(bench).queue(), "timeout": 0}, control=False)


@recipe("acltdtGrantQueue")
def grant_queue(bench: Bench) -> Call:
    """The process itself, which needs no grant."""
    args = {"qid": Means(bench).queue(), "pid": os.getpid(), "permission": 1, "timeout": 0}
    return Call(args, control=False)


@recipe("acltdtAttachQueue")
def attach_queue(bench: Bench) -> Call:
    """A queue of the process itself."""
    return Call({"qid": Means(bench).queue(), "timeout": 0}, control=False)


@recipe("acltdtBindQueueRoutes")
def bind_routes(bench: Bench) -> Call:
    """One route between two queues."""
    means = Means(bench)
    routes, _ = means.bound_route()
    call = Call({"qRouteList": routes})
    call.undo = lambda result: bench.call("acltdtUnbindQueueRoutes", qRouteList=routes)
    return call


@recipe("acltdtUnbindQueueRoutes")
def unbind_routes(bench: Bench) -> Call:
    """One route that is bound."""
    means = Means(bench)
    routes, _ = means.bound_route()
    bench.call("acltdtBindQueueRoutes", qRouteList=routes)
    bound = [routes]

    def unbind() -> None:
        for each in bound:
            bench.call("acltdtUnbindQueueRoutes", qRouteList=each)

    bench.at_end(unbind)
    return Call({"qRouteList": routes}, undo=lambda result: bound.clear())


@recipe("acltdtQueryQueueRoutes")
def query_routes(bench: Bench) -> Call:
    """The routes of a queue that has none."""
    means = Means(bench)
    query = means.make("acltdtCreateQueueRouteQueryInfo")
    set_query(bench, query, "ACL_TDT_QUEUE_ROUTE_QUERY_MODE_ENUM", 0)
    set_query(bench, query, "ACL_TDT_QUEUE_ROUTE_QUERY_SRC_ID_UINT32", means.queue())
    return Call({"queryInfo": query, "qRouteList": means.routes()})


def set_query(bench: Bench, query: int, what: str, number: int) -> None:
    """Put a 32-bit number into a query."""
    value = bench.memory.pageable(4)
    value.write(number.to_bytes(4, "little"))
    bench.call("acltdtSetQueueRouteQueryInfo", param=query, type=what, len=4, value=value)
