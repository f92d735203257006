"""The order of asynchronous copies on one stream: among each other, and with other work."""

from __future__ import annotations

from harness.plugin import covers_each, deadline
from suites.memory.copy.kinds import D2H
from suites.memory.copy.layout import ALIGNED

ASYNC = ("aclrtMemcpyAsync", "aclrtMemcpyAsyncWithCondition")


@covers_each("stream_order", *ASYNC)
def test_stream_order(api, copies, chains, stream):
    """Chains from host to host through the same two device blocks keep their order."""
    links = chains(links=64, count=1021)
    links.submit(api, stream)
    copies.settle(stream)
    links.expect_kept()


@covers_each("stream_order", *ASYNC, uses=["aclrtMemsetAsync"])
@deadline(10)
def test_order_with_a_fill(api, copies, relays, stream, blocked_stream):
    """On a held stream a fill, a copy out of its block and a copy of that copy each see the one before."""
    relay = relays(copies.queued_end)
    with blocked_stream(stream):
        relay.fill(stream)
        relay.hand_on(api, stream)
    copies.settle(stream)
    relay.expect_handed_on()


@covers_each("stream_order", *ASYNC, uses=["aclrtMemsetAsync"])
@deadline(10)
def test_order_of_pageable_copies(api, copies, relays, stream, blocked_stream):
    """Copies through pageable memory run behind a fill that their stream has to make first."""
    relay = relays("pageable")
    with blocked_stream(stream) as hold, copies.released_soon(hold):
        relay.fill(stream)
        relay.hand_on(api, stream)
    copies.settle(stream)
    relay.expect_handed_on()


@covers_each("d2h_pinned", *ASYNC, uses=["aclrtSynchronizeStreamWithTimeout"])
@deadline(10)
def test_copy_after_a_wait_that_timed_out(api, copies, stream, blocked_stream):
    """A copy that a wait has given up on is made all the same once its stream goes on."""
    trial = copies.between("device", "pinned", [4097], ALIGNED)
    with blocked_stream(stream):
        copies.submit(api, trial, D2H, stream=stream)
        copies.time_out(stream)
    copies.settle(stream)
    copies.expect_moved(trial)
