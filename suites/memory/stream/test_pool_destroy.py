"""aclrtMemPoolDestroy: the end of a pool."""

from __future__ import annotations

import pytest

from harness.plugin import covers, isolated
from suites.memory.stream.pools import THRESHOLD, USED
from suites.memory.virtual.properties import MIB


@covers("mem_pool_destroy.ok")
@pytest.mark.parametrize("keeping", [False, True], ids=["giving-back", "keeping"])
def test_destroy(pools, stream, expect, keeping):
    """An idle pool is destroyed, and its memory is back, whatever it would have kept."""
    before = pools.free_memory()
    pool = pools.keeping() if keeping else pools.pool()
    pools.take_and_give_back(pool, [256 * MIB, 64 * MIB], stream)
    pools.settle(stream)
    result = pools.destroy(pool)
    expect.success(result)
    pools.expect_given_back(before)


@covers("mem_pool_destroy.ok")
def test_one_of_two(pools, stream, expect):
    """The end of one pool leaves another one and its blocks alone."""
    gone, kept = pools.pool(), pools.pool()
    job = pools.job(kept, MIB, 7, stream)
    result = pools.destroy(gone)
    expect.success(result)
    pools.expect_own_bytes([job], stream)


@covers("mem_pool_destroy.with_live_blocks")
@isolated("destroys a pool whose blocks are in use")
def test_blocks_in_use(pools, stream, expect):
    """What destroying a pool with a block in use gives is recorded; other pools are unharmed."""
    pool, other = pools.pool(), pools.pool()
    job = pools.job(other, MIB, 7, stream)
    pools.block(pool, MIB, stream)
    pools.outcome_open()
    result = pools.destroy(pool)
    expect.observed(result)
    pools.expect_own_bytes([job], stream)


@covers("mem_pool_destroy.twice")
@isolated("destroys a pool twice")
def test_twice(pools, stream, expect):
    """What destroying a pool again gives is recorded; other pools are unharmed."""
    pool, other = pools.pool(), pools.pool()
    job = pools.job(other, MIB, 7, stream)
    pools.destroy(pool)
    result = pools.destroy(pool)
    expect.observed(result)
    pools.expect_own_bytes([job], stream)


@covers("mem_pool_destroy.twice")
@isolated("uses a pool that was destroyed")
def test_attributes_of_a_destroyed_pool(pools, expect):
    """What the attributes of a destroyed pool give is recorded."""
    pool = pools.pool()
    pools.destroy(pool)
    result = pools.set(pool, THRESHOLD, 0)
    expect.observed(result)
    expect.observed(pools.ask(pool, USED)[0])
