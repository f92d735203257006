"""aclrtMemPoolFreeAsync: blocks go back to their pool in stream order."""

from __future__ import annotations

import pytest

from harness.plugin import covers, deadline, isolated
from suites.memory.stream.pools import ALL_OFF
from suites.memory.virtual.properties import MIB


@covers("mem_pool_free_async.ok")
def test_free_behind_work(pools, stream, expect):
    """A block given back behind its work has done that work, and nothing is used any more."""
    pool = pools.pool()
    job = pools.job(pool, 2 * MIB, 0x44, stream)
    result = pools.free(pools.view(job.block, job.size), stream)
    expect.success(result)
    pools.expect_done(job, stream)
    pools.expect_used(pool, least=0, peak=2 * MIB)


@covers("mem_pool_free_async.ok")
@deadline(10)
def test_free_behind_held_work(pools, stream, blocked_stream, expect):
    """While its stream is held the call returns, and the copy in front of it takes the bytes later, even
    where the pool gives back all it can meanwhile.
    """
    pool = pools.pool()
    block, out = pools.held_work(pool, 2 * MIB, stream)
    with blocked_stream(stream):
        pools.fetch(block, stream, out)
        result = pools.free(block, stream)
        pools.trimmed(pool)
    expect.success(result)
    pools.settle(stream)
    expect.data(out, 0x11, "what was copied out of the block")
    pools.expect_used(pool, least=0, peak=2 * MIB)


@covers("mem_pool_free_async.ok")
@deadline(10)
def test_large_free_behind_held_work(pools, stream, blocked_stream, expect):
    """While its stream is held the call returns for a large block as well."""
    pool = pools.keeping()
    block = pools.block(pool, 512 * MIB, stream)
    with blocked_stream(stream):
        result = pools.free(block, stream)
    expect.success(result)
    pools.settle(stream)
    pools.expect_used(pool, least=0, peak=512 * MIB)


@covers("mem_pool_free_async.ok")
@pytest.mark.parametrize("size", [2 * MIB, 4 * MIB], ids=["same-size", "half"])
@deadline(10)
def test_free_on_another_stream(pools, stream, other_stream, blocked_stream, expect, size):
    """The stream that gives a block back decides when it is free, not the one that asked for it."""
    pool = pools.pool(**ALL_OFF)
    block, out = pools.held_work(pool, size, stream)
    with blocked_stream(other_stream):
        pools.fetch(block, other_stream, out)
        result = pools.free(block, other_stream)
        job = pools.job(pool, 2 * MIB, 0x22, stream)
        # Still held: a block that was reused is written before it is read.
        pools.expect_done(job, stream)
    expect.success(result)
    pools.expect_undisturbed(out, job, other_stream, stream)
    pools.expect_used(pool, least=2 * MIB, peak=size)


@covers("mem_pool_free_async.ok")
def test_free_of_one_of_two(pools, stream, expect):
    """The release of one block leaves another one alone."""
    pool = pools.pool()
    kept, gone = pools.job(pool, MIB, 0x55, stream), pools.job(pool, MIB, 0x66, stream)
    result = pools.free(pools.view(gone.block, gone.size), stream)
    expect.success(result)
    pools.expect_own_bytes([kept], stream)


@covers("mem_pool_free_async.no_physical_release")
def test_memory_stays_with_the_pool(pools, stream, expect):
    """Below the threshold the free device memory does not rise with a release."""
    pool = pools.keeping()
    block, before = pools.block(pool, 252 * MIB, stream), pools.free_memory()
    result = pools.free(block, stream)
    expect.success(result)
    pools.settle(stream)
    pools.expect_given_back(before)


@covers("mem_pool_free_async.foreign_pointer")
@isolated("gives a pool what is not its own")
def test_block_of_no_pool(acl, pools, stream, expect):
    """What giving back memory of aclrtMalloc gives is recorded; the blocks of a pool are unharmed."""
    job = pools.job(pools.pool(), MIB, 0x77, stream)
    block = pools.plain_block(MIB)
    result = acl.aclrtMemPoolFreeAsync(ptr=block, stream=stream)
    expect.observed(result)
    pools.expect_own_bytes([job], stream)
    pools.free_plain_block(block, unless=result)


@covers("mem_pool_free_async.double_free")
@isolated("gives a block back twice")
def test_twice(pools, stream, expect):
    """What giving a block back again gives is recorded; another block is unharmed."""
    pool = pools.pool()
    job, block = pools.job(pool, MIB, 0x77, stream), pools.block(pool, MIB, stream)
    pools.freed(block, stream)
    pools.outcome_open()
    result = pools.free(block, stream)
    expect.observed(result)
    pools.expect_own_bytes([job], stream)


@covers("mem_pool_free_async.aclrt_free_of_pool_memory")
@isolated("frees memory of a pool as if it were none")
def test_plain_free(acl, pools, stream, expect):
    """What aclrtFree of a block gives is recorded; the pool's figures stay in order."""
    pool = pools.pool()
    job, block = pools.job(pool, MIB, 0x77, stream), pools.block(pool, MIB, stream)
    pools.settle(stream)
    pools.outcome_open()
    result = acl.aclrtFree(devPtr=block)
    expect.observed(result)
    pools.expect_own_bytes([job], stream)
    pools.expect_ordered([pools.figures(pool)])
