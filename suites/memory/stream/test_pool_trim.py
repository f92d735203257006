"""aclrtMemPoolTrimTo: memory that a pool gives back to its device."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.memory.stream.pools import RESERVED, STEP
from suites.memory.virtual.properties import GIB, MIB

TIB = 1024 * GIB


@covers("mem_pool_trim_to.releases_unused")
@pytest.mark.parametrize("keep", [64 * MIB, STEP, 100 * MIB + 1], ids=["64-mib", "2-mib", "odd"])
def test_unused_memory(pools, stream, expect, keep):
    """What is unused above the bytes to keep goes back to the device, and what another pool has does not."""
    before, pool, other = pools.free_memory(), pools.keeping(), pools.keeping()
    pools.take_and_give_back(pool, [512 * MIB], stream)
    pools.take_and_give_back(other, [256 * MIB], stream)
    pools.settle(stream)
    result = pools.trim(pool, keep)
    expect.success(result)
    pools.expect_reserved(pool, low=0, high=keep + STEP)
    pools.expect_reserved(other, low=256 * MIB, high=GIB)
    pools.expect_missing(before, pools.get(pool, RESERVED) + pools.get(other, RESERVED))


@covers("mem_pool_trim_to.releases_unused")
def test_pool_goes_on(pools, stream, expect):
    """A pool that has given everything back takes memory again when it is asked for blocks."""
    pool = pools.keeping()
    pools.take_and_give_back(pool, [64 * MIB], stream)
    pools.settle(stream)
    result = pools.trim(pool, 0)
    expect.success(result)
    pools.expect_usable(pool, MIB, stream)


@covers("mem_pool_trim_to.keeps_used")
def test_blocks_in_use(pools, stream, expect):
    """Blocks in use keep their bytes, and stay counted, whatever lies between them."""
    pool = pools.keeping()
    jobs = [pools.job(pool, 5 * MIB, byte, stream) for byte in range(1, 7)]
    kept = pools.give_back_every_second(jobs, stream)
    before = pools.used(pool)
    result = pools.trim(pool, 0)
    expect.success(result)
    pools.expect_own_bytes(kept, stream)
    expect.true("bytes used", pools.used(pool), before)


@covers("mem_pool_trim_to.keeps_used")
def test_large_block_in_use(pools, stream, expect):
    """A block of 128 MiB is untouched at its ends and in its middle."""
    pool = pools.keeping()
    block = pools.block(pool, 128 * MIB, stream)
    windows = pools.mark(block)
    result = pools.trim(pool, 0)
    expect.success(result)
    expect.unchanged(*windows)
    pools.expect_reserved(pool, low=128 * MIB, high=GIB)


@covers("mem_pool_trim_to.overrides_threshold")
def test_threshold_is_overridden(pools, stream, expect):
    """With everything below the threshold, the pool still gives back what is unused."""
    pool = pools.keeping()
    pools.block(pool, 64 * MIB, stream)
    pools.take_and_give_back(pool, [448 * MIB], stream)
    pools.settle(stream)
    result = pools.trim(pool, 0)
    expect.success(result)
    pools.expect_reserved(pool, low=pools.used(pool), high=pools.used(pool))


@covers("mem_pool_trim_to.larger_than_pool")
@pytest.mark.parametrize("keep", [TIB, 2**64 - 1, 64 * MIB], ids=["1-tib", "size-max", "what-it-has"])
def test_more_than_the_pool_has(pools, stream, expect, keep):
    """To keep as much as the pool has, or more, changes nothing."""
    pool = pools.keeping()
    pools.take_and_give_back(pool, [64 * MIB], stream)
    pools.settle(stream)
    before = pools.figures(pool)
    result = pools.trim(pool, keep)
    expect.success(result)
    expect.true("the figures of the pool", pools.figures(pool), before)


@covers("mem_pool_trim_to.threshold_release_on_sync")
def test_threshold_of_zero(pools, stream, expect):
    """With the threshold 0, what was given back is reserved no more after two synchronisations."""
    pool = pools.pool()
    block = pools.block(pool, 256 * MIB, stream)
    before = pools.get(pool, RESERVED)
    pools.freed(block, stream)
    pools.wait_for(stream, stream)
    expect.within("bytes reserved", pools.get(pool, RESERVED), 0, before - 1)


@covers("mem_pool_trim_to.threshold_release_on_sync")
def test_threshold_keeps(pools, stream):
    """What lies below the threshold stays with the pool."""
    pool = pools.pool(ATTR_RELEASE_THRESHOLD=64 * MIB)
    pools.take_and_give_back(pool, [256 * MIB], stream)
    pools.wait_for(stream, stream)
    pools.expect_reserved(pool, low=64 * MIB, high=256 * MIB - 1)
