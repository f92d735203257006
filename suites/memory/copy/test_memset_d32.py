"""aclrtMemsetD32 and aclrtMemsetD32Async: 32-bit words set to a value."""

from __future__ import annotations

from harness.plugin import covers, covers_each, deadline, isolated
from suites.memory.copy.fills import WORD
from suites.memory.copy.layout import MIB

SYNC = "aclrtMemsetD32"
ASYNC = "aclrtMemsetD32Async"
BOTH = (SYNC, ASYNC)
VALUES = (0, 0x01020304, 0xFFFFFFFF, 0xDEADBEEF)
COUNTS = (1, 2, 3, 7, 8, 9, 15, 16, 17, 1023)


@covers_each("device_fill", *BOTH)
def test_device_fill(api, fills, stream_of):
    """Exactly N copies of the value, in host byte order, are in device memory."""
    fill = fills.of("device", VALUES, COUNTS, WORD)
    fills.run(api, fill, **stream_of(api))
    fills.expect_filled(fill)


@covers_each("device_fill", *BOTH)
def test_device_fill_large(api, fills, stream_of):
    """A million and more copies of the value are in device memory."""
    fill = fills.of("device", [0x01020304], [MIB + 1], WORD)
    fills.run(api, fill, **stream_of(api))
    fills.expect_filled(fill)


@covers_each("device_fill", *BOTH)
def test_device_fill_inside_a_block(api, fills, stream_of):
    """Addresses 4, 12 and 60 bytes past a border are the first that change."""
    several = [fills.of("device", [0x01020304], [1, 3, 25], WORD, skew=skew) for skew in (4, 12, 60)]
    fills.run_all(api, several, **stream_of(api))
    fills.expect_filled(*several)


@covers_each("device_fill", *BOTH)
def test_device_fill_of_whole_blocks(api, fills, stream_of):
    """A block is set to its last word."""
    whole = fills.whole("device", 0x01020304, COUNTS, WORD)
    fills.run_all(api, whole, **stream_of(api))
    fills.expect_filled(*whole)


@covers_each("host_fill", *BOTH)
def test_host_fill(api, fills, stream_of):
    """Exactly N copies of the value are in pinned host memory."""
    fill = fills.of("pinned", VALUES, [*COUNTS, 1000], WORD)
    fills.run(api, fill, **stream_of(api))
    fills.expect_filled(fill)


@covers_each("host_fill", *BOTH)
def test_host_fill_large(api, fills, stream_of):
    """A megabyte and more of words, inside a block, is set whole in pinned memory."""
    fill = fills.of("pinned", [0x01020304], [MIB // WORD + 1, 1025], WORD, skew=(4, 60))
    fills.run(api, fill, **stream_of(api))
    fills.expect_filled(fill)


@covers_each("tail_untouched", *BOTH)
def test_tail_untouched(api, fills, stream_of):
    """With a memSize far above 4 * N, the bytes behind the words stay as they were, on both sides."""
    both = fills.on_both_sides([0x01020304], [10, *COUNTS], WORD, roomy=True)
    fills.run_all(api, both, **stream_of(api))
    fills.expect_filled(*both)


@covers_each("memsize_lt", *BOTH)
def test_memsize_lt(api, fills, stream_of):
    """A memSize one byte below 4 * N is refused, and not even the words that fit are set, on both sides."""
    both = fills.on_both_sides([0x01020304], [10, 17, 1025], WORD)
    fills.submit_with_less_room(api, both, **stream_of(api))
    fills.expect_refused(*both)


@covers_each("n_zero", *BOTH)
def test_n_zero(api, fills, stream_of):
    """A fill of no words succeeds and touches nothing, whatever memSize is."""
    fill = fills.of("device", [0x01020304], [0, 0], WORD, roomy=True)
    fills.run(api, fill, **stream_of(api))
    fills.expect_filled(fill)


@covers_each("swallowed_not_supported", *BOTH)
def test_success_means_filled(api, fills, stream_of):
    """Where the call answers success, the words are there."""
    fill = fills.of("device", [0xDEADBEEF], [1023], WORD)
    fills.run(api, fill, **stream_of(api))
    fills.expect_filled_where_accepted(fill)


@covers("memset_d32.overflow")
def test_overflow(expect, memory, victim):
    """What 2^62 words in 64 bytes do to a process of its own is recorded; other memory is unchanged."""
    bystander = memory.device(4096)
    outcome = victim.outcome(SYNC, ptr=victim.block, memSize=64, value=1, N=1 << 62)
    expect.observed(outcome, corrupted=[bystander])


@covers("memset_d32_async.overflow")
def test_async_overflow(expect, memory, victim):
    """What 2^62 words in 64 bytes do to a process of its own is recorded; other memory is unchanged."""
    bystander = memory.device(4096)
    args = {"ptr": victim.block, "memSize": 64, "value": 1, "N": 1 << 62}
    outcome = victim.outcome(ASYNC, **args, stream=victim.stream())
    expect.observed(outcome, corrupted=[bystander])


@covers_each("foreign_memory", *BOTH)
def test_foreign_memory(api, fills, stream_of):
    """Pageable host memory is refused, and nothing is set."""
    fill = fills.of("pageable", [0x01020304], [16], WORD)
    fills.submit(api, fill, **stream_of(api))
    fills.expect_refused(fill)


@covers_each("foreign_memory", *BOTH)
def test_managed_memory(api, fills, stream_of):
    """Managed memory is refused, and nothing is set."""
    fill = fills.of("managed", [0x01020304], [16], WORD)
    fills.submit(api, fill, **stream_of(api))
    fills.expect_refused(fill)


@covers("memset_d32.sync_at_return")
@deadline(10)
def test_sync_at_return(fills, stream, blocked_stream):
    """The words are there at return, though an unrelated stream, or the default stream, is held."""
    several = [fills.of("device", [value], [1023], WORD) for value in (0x01020304, 0xDEADBEEF)]
    fills.run_while_held(SYNC, blocked_stream, several, stream)


@covers("memset_d32_async.stream_null")
def test_async_stream_null(fills):
    """A null stream is the default stream: the words are there once that is synchronised."""
    fill = fills.of("device", VALUES, COUNTS, WORD)
    fills.run(ASYNC, fill, stream=None)
    fills.expect_filled(fill)


@covers("memset_d32_async.host_immediate")
@deadline(10)
def test_async_host_immediate(fills, stream, blocked_stream):
    """Pinned words are there at return, though the stream of the call is held."""
    fill = fills.of("pinned", [0x01020304], [1023, 1025], WORD)
    with blocked_stream(stream):
        fills.submit(ASYNC, fill, stream=stream)
        fills.expect_filled(fill)


@covers("memset_d32_async.stream_order")
def test_async_order(fills, stream):
    """Fills and copies of the same words on one stream keep their order."""
    diary = fills.diary(ASYNC, values=[0x01020304 * n for n in range(1, 33)], count=255)
    fills.write_diary(diary, stream)
    fills.expect_diary(diary)


@covers("memset_d32_async.stream_order")
@deadline(10)
def test_async_is_only_submitted(fills, stream, blocked_stream):
    """Device words are set when the held stream is released, not before."""
    fill = fills.of("device", [0x01020304], [1023], WORD)
    with blocked_stream(stream) as hold:
        fills.submit(ASYNC, fill, stream=stream)
        fills.expect_deferred(fill, hold)


@covers("memset_d32_async.stream_destroyed")
@isolated("uses the handle of a destroyed stream")
def test_async_stream_destroyed(fills, destroyed_stream):
    """What the handle of a destroyed stream does is recorded."""
    fill = fills.of("device", [0x01020304], [16], WORD)
    fills.submit(ASYNC, fill, stream=destroyed_stream)
    fills.expect_outside_unchanged(fill)
