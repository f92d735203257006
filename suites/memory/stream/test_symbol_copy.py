"""aclrtMemcpyFromSymbol, aclrtMemcpyToSymbol and their asynchronous forms: copies of device variables."""

from __future__ import annotations

import pytest

from harness.plugin import covers_each, deadline
from suites.memory.stream.symbol_copies import ASYNC, DEFAULT, EVERY, FROM, SYNC, TO, WINDOWS, WRAPPING

HOSTS = pytest.mark.parametrize("host", ["pinned", "pageable"])


@covers_each("ok", *EVERY)
@pytest.mark.parametrize("kind", [None, DEFAULT], ids=["its-kind", "default"])
@HOSTS
def test_windows(api, symbols, kind, host):
    """Windows of a variable are copied byte for byte, and nothing round them changes on either side."""
    results = symbols.copies(api, WINDOWS, kind, host)
    symbols.expect_copied(api, results)


@covers_each("ok", *EVERY)
def test_variable_of_the_second_device(api, symbols, peer):
    """While the second device is current its own variable is copied, and the first one's stays."""
    result, home = symbols.copy_there(api, peer)
    symbols.expect_copied_alone(api, result, home)


@covers_each("range_exact", *EVERY)
def test_windows_to_the_end(api, symbols):
    """Windows that end where the variable ends are copied."""
    results = symbols.copies_to_the_end(api)
    symbols.expect_copied(api, results)


@covers_each("range", *EVERY)
def test_windows_past_the_end(api, symbols):
    """Windows that leave the variable are refused, and nothing is copied."""
    results = symbols.copies_past_the_end(api)
    symbols.expect_refused(results)


@covers_each("range", *EVERY)
def test_window_that_wraps(api, symbols):
    """An offset and a count whose sum is too large for 64 bits give an error, and nothing is copied."""
    result = symbols.copy(api, WRAPPING)
    symbols.expect_not_accepted(result)


@covers_each("kind", *EVERY)
def test_other_kinds(api, symbols):
    """Every kind but the direction's own and the default is refused, and nothing is copied."""
    results = symbols.copies_of_other_kinds(api)
    symbols.expect_refused(results)


@covers_each("null_dst", *FROM)
def test_null_target(api, symbols):
    """A null host pointer to copy to is refused."""
    result = symbols.copy(api, WINDOWS[0], dst=None)
    symbols.expect_refused([result])


@covers_each("null_src", *TO)
def test_null_source(api, symbols):
    """A null host pointer to copy from is refused, and the variable stays as it is."""
    result = symbols.copy(api, WINDOWS[0], src=None)
    symbols.expect_refused([result])


@covers_each("count_gt_max", *FROM)
@pytest.mark.parametrize("room", [15, 0])
def test_count_above_the_room(api, symbols, room):
    """A count above dstMax is refused, and nothing is copied."""
    result = symbols.copy(api, WINDOWS[0], dstMax=room)
    symbols.expect_refused([result])


@covers_each("sync_at_return", *SYNC)
@HOSTS
def test_done_at_return(api, symbols, host):
    """Large windows have been copied when the call returns, though the device is at work on a stream."""
    results = symbols.large_copies_beside_work(api, host)
    symbols.expect_copied(api, results)


@covers_each("pinned_async", *ASYNC)
@deadline(10)
def test_pinned_memory_is_queued(api, symbols, stream, blocked_stream):
    """With page-locked memory the call returns while its stream is held, and the copy is made later."""
    with blocked_stream(stream) as hold:
        result = symbols.copy(api, WINDOWS[0])
        symbols.expect_deferred(api, result, hold)


@covers_each("pageable_blocks", *ASYNC)
def test_pageable_memory_is_waited_for(api, symbols):
    """With pageable memory the stream is complete and 3 MiB are copied when the call returns."""
    result = symbols.large_copy(api, "pageable")
    symbols.expect_done_at_return(api, result)


@covers_each("stream_null", *ASYNC)
def test_stream_null(api, symbols):
    """What the null stream gives is recorded; where it is accepted, the copy is made."""
    result = symbols.copy(api, WINDOWS[0], stream=None)
    symbols.expect_observed(api, result)
