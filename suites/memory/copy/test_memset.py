"""aclrtMemset and aclrtMemsetAsync: bytes set to a value."""

from __future__ import annotations

from harness.plugin import covers, covers_each, deadline
from suites.memory.copy.layout import MIB

SYNC = "aclrtMemset"
ASYNC = "aclrtMemsetAsync"
VALUES = (0, 1, 0x7F, 0xFF)
COUNTS = (1, 3, 31, 32, 33, 63, 64, 65, 4097)
WIDE_VALUES = (0x1AB, -1)
SKEWS = (13, *range(1, 9), 14, 62)


@covers("memset.device_fill")
def test_device_fill(fills):
    """Exactly count bytes of device memory get the value, for several values and counts."""
    fill = fills.of("device", VALUES, COUNTS)
    fills.run(SYNC, fill)
    fills.expect_filled(fill)


@covers("memset_async.device_fill")
def test_async_device_fill(fills, stream):
    """Exactly count bytes of device memory get the value, for several values and counts."""
    fill = fills.of("device", VALUES, COUNTS)
    fills.run(ASYNC, fill, stream=stream)
    fills.expect_filled(fill)


@covers("memset.device_fill")
def test_device_fill_large(fills):
    """A count above the page sizes, and odd, is set whole."""
    fill = fills.of("device", [0x5A], [2 * MIB + 1])
    fills.run(SYNC, fill)
    fills.expect_filled(fill)


@covers("memset_async.device_fill")
def test_async_device_fill_large(fills, stream):
    """A count above the page sizes, and odd, is set whole."""
    fill = fills.of("device", [0x5A], [2 * MIB + 1])
    fills.run(ASYNC, fill, stream=stream)
    fills.expect_filled(fill)


@covers_each("device_fill", SYNC, ASYNC)
def test_device_fill_of_whole_blocks(api, fills, stream_of):
    """A block is set to its last byte."""
    whole = fills.whole("device", 0x11, COUNTS)
    fills.run_all(api, whole, **stream_of(api))
    fills.expect_filled(*whole)


@covers("memset.device_fill")
def test_wide_values(fills):
    """What values of more than a byte leave is recorded."""
    fill = fills.of("device", WIDE_VALUES, [64])
    fills.run(SYNC, fill)
    fills.expect_low_byte_recorded(fill)


@covers("memset_async.device_fill")
def test_async_wide_values(fills, stream):
    """What values of more than a byte leave is recorded."""
    fill = fills.of("device", WIDE_VALUES, [64])
    fills.run(ASYNC, fill, stream=stream)
    fills.expect_low_byte_recorded(fill)


@covers("memset.host_fill")
def test_host_fill(fills):
    """Pinned host memory takes every value from 0 to 255."""
    fill = fills.of("pinned", range(256), [5])
    fills.run(SYNC, fill)
    fills.expect_filled(fill)


@covers("memset_async.host_fill")
def test_async_host_fill(fills, stream):
    """Pinned host memory takes every value from 0 to 255."""
    fill = fills.of("pinned", range(256), [5])
    fills.run(ASYNC, fill, stream=stream)
    fills.expect_filled(fill)


@covers_each("host_fill", SYNC, ASYNC)
def test_host_fill_of_other_sizes(api, fills, stream_of):
    """Exactly count bytes of pinned memory get the value, for counts from 1 to above the page size."""
    fill = fills.of("pinned", [0x5A], [*COUNTS, MIB + 1], skew=SKEWS)
    fills.run(api, fill, **stream_of(api))
    fills.expect_filled(fill)


@covers_each("tail_untouched", SYNC, ASYNC)
def test_tail_untouched(api, fills, stream_of):
    """With a maxCount far above count, the bytes behind count stay as they were, on both sides."""
    both = fills.on_both_sides([0x11], COUNTS, roomy=True)
    fills.run_all(api, both, **stream_of(api))
    fills.expect_filled(*both)


@covers("memset.interior")
def test_interior(fills):
    """An address any number of bytes past a border is the first that changes."""
    fill = fills.of("device", [0x11, 0x22, 0x33], [100, 3, 51, 52], skew=SKEWS)
    fills.run(SYNC, fill)
    fills.expect_filled(fill)


@covers("memset_async.interior")
def test_async_interior(fills, stream):
    """An address any number of bytes past a border is the first that changes."""
    fill = fills.of("device", [0x11, 0x22, 0x33], [100, 3, 51, 52], skew=SKEWS)
    fills.run(ASYNC, fill, stream=stream)
    fills.expect_filled(fill)


@covers("memset_async.device_fill", uses=["aclrtCreateStream"])
def test_async_fill_in_another_context(fills, stream_of_another_context):
    """A stream of a context that the program has made itself fills."""
    fill = fills.of("device", [0x11, 0xA5], [1, 4097])
    fills.run(ASYNC, fill, stream=stream_of_another_context)
    fills.expect_filled(fill)


@covers("memset.sync_at_return")
@deadline(10)
def test_sync_at_return(fills, stream, blocked_stream):
    """The bytes are set at return, though an unrelated stream, or the default stream, is held."""
    several = [fills.of("device", [value], [4097]) for value in (0x11, 0x22)]
    fills.run_while_held(SYNC, blocked_stream, several, stream)


@covers("memset.sync_at_return")
def test_set_for_another_thread(fills):
    """The bytes are set for another thread as soon as the call has returned."""
    fill = fills.of("device", [0x11], [2 * MIB + 1])
    fills.run(SYNC, fill)
    fills.expect_filled_for_another_thread(fill)


@covers("memset_async.async_device", uses=["aclrtMemcpyAsync"])
def test_async_order(fills, stream):
    """Fills and copies of the same bytes on one stream keep their order."""
    diary = fills.diary("aclrtMemsetAsync", values=range(1, 33), count=1021)
    fills.write_diary(diary, stream)
    fills.expect_diary(diary)


@covers("memset_async.async_device")
@deadline(10)
def test_async_is_only_submitted(fills, stream, blocked_stream):
    """Device bytes are set when the held stream is released, not before."""
    fill = fills.of("device", [0x11], [4097])
    with blocked_stream(stream) as hold:
        fills.submit(ASYNC, fill, stream=stream)
        fills.expect_deferred(fill, hold)


@covers("memset_async.host_timing")
@deadline(10)
def test_async_host_timing(fills, stream, blocked_stream):
    """When pinned bytes of a held stream are set is recorded; after the synchronisation they are."""
    fill = fills.of("pinned", [0x11], [4097])
    with blocked_stream(stream) as hold:
        fills.submit(ASYNC, fill, stream=stream)
        fills.expect_set_sooner_or_later(fill, hold)


@covers("memset_async.stream_null")
@deadline(10)
def test_async_stream_null(fills, blocked_stream):
    """A null stream is the default stream: the bytes are set when its turn has come."""
    fill = fills.of("device", [0x11], COUNTS)
    with blocked_stream(None) as hold:
        fills.submit(ASYNC, fill, stream=None)
        fills.expect_deferred(fill, hold)


@covers("memset_async.stream_other_context")
def test_async_stream_other_context(fills, copies, stream, peer):
    """A stream of device 0 is refused while device 1 is current, and nothing is set."""
    fill = fills.of("device", [0x11], [64])
    with peer.current():
        fills.submit(ASYNC, fill, stream=stream)
    copies.settle(stream)
    fills.expect_refused(fill)


@covers_each("count_zero", SYNC, ASYNC)
def test_count_zero(api, fills, stream_of):
    """A fill of 0 bytes succeeds and touches nothing, whatever maxCount is."""
    fill = fills.of("device", [0x11, 0x22], [0], roomy=True)
    fills.run(api, fill, **stream_of(api))
    fills.expect_filled(fill)


@covers_each("count_gt_max", SYNC, ASYNC)
def test_count_gt_max(api, fills, stream_of):
    """A count one above maxCount is refused, and not even the bytes that fit are set."""
    both = fills.on_both_sides([0x11], [33, 65, 4097])
    fills.submit_with_less_room(api, both, **stream_of(api))
    fills.expect_refused(*both)
