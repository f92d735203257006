"""Message queues."""

from __future__ import annotations

import pytest

from harness.plugin import covers, isolated, pattern
from suites.services.queues import USER_BYTES

DEFAULT_DEPTH = 8


@covers("tdt_create_queue.null_attr_defaults")
def test_default_depth(queues, expect):
    """A queue without attributes holds eight messages, and not one more."""
    queue = queues.make()
    queues.fill(queue, DEFAULT_DEPTH)
    expect.refused(queues.put_late(queue, timeout=0).result)


@covers("tdt_create_queue.distinct_ids")
def test_ids(queues, expect):
    """Two queues have different ids."""
    one, other = queues.make(), queues.make()
    expect.true("the ids differ", one != other)


@covers("tdt_create_queue.needs_device")
@isolated("no device is set")
def test_without_a_device(initialised_only, expect):
    """No queue is made before a device is set."""
    expect.refused(initialised_only.acltdtCreateQueue(attr=None))


@covers("tdt_destroy_queue.twice")
def test_destroy_twice(acl, queues, expect):
    """A queue that is gone cannot be destroyed again."""
    queue = queues.make()
    expect.success(acl.acltdtDestroyQueue(qid=queue))
    expect.refused(acl.acltdtDestroyQueue(qid=queue))


@covers("tdt_destroy_queue.bound_route")
def test_destroy_while_bound(acl, queues, expect):
    """A queue with a route is destroyed only after the route was unbound."""
    source, destination = queues.make(), queues.make()
    routes = queues.bind([(source, destination)])
    expect.refused(acl.acltdtDestroyQueue(qid=source))
    expect.success(acl.acltdtUnbindQueueRoutes(qRouteList=routes))
    expect.success(acl.acltdtDestroyQueue(qid=source))


@covers("tdt_enqueue_data.round_trip")
@pytest.mark.parametrize("size", [1, 4096, 1 << 20])
def test_round_trip(queues, size):
    """Data and user data come out as they went in."""
    queues.expect_round_trip(size)


@covers("tdt_enqueue_data.fifo")
def test_order(queues, expect):
    """Messages leave in the order in which they entered."""
    queue = queues.make(depth=16)
    queues.fill(queue, 10)
    expect.true("the numbers of the messages", queues.numbers(queue, 10), list(range(10)))


@covers("tdt_enqueue_data.full_timeout")
def test_full(queues, expect):
    """A full queue refuses when the time is over."""
    queue = queues.make(depth=2)
    queues.fill(queue, 2)
    late = queues.put_late(queue, timeout=200)
    expect.refused(late.result)
    expect.within("the call returns in time, in seconds", late.seconds, 0, 2)


@covers("tdt_dequeue_data.empty_timeout")
def test_empty(queues, expect):
    """An empty queue refuses when the time is over."""
    late = queues.take_late(queues.make(), timeout=200)
    expect.refused(late.result)
    expect.within("the call returns in time, in seconds", late.seconds, 0, 2)


@covers("tdt_dequeue_data.returned_size")
def test_short_message(queues, memory, expect):
    """The size of a short message is told, and nothing is written behind it."""
    queue, room = queues.make(), memory.pageable(4096).fill(0x5A)
    expect.success(queues.put(queue, queues.message(100)))
    taken = expect.success(queues.take(queue, room))
    expect.true("the size of the message", taken.retDataSize, 100)
    expect.data(room.read()[:100], pattern(100, 1), "the message")
    expect.data(room.read()[100:], 0x5A, "the rest of the buffer")


@covers("tdt_dequeue_data.buffer_too_small")
def test_long_message(queues, memory, expect):
    """What a buffer that is too small gives is recorded; nothing is written behind it."""
    queue, room = queues.make(), memory.pageable(10)
    expect.success(queues.put(queue, queues.message(100)))
    expect.observed(queues.take(queue, room))


@covers("tdt_enqueue_data.device_memory")
def test_from_the_device(queues, memory, expect):
    """Device memory can be put into a queue."""
    queue, room = queues.make(), memory.pageable(USER_BYTES)
    sent = memory.device(USER_BYTES).write(pattern(USER_BYTES, 3))
    expect.success(queues.put(queue, sent))
    expect.success(queues.take(queue, room))
    expect.data(room, pattern(USER_BYTES, 3), "the message")
