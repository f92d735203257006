"""Valid calls of chapter 17: tensor channels, queues with their routes, shared buffers, and their objects."""

from __future__ import annotations

import os
from typing import Any

from harness.device import Block
from suites.recipes import Bench, Call, recipe
from suites.services.names import fresh_name
from suites.services.objects import ENDINGS, Objects, made_by

_BUFFER_BYTES = 4096
_ROOM = 4096
"""Bytes of a block that a value of any kind fits in."""
_UNUSED_QUEUE = 0


class _Means:
    """The objects a call needs; they go when the call is over, as far as it has not ended them itself."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.objects = Objects()
        bench.at_end(lambda: self.objects.give_back(bench.case.engine.c))

    def make(self, api: str, **args: Any) -> int:
        """An object of this function."""
        result = self.bench.call(api, **args)
        self.objects.note(api, args, result)
        made = made_by(api, result)
        assert made is not None
        return made

    def make_here(self, api: str, **args: Any) -> int:
        """An object where the product has the function; a made-up one else, for refusals only."""
        return self.make(api, **args) if self.bench.case.supports(api) else _UNUSED_QUEUE

    def call(self, api: str, args: dict[str, Any], *watch: Block, **options: Any) -> Call:
        """A call that is taken down when it has succeeded."""
        call = Call(args, watch=watch, **options)
        call.undo = lambda result: self.objects.note(api, call.args, result)
        return call

    def item(self, data: Block | None = None) -> int:
        """A tensor of 2 x 3 floats."""
        memory = data if data is not None else self.bench.memory.pageable(24)
        return self.make("acltdtCreateDataItem", **_tensor(memory))

    def dataset(self, *items: int) -> int:
        """A dataset of these items."""
        made = self.make("acltdtCreateDataset")
        for item in items:
            self.bench.call("acltdtAddDataItem", dataset=made, dataItem=item)
        return made

    def channel(self) -> int:
        """A channel for four messages."""
        return self.make("acltdtCreateChannelWithCapacity", deviceId=0, name=fresh_name(), capacity=4)

    def queue(self) -> int:
        """A queue of the current device."""
        return self.make_here("acltdtCreateQueue", attr=None)

    def attributes(self) -> int:
        """What describes a queue."""
        return self.make("acltdtCreateQueueAttr")

    def route(self) -> int:
        """A route from queue 1 to queue 2, which need not exist."""
        return self.make("acltdtCreateQueueRoute", srcId=1, dstId=2)

    def routes(self, *routes: int) -> int:
        """A list of these routes."""
        made = self.make("acltdtCreateQueueRouteList")
        for route in routes:
            self.bench.call("acltdtAddQueueRoute", routeList=made, route=route)
        return made

    def bound_route(self) -> tuple[int, int]:
        """A list with one route between two queues, and its source; not bound yet."""
        source, destination = self.queue(), self.queue()
        route = self.make("acltdtCreateQueueRoute", srcId=source, dstId=destination)
        return self.routes(route), source

    def buffer(self) -> int:
        """A shared buffer of 4096 bytes."""
        return self.make("acltdtAllocBuf", size=_BUFFER_BYTES, type="ACL_TDT_NORMAL_MEM")

    def room(self) -> Block:
        """Host memory for a value."""
        return self.bench.memory.pageable(_ROOM)


def _tensor(data: Block) -> dict[str, Any]:
    return {
        "tdtType": "ACL_TENSOR_DATA_TENSOR",
        "dims": [2, 3],
        "dimNum": 2,
        "dataType": "ACL_FLOAT",
        "data": data,
        "size": 24,
    }


@recipe("acltdtCreateDataItem")
def create_data_item(bench: Bench) -> Call:
    """2 x 3 floats in host memory."""
    return _Means(bench).call("acltdtCreateDataItem", _tensor(bench.memory.pageable(24)))


@recipe("acltdtGetDataAddrFromItem")
def get_data_address(bench: Bench) -> Call:
    """An item."""
    return Call({"dataItem": _Means(bench).item()})


@recipe("acltdtGetDimsFromItem")
def get_dims(bench: Bench) -> Call:
    """An item of two dims, and room for as many."""
    means = _Means(bench)
    dims = bench.memory.pageable(16)
    return Call({"dataItem": means.item(), "dims": dims, "dimNum": 2}, watch=(dims,))


@recipe("acltdtGetSliceInfoFromItem")
def get_slice_info(bench: Bench) -> Call:
    """An item."""
    return Call({"dataItem": _Means(bench).item()})


@recipe("acltdtAddDataItem")
def add_data_item(bench: Bench) -> Call:
    """An item for an empty dataset."""
    means = _Means(bench)
    item = means.item()
    return Call({"dataset": means.dataset(), "dataItem": item})


@recipe("acltdtGetDataItem")
def get_data_item(bench: Bench) -> Call:
    """The only item of a dataset."""
    means = _Means(bench)
    return Call({"dataset": means.dataset(means.item()), "index": 0})


@recipe("acltdtGetDatasetName")
def of_dataset(bench: Bench) -> Call:
    """A dataset of one item."""
    means = _Means(bench)
    return Call({"dataset": means.dataset(means.item())})


@recipe("acltdtDestroyDataItem")
def destroy_data_item(bench: Bench) -> Call:
    """An item."""
    means = _Means(bench)
    return means.call("acltdtDestroyDataItem", {"dataItem": means.item()})


@recipe("acltdtDestroyDataset")
def destroy_dataset(bench: Bench) -> Call:
    """A dataset."""
    means = _Means(bench)
    return means.call("acltdtDestroyDataset", {"dataset": means.dataset()})


@recipe("acltdtCreateChannel")
def create_channel(bench: Bench) -> Call:
    """A name that nobody uses."""
    return _Means(bench).call("acltdtCreateChannel", {"deviceId": 0, "name": fresh_name()})


@recipe("acltdtCreateChannelWithCapacity")
def create_channel_with_capacity(bench: Bench) -> Call:
    """A name that nobody uses, for four messages."""
    args = {"deviceId": 0, "name": fresh_name(), "capacity": 4}
    return _Means(bench).call("acltdtCreateChannelWithCapacity", args)


@recipe("acltdtSendTensor")
def send_tensor(bench: Bench) -> Call:
    """One tensor for a channel."""
    means = _Means(bench)
    return Call({"handle": means.channel(), "dataset": means.dataset(means.item()), "timeout": 1000})


@recipe("acltdtReceiveTensor")
def receive_tensor(bench: Bench) -> Call:
    """What was sent before; tried first only where a channel is known to be read back from the host."""
    means = _Means(bench)
    channel = means.channel()
    bench.call("acltdtSendTensor", handle=channel, dataset=means.dataset(means.item()), timeout=1000)
    settled = bench.case.engine.library.control is not None
    return Call({"handle": channel, "dataset": means.dataset(), "timeout": 1000}, control=settled)


@recipe("acltdtStopChannel", "acltdtCleanChannel", "acltdtQueryChannelSize")
def of_channel(bench: Bench) -> Call:
    """A channel."""
    return Call({"handle": _Means(bench).channel()})


@recipe("acltdtDestroyChannel")
def destroy_channel(bench: Bench) -> Call:
    """A channel that was stopped."""
    means = _Means(bench)
    channel = means.channel()
    bench.call("acltdtStopChannel", handle=channel)
    return means.call("acltdtDestroyChannel", {"handle": channel})


@recipe("acltdtCreateQueue")
def create_queue(bench: Bench) -> Call:
    """A queue as the library likes it."""
    return _Means(bench).call("acltdtCreateQueue", {"attr": None})


@recipe("acltdtDestroyQueue")
def destroy_queue(bench: Bench) -> Call:
    """A queue."""
    means = _Means(bench)
    return means.call("acltdtDestroyQueue", {"qid": means.queue()})


@recipe("acltdtEnqueueData")
def enqueue_data(bench: Bench) -> Call:
    """64 bytes, and as many for the user."""
    args = {
        "qid": _Means(bench).queue(),
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
    queue = _Means(bench).queue()
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
    return Call({"qid": _Means(bench).queue(), "buf": bench.memory.pageable(64), "timeout": 0}, control=False)


@recipe("acltdtDequeue")
def dequeue(bench: Bench) -> Call:
    """A buffer, which no host program gets."""
    return Call({"qid": _Means(bench).queue(), "timeout": 0}, control=False)


@recipe("acltdtGrantQueue")
def grant_queue(bench: Bench) -> Call:
    """The process itself, which needs no grant."""
    args = {"qid": _Means(bench).queue(), "pid": os.getpid(), "permission": 1, "timeout": 0}
    return Call(args, control=False)


@recipe("acltdtAttachQueue")
def attach_queue(bench: Bench) -> Call:
    """A queue of the process itself."""
    return Call({"qid": _Means(bench).queue(), "timeout": 0}, control=False)


@recipe("acltdtBindQueueRoutes")
def bind_routes(bench: Bench) -> Call:
    """One route between two queues."""
    means = _Means(bench)
    routes, _ = means.bound_route()
    call = Call({"qRouteList": routes})
    call.undo = lambda result: bench.call("acltdtUnbindQueueRoutes", qRouteList=routes)
    return call


@recipe("acltdtUnbindQueueRoutes")
def unbind_routes(bench: Bench) -> Call:
    """One route that is bound."""
    means = _Means(bench)
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
    means = _Means(bench)
    query = means.make("acltdtCreateQueueRouteQueryInfo")
    set_query(bench, query, "ACL_TDT_QUEUE_ROUTE_QUERY_MODE_ENUM", 0)
    set_query(bench, query, "ACL_TDT_QUEUE_ROUTE_QUERY_SRC_ID_UINT32", means.queue())
    return Call({"queryInfo": query, "qRouteList": means.routes()})


def set_query(bench: Bench, query: int, what: str, number: int) -> None:
    """Put a 32-bit number into a query."""
    value = bench.memory.pageable(4)
    value.write(number.to_bytes(4, "little"))
    bench.call("acltdtSetQueueRouteQueryInfo", param=query, type=what, len=4, value=value)


def _creating(api: str, **args: Any) -> None:
    """The recipe of a function that makes an object, and the one of the function that destroys it."""
    ending = ENDINGS[api]

    def create(bench: Bench) -> Call:
        return _Means(bench).call(api, dict(args))

    def destroy(bench: Bench) -> Call:
        means = _Means(bench)
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
        "attr": _Means(bench).attributes(),
        "type": "ACL_TDT_QUEUE_DEPTH_UINT32",
        "len": 4,
        "param": depth,
    }
    return Call(args)


@recipe("acltdtGetQueueAttr")
def get_queue_attribute(bench: Bench) -> Call:
    """The depth."""
    room = bench.memory.pageable(8)
    args = {"attr": _Means(bench).attributes(), "type": "ACL_TDT_QUEUE_DEPTH_UINT32", "len": 4, "param": room}
    return Call(args, watch=(room,))


@recipe("acltdtGetQueueRouteParam")
def get_route_parameter(bench: Bench) -> Call:
    """The source of a route."""
    room = bench.memory.pageable(8)
    args = {"route": _Means(bench).route(), "type": "ACL_TDT_QUEUE_ROUTE_SRC_UINT32", "len": 4, "param": room}
    return Call(args, watch=(room,))


@recipe("acltdtAddQueueRoute")
def add_route(bench: Bench) -> Call:
    """A route for an empty list."""
    means = _Means(bench)
    route = means.route()
    return Call({"routeList": means.routes(), "route": route})


@recipe("acltdtGetQueueRoute")
def get_route(bench: Bench) -> Call:
    """The only route of a list."""
    means = _Means(bench)
    return Call({"routeList": means.routes(means.route()), "index": 0, "route": means.route()})


@recipe("acltdtSetQueueRouteQueryInfo")
def set_route_query(bench: Bench) -> Call:
    """Routes are asked for by their source."""
    value = bench.memory.pageable(4).fill(0)
    query = _Means(bench).make("acltdtCreateQueueRouteQueryInfo")
    args = {"param": query, "type": "ACL_TDT_QUEUE_ROUTE_QUERY_MODE_ENUM", "len": 4, "value": value}
    return Call(args)


@recipe("acltdtAllocBuf")
def allocate_buffer(bench: Bench) -> Call:
    """4096 bytes."""
    return _Means(bench).call("acltdtAllocBuf", {"size": _BUFFER_BYTES, "type": "ACL_TDT_NORMAL_MEM"})


@recipe("acltdtFreeBuf")
def free_buffer(bench: Bench) -> Call:
    """A buffer."""
    means = _Means(bench)
    return means.call("acltdtFreeBuf", {"buf": means.buffer()})


@recipe("acltdtGetBufData", "acltdtGetBufDataLen")
def of_buffer(bench: Bench) -> Call:
    """A buffer."""
    return Call({"buf": _Means(bench).buffer()})


@recipe("acltdtSetBufDataLen")
def set_buffer_length(bench: Bench) -> Call:
    """64 of its bytes are in use."""
    return Call({"buf": _Means(bench).buffer(), "len": 64})


@recipe("acltdtSetBufUserData", "acltdtGetBufUserData")
def buffer_user_data(bench: Bench) -> Call:
    """All of the user's bytes."""
    data = bench.memory.pageable(128)
    return Call({"buf": _Means(bench).buffer(), "dataPtr": data, "size": 96, "offset": 0}, watch=(data,))


@recipe("acltdtCopyBufRef")
def copy_reference(bench: Bench) -> Call:
    """A second reference."""
    means = _Means(bench)
    return means.call("acltdtCopyBufRef", {"buf": means.buffer()})


class _Chain:
    """A head and one more buffer, whose end is the head's once it is appended."""

    def __init__(self, means: _Means) -> None:
        self._means = means
        self.head, self.other = means.buffer(), means.buffer()

    def appended(self) -> None:
        """The other buffer goes with the head from now on."""
        self._means.objects.forget("acltdtFreeBuf", self.other)

    def append(self) -> None:
        """Append the other buffer."""
        self._means.bench.call("acltdtAppendBufChain", headBuf=self.head, buf=self.other)
        self.appended()


@recipe("acltdtAppendBufChain")
def append_to_chain(bench: Bench) -> Call:
    """A second buffer."""
    chain = _Chain(_Means(bench))
    return Call({"headBuf": chain.head, "buf": chain.other}, undo=lambda result: chain.appended())


@recipe("acltdtGetBufChainNum")
def count_chain(bench: Bench) -> Call:
    """A chain of two buffers."""
    chain = _Chain(_Means(bench))
    chain.append()
    return Call({"headBuf": chain.head})


@recipe("acltdtGetBufFromChain")
def get_from_chain(bench: Bench) -> Call:
    """The head of a chain of two buffers."""
    chain = _Chain(_Means(bench))
    chain.append()
    return Call({"headBuf": chain.head, "index": 0})
