"""The order of asynchronous copies on one stream: among each other, and with other work."""

from __future__ import annotations

from harness.plugin import covers_each, deadline

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
