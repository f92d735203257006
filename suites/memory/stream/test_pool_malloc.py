"""aclrtMemPoolMallocAsync: blocks for the work that follows on a stream."""

from __future__ import annotations

import pytest

from harness.plugin import covers, deadline, isolated
from suites.memory.stream.pools import ALL_OFF, RESERVED, STEP, USED
from suites.memory.stream.words import PAGE, VALUES
from suites.memory.virtual.properties import KIB, MIB

BLOCK = STEP
"""Bytes of a block that two streams quarrel over."""

HELD = pytest.mark.parametrize("held", [BLOCK, 2 * BLOCK], ids=["same-size", "half"])
"""Bytes of the first stream's block, of which the second stream asks for BLOCK."""

LARGE = (1, 9 * MIB, 64 * MIB, 512 * MIB)
"""Sizes up to large ones."""


@covers("mem_pool_malloc_async.ok")
@pytest.mark.parametrize("size", [MIB, 1, 3 * MIB + 7], ids=["1-mib", "1-byte", "odd"])
def test_block_in_stream_order(pools, stream, size):
    """A block is filled and copied to the host by the work behind the request."""
    result = pools.job(pools.pool(), size, 0x5A, stream)
    pools.expect_done(result, stream)


@covers("mem_pool_malloc_async.ok")
def test_blocks_side_by_side(pools, stream):
    """Blocks of different sizes that live together keep their own bytes."""
    pool = pools.pool()
    results = [pools.job(pool, size, byte, stream) for byte, size in enumerate((1, 2 * MIB, 77, 5 * MIB), 1)]
    pools.expect_own_bytes(results, stream)


@covers("mem_pool_malloc_async.ok")
def test_values_in_a_block(pools, words, stream):
    """A block takes values that its stream writes, each at its place."""
    page = words.known(pools.settled_block(pools.pool(), PAGE, stream))
    results = words.write(page, VALUES, stream)
    words.expect_written(results, page, VALUES, stream)


@covers("mem_pool_malloc_async.exceeds_pool")
@pytest.mark.parametrize(
    "size", [64 * MIB + 1, 128 * MIB, 2**63, 2**64 - 1], ids=["1-more", "twice", "2^63", "size-max"]
)
def test_more_than_the_pool(pools, stream, expect, size):
    """A block larger than the pool is refused, no address is given, and the pool goes on."""
    pool = pools.pool(64 * MIB)
    result = pools.malloc(pool, size, stream)
    expect.refused(result)
    expect.true("the address was left alone", result.untouched("ptr"))
    pools.expect_usable(pool, MIB, stream)


@covers("mem_pool_malloc_async.exceeds_pool")
def test_all_of_the_pool(pools, stream):
    """A block as large as the pool is given."""
    pool = pools.pool(64 * MIB)
    result = pools.malloc(pool, 64 * MIB, stream)
    pools.expect_steps(pool, [result], before=0, rises=[64 * MIB])


@covers("mem_pool_malloc_async.granularity")
@pytest.mark.parametrize(
    ("sizes", "rises"),
    [((1, 1), (STEP, STEP)), ((STEP, STEP + 1), (STEP, 2 * STEP)), ((3 * MIB,), (2 * STEP,))],
    ids=["1-byte", "2-mib", "3-mib"],
)
def test_steps(pools, stream, sizes, rises):
    """Every block counts as used with the next multiple of 2 MiB."""
    pool = pools.pool()
    before = pools.get(pool, USED)
    results = [pools.malloc(pool, size, stream) for size in sizes]
    pools.expect_steps(pool, results, before, rises)


@covers("mem_pool_malloc_async.destroyed_pool")
@isolated("asks a pool that was destroyed")
def test_destroyed_pool(pools, stream, expect):
    """What asking a destroyed pool gives is recorded; another pool is unharmed."""
    pool, other = pools.pool(), pools.pool()
    pools.destroy(pool)
    pools.outcome_open()
    result = pools.malloc(pool, MIB, stream)
    expect.observed(result)
    pools.expect_usable(other, MIB, stream)


@covers("mem_pool_malloc_async.stream_other_context")
def test_stream_of_another_context(pools, stream, other_context, expect):
    """A stream is refused while another context of its device is current, and no address is given."""
    pool = pools.pool()
    with other_context.current():
        result = pools.malloc(pool, MIB, stream)
    expect.refused(result)
    expect.true("the address was left alone", result.untouched("ptr"))


@covers("mem_pool_malloc_async.stream_other_context")
def test_stream_of_another_device(pools, stream, peer, expect):
    """A stream of device 0 is refused while device 1 is current, and no address is given."""
    pool = pools.pool()
    with peer.current():
        result = pools.malloc(pool, MIB, stream)
    expect.refused(result)
    expect.true("the address was left alone", result.untouched("ptr"))


@covers("mem_pool_malloc_async.reuse_same_stream")
@pytest.mark.parametrize("keeping", [False, True], ids=["giving-back", "keeping"])
def test_reuse_on_one_stream(pools, stream, keeping):
    """A block that is given back and asked for again and again takes no more memory than once."""
    pool = pools.keeping() if keeping else pools.pool()
    block = pools.block(pool, 6 * MIB, stream)
    before = pools.get(pool, RESERVED)
    pools.freed(block, stream)
    pools.take_and_give_back(pool, [6 * MIB] * 50, stream)
    pools.block(pool, 6 * MIB, stream)
    pools.expect_no_growth(pool, before)


@covers("mem_pool_malloc_async.reuse_same_stream")
def test_parts_of_a_block(pools, stream):
    """In a pool that may take no more, the memory of one block serves two of half its size."""
    pool = pools.keeping(8 * MIB)
    pools.freed(pools.block(pool, 8 * MIB, stream), stream)
    before = pools.get(pool, RESERVED)
    pools.block(pool, 4 * MIB, stream)
    pools.block(pool, 4 * MIB, stream)
    pools.expect_no_growth(pool, before)


@covers("mem_pool_malloc_async.reuse_same_stream")
@deadline(10)
def test_reuse_behind_held_work(pools, stream, blocked_stream):
    """A block that was given back behind work still to come is reused by the same stream at once."""
    pool = pools.keeping()
    block = pools.block(pool, 6 * MIB, stream)
    before = pools.get(pool, RESERVED)
    with blocked_stream(stream):
        pools.freed(block, stream)
        pools.block(pool, 6 * MIB, stream)
        pools.expect_no_growth(pool, before)


@covers("mem_pool_malloc_async.reuse_data_safety")
def test_thousand_blocks_in_turn(pools, stream):
    """A thousand blocks in turn, all queued: what was copied out of each is what it was filled with."""
    results, out, starts = pools.reuse_in_turn(pools.pool(), [4 * KIB] * 1000, stream)
    pools.expect_slots(results, out, starts, stream)


@covers("mem_pool_malloc_async.reuse_data_safety")
def test_blocks_of_many_sizes_in_turn(pools, stream):
    """Blocks that split and join the memory of earlier ones keep each other's data apart."""
    sizes = [1 + (n * 7_777_777) % (3 * MIB) for n in range(12)]
    results, out, starts = pools.reuse_in_turn(pools.keeping(64 * MIB), sizes, stream)
    pools.expect_slots(results, out, starts, stream)


@covers("mem_pool_malloc_async.reuse_data_safety")
@HELD
def test_two_streams_without_reuse(pools, stream, other_stream, blocked_stream, held):
    """With every kind of reuse off, a block given back behind held work is not another stream's yet."""
    pool = pools.pool(**ALL_OFF)
    block, out = pools.held_work(pool, held, stream)
    with blocked_stream(stream):
        pools.fetch(block, stream, out)
        pools.freed(block, stream)
        result = pools.job(pool, BLOCK, 0x22, other_stream)
        # Still held: a block that was reused is written before it is read.
        pools.expect_done(result, other_stream)
    pools.expect_undisturbed(out, result, stream, other_stream)


@covers("mem_pool_malloc_async.reuse_event", uses=["aclrtRecordEvent", "aclrtStreamWaitEvent"])
@HELD
def test_reuse_behind_an_event(acl, pools, stream, other_stream, event, blocked_stream, held):
    """With event reuse on, streams that an event links have the right data in the block of each."""
    pool = pools.pool(**{**ALL_OFF, "REUSE_FOLLOW_EVENT_DEPENDENCIES": 1})
    block, out = pools.held_work(pool, held, stream)
    with blocked_stream(stream):
        pools.fetch(block, stream, out)
        pools.freed(block, stream)
        acl.aclrtRecordEvent(event=event, stream=stream)
        acl.aclrtStreamWaitEvent(stream=other_stream, event=event)
        result = pools.job(pool, BLOCK, 0x22, other_stream)
    pools.expect_done(result, other_stream)
    pools.expect_undisturbed(out, result, stream, other_stream)


@covers("mem_pool_malloc_async.reuse_event", uses=["aclrtRecordEvent", "aclrtStreamWaitEvent"])
@HELD
@pytest.mark.parametrize("again", [False, True], ids=["before", "before-and-after"])
def test_no_reuse_behind_an_earlier_event(
    acl, pools, stream, other_stream, event, blocked_stream, held, again
):
    """An event that the second stream waited for before the release does not link the two, nor does one that
    it does not wait for.
    """
    pool = pools.pool(**{**ALL_OFF, "REUSE_FOLLOW_EVENT_DEPENDENCIES": 1})
    acl.aclrtRecordEvent(event=event, stream=stream)
    acl.aclrtStreamWaitEvent(stream=other_stream, event=event)
    block, out = pools.held_work(pool, held, stream)
    pools.settle(other_stream)
    with blocked_stream(stream):
        pools.fetch(block, stream, out)
        pools.freed(block, stream)
        if again:
            acl.aclrtRecordEvent(event=event, stream=stream)
        result = pools.job(pool, BLOCK, 0x22, other_stream)
        # Still held: a block that was reused is written before it is read.
        pools.expect_done(result, other_stream)
    pools.expect_undisturbed(out, result, stream, other_stream)


@covers("mem_pool_malloc_async.reuse_event")
@HELD
def test_no_reuse_without_an_event(pools, stream, other_stream, blocked_stream, held):
    """With event reuse on, streams that no event links have the right data in the block of each."""
    pool = pools.pool(**{**ALL_OFF, "REUSE_FOLLOW_EVENT_DEPENDENCIES": 1})
    block, out = pools.held_work(pool, held, stream)
    with blocked_stream(stream):
        pools.fetch(block, stream, out)
        pools.freed(block, stream)
        result = pools.job(pool, BLOCK, 0x22, other_stream)
        # Still held: a block that was reused is written before it is read.
        pools.expect_done(result, other_stream)
    pools.expect_undisturbed(out, result, stream, other_stream)


@covers("mem_pool_malloc_async.reuse_internal")
@HELD
@pytest.mark.parametrize("room", [2, 1], ids=["room-for-two", "room-for-one"])
def test_reuse_by_an_implicit_wait(pools, stream, other_stream, blocked_stream, held, room):
    """With internal reuse on, a stream that takes over a block in use by another one disturbs nothing."""
    pool = pools.pool(room * held, **{**ALL_OFF, "REUSE_ALLOW_INTERNAL_DEPENDENCIES": 1})
    block, out = pools.held_work(pool, held, stream)
    with blocked_stream(stream):
        pools.fetch(block, stream, out)
        pools.freed(block, stream)
        result = pools.job(pool, BLOCK, 0x22, other_stream)
    pools.expect_done(result, other_stream)
    pools.expect_undisturbed(out, result, stream, other_stream)


@covers("mem_pool_malloc_async.reuse_opportunistic")
@HELD
@pytest.mark.parametrize("room", [2, 1], ids=["room-for-two", "room-for-one"])
def test_opportunistic_reuse(pools, stream, other_stream, blocked_stream, expect, held, room):
    """What opportunistic reuse gives while the first stream is held is recorded; no data is disturbed."""
    pool = pools.pool(room * held, **{**ALL_OFF, "REUSE_ALLOW_OPPORTUNISTIC": 1})
    block, out = pools.held_work(pool, held, stream)
    with blocked_stream(stream):
        pools.fetch(block, stream, out)
        pools.freed(block, stream)
        result = pools.job(pool, BLOCK, 0x22, other_stream)
    out.written = 0x11
    pools.wait_for(stream, other_stream)
    expect.observed(result.result, corrupted=[out])


@covers("mem_pool_malloc_async.no_stream_sync")
@deadline(10)
def test_held_stream(pools, stream, blocked_stream):
    """While its stream is held the call returns for blocks of all sizes, with addresses that the stream uses
    later.
    """
    pool = pools.pool()
    with blocked_stream(stream):
        large = pools.malloc_each(pool, LARGE, stream)
        result = pools.job(pool, BLOCK, 0x33, stream)
    pools.expect_given(large)
    pools.expect_done(result, stream)


@covers("mem_pool_malloc_async.no_stream_sync")
@deadline(10)
def test_held_stream_elsewhere(pools, stream, other_stream, blocked_stream):
    """While another stream with a block of the pool is held, the call returns and its work is done."""
    pool = pools.pool()
    pools.block(pool, MIB, stream)
    with blocked_stream(stream):
        large = pools.malloc_each(pool, LARGE, other_stream)
        result = pools.job(pool, BLOCK, 0x33, other_stream)
        pools.expect_given(large)
        pools.expect_done(result, other_stream)
