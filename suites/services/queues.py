"""Message queues: made, filled, emptied, and tied together by routes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from harness.device import Block, require
from harness.plugin import Case, Expect, Memory, pattern
from suites.services.channels import Timed

USER_BYTES = 96
"""Bytes that a message has for the user."""

_PATIENCE_MS = 1000
_DEPTH, _NAME = "ACL_TDT_QUEUE_DEPTH_UINT32", "ACL_TDT_QUEUE_NAME_PTR"
_MODE = "ACL_TDT_QUEUE_ROUTE_QUERY_MODE_ENUM"
_ENDS = {
    "source": "ACL_TDT_QUEUE_ROUTE_QUERY_SRC_ID_UINT32",
    "destination": "ACL_TDT_QUEUE_ROUTE_QUERY_DST_ID_UINT32",
}
_PARTS = (
    "ACL_TDT_QUEUE_ROUTE_SRC_UINT32",
    "ACL_TDT_QUEUE_ROUTE_DST_UINT32",
    "ACL_TDT_QUEUE_ROUTE_STATUS_INT32",
)


class Queues:
    """Makes queues and moves messages through them, on the surface under test."""

    def __init__(self, acl: Any, case: Case, expect: Expect, memory: Memory) -> None:
        self._acl = acl
        self._case = case
        self._expect = expect
        self._memory = memory

    def make(self, depth: int | None = None) -> int:
        """A queue, of the library's own depth or of this one."""
        attributes = None if depth is None else self.attributes(depth)
        return int(require(self._acl.call("acltdtCreateQueue", attr=attributes), "making a queue").qid)

    def attributes(self, depth: int) -> int:
        """Attributes with this depth."""
        made = int(self._acl.call("acltdtCreateQueueAttr").value)
        require(self.set_number(made, _DEPTH, depth), "setting a depth")
        return made

    def set_number(self, attributes: int, what: str, number: int) -> Any:
        """What setting a 32-bit attribute gives."""
        value = self._word(number)
        return self._acl.call("acltdtSetQueueAttr", attr=attributes, type=what, len=4, param=value)

    def set_name(self, attributes: int, name: str) -> Any:
        """What setting the name gives: the attribute is a pointer to it."""
        text = self._memory.pageable(len(name) + 1).write(name.encode() + b"\0")
        pointer = self._memory.pageable(8).write(text.ptr.to_bytes(8, "little"))
        return self._acl.call("acltdtSetQueueAttr", attr=attributes, type=_NAME, len=8, param=pointer)

    def get(self, attributes: int, what: str, size: int) -> tuple[int, int]:
        """An attribute of this size, and the size that the call tells."""
        room = self._memory.pageable(8)
        answer = self._acl.call("acltdtGetQueueAttr", attr=attributes, type=what, len=size, param=room)
        told = int(require(answer, "reading an attribute").paramRetSize)
        return int.from_bytes(room.read()[:size].tobytes(), "little"), told

    def put(self, queue: int, data: Block, user: Block | None = None, timeout: int = _PATIENCE_MS) -> Any:
        """What putting a message into a queue gives."""
        return self._acl.call("acltdtEnqueueData", **_message(queue, data, user, timeout), rsv=0)

    def take(self, queue: int, data: Block, user: Block | None = None, timeout: int = _PATIENCE_MS) -> Any:
        """What taking a message out of a queue gives."""
        return self._acl.call("acltdtDequeueData", **_message(queue, data, user, timeout))

    def message(self, size: int, seed: int = 1) -> Block:
        """The bytes of a message, in host memory."""
        return self._memory.pageable(size).write(pattern(size, seed))

    def fill(self, queue: int, count: int) -> None:
        """Put so many numbered messages of one byte into a queue."""
        for number in range(count):
            block = self._memory.pageable(1).fill(number)
            require(self.put(queue, block), "putting a message into a queue")

    def numbers(self, queue: int, count: int) -> list[int]:
        """The numbers of so many messages of one byte, as they leave a queue."""
        taken = []
        for _ in range(count):
            room = self._memory.pageable(1)
            require(self.take(queue, room), "taking a message out of a queue")
            taken.append(int(room.read()[0]))
        return taken

    def put_late(self, queue: int, timeout: int) -> Timed:
        """Put one message more into a queue, and take the time."""
        block = self._memory.pageable(1)
        start = time.monotonic()
        result = self.put(queue, block, timeout=timeout)
        return Timed(result, time.monotonic() - start)

    def take_late(self, queue: int, timeout: int) -> Timed:
        """Take a message, and the time."""
        room = self._memory.pageable(1)
        start = time.monotonic()
        result = self.take(queue, room, timeout=timeout)
        return Timed(result, time.monotonic() - start)

    def expect_round_trip(self, size: int) -> None:
        """A message of this size and its user data come out as they went in, and so does the size."""
        queue = self.make()
        sent, user = self.message(size, seed=1), self.message(USER_BYTES, seed=2)
        require(self.put(queue, sent, user), "putting a message into a queue")
        got, got_user = self._memory.pageable(size), self._memory.pageable(USER_BYTES)
        taken = self._expect.success(self.take(queue, got, got_user))
        self._expect.true("the size of the message", taken.retDataSize, size)
        self._expect.data(got, pattern(size, 1), "the message")
        self._expect.data(got_user, pattern(USER_BYTES, 2), "the user data")

    # Routes

    def route(self, source: int, destination: int) -> int:
        """A route."""
        return int(self._acl.call("acltdtCreateQueueRoute", srcId=source, dstId=destination).value)

    def routes(self, ends: Sequence[tuple[int, int]]) -> int:
        """A list of routes between these ends."""
        made = int(self._acl.call("acltdtCreateQueueRouteList").value)
        for source, destination in ends:
            added = self.route(source, destination)
            answer = self._acl.call("acltdtAddQueueRoute", routeList=made, route=added)
            require(answer, "adding a route")
        return made

    def bind(self, ends: Sequence[tuple[int, int]]) -> int:
        """Bind routes until the case ends, or are unbound before; their list."""
        routes = self.routes(ends)
        require(self._acl.call("acltdtBindQueueRoutes", qRouteList=routes), "binding routes")
        self._case.resources.at_end(lambda: self.unbind_at_last(routes))
        return routes

    def unbind_at_last(self, routes: int) -> None:
        """Unbind routes; harmless when they are unbound already."""
        self._case.engine.c.call("acltdtUnbindQueueRoutes", qRouteList=routes)

    def ends_of(self, routes: int) -> list[tuple[int, int, int]]:
        """Source, destination and status of every route of a list."""
        count = int(self._acl.call("acltdtGetQueueRouteNum", routeList=routes).value)
        return [self.parts_of_place(routes, index) for index in range(count)]

    def parts_of_place(self, routes: int, index: int) -> tuple[int, int, int]:
        """Source, destination and status of one route of a list."""
        into = self.route(0, 0)
        answer = self._acl.call("acltdtGetQueueRoute", routeList=routes, index=index, route=into)
        require(answer, "reading a route")
        return self.parts(into)

    def parts(self, route: int) -> tuple[int, int, int]:
        """Source, destination and status of a route."""
        source, destination, status = (self._part(route, what) for what in _PARTS)
        return source, destination, status

    def query(self, mode: int | None = None, **ends: int) -> int:
        """A query for routes, by `source` or `destination` where they are given."""
        made = int(self._acl.call("acltdtCreateQueueRouteQueryInfo").value)
        settings = {_MODE: mode, **{_ENDS[name]: number for name, number in ends.items()}}
        for what, number in settings.items():
            if number is not None:
                call = self._acl.call
                set_ = call(
                    "acltdtSetQueueRouteQueryInfo", param=made, type=what, len=4, value=self._word(number)
                )
                require(set_, "setting up a query")
        return made

    def ask(self, query: int, routes: int) -> Any:
        """What a query gives."""
        return self._acl.call("acltdtQueryQueueRoutes", queryInfo=query, qRouteList=routes)

    def _part(self, route: int, what: str) -> int:
        room = self._memory.pageable(8)
        answer = self._acl.call("acltdtGetQueueRouteParam", route=route, type=what, len=4, param=room)
        require(answer, "reading a part of a route")
        self._expect.true("the size of the value", answer.paramRetSize, 4)
        return int.from_bytes(room.read()[:4].tobytes(), "little")

    def _word(self, number: int) -> Block:
        return self._memory.pageable(4).write(number.to_bytes(4, "little"))


def _message(queue: int, data: Block, user: Block | None, timeout: int) -> dict[str, Any]:
    return {
        "qid": queue,
        "data": data,
        "dataSize": data.size,
        "userData": user,
        "userDataSize": 0 if user is None else user.size,
        "timeout": timeout,
    }
