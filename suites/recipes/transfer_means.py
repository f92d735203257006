"""The objects that calls of chapter 17 need: tensors, channels, queues, routes and buffers."""

from __future__ import annotations

from typing import Any

from harness.device import Block
from suites.recipes import Bench, Call
from suites.services.names import fresh_name
from suites.services.objects import Objects, made_by

BUFFER_BYTES = 4096
_ROOM = 4096
"""Bytes of a block that a value of any kind fits in."""
_UNUSED_QUEUE = 0


class Means:
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
        return self.make("acltdtCreateDataItem", **tensor(memory))

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
        return self.make("acltdtAllocBuf", size=BUFFER_BYTES, type="ACL_TDT_NORMAL_MEM")

    def room(self) -> Block:
        """Host memory for a value."""
        return self.bench.memory.pageable(_ROOM)


def tensor(data: Block) -> dict[str, Any]:
    return {
        "tdtType": "ACL_TENSOR_DATA_TENSOR",
        "dims": [2, 3],
        "dimNum": 2,
        "dataType": "ACL_FLOAT",
        "data": data,
        "size": 24,
    }
