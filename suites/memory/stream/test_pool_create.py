"""aclrtMemPoolCreate: pools of device memory."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.memory.stream.pools import STEP, properties
from suites.memory.virtual.properties import GIB, MIB


@covers("mem_pool_create.ok")
def test_create(acl, pools, stream):
    """A pool of 1 GiB is made, gives blocks and can be destroyed."""
    result = acl.aclrtMemPoolCreate(poolProps=properties(GIB))
    pools.expect_pool(result, stream)


@covers("mem_pool_create.ok")
def test_create_on_the_second_device(acl, pools, peer):
    """A pool of the second device, made while the first one is current, has that device's memory."""
    result = acl.aclrtMemPoolCreate(poolProps=properties(GIB, device=peer.device))
    pools.expect_pool_there(result, peer)


@covers("mem_pool_create.max_size_exceeds")
def test_larger_than_the_device(acl, pools, expect):
    """A maximum 2 MiB above the device's memory is refused, and no pool is given."""
    result = acl.aclrtMemPoolCreate(poolProps=properties(pools.total_memory() + STEP))
    expect.refused(result)
    expect.true("the pool was left alone", result.untouched("memPool"))


@covers("mem_pool_create.max_size_enforced")
@pytest.mark.parametrize("size", [STEP, 5 * MIB, 1], ids=["2-mib", "5-mib", "1-byte"])
def test_maximum(pools, stream, other_stream, size):
    """A pool of 64 MiB gives blocks until those of all streams reach its maximum, and no more."""
    pool = pools.pool(64 * MIB)
    results = pools.malloc_until_refused(pool, size, [stream, other_stream], most=40)
    pools.expect_within_maximum(results, pool, size, 64 * MIB)


@covers("mem_pool_create.max_size_enforced")
def test_maximum_of_a_used_pool(pools, stream):
    """A pool that has given and taken back 1 GiB in all still stops at its maximum."""
    pool = pools.keeping(64 * MIB)
    pools.take_and_give_back(pool, [40 * MIB] * 26, stream)
    results = pools.malloc_until_refused(pool, 3 * STEP, [stream], most=40)
    pools.expect_within_maximum(results, pool, 3 * STEP, 64 * MIB)


@covers("mem_pool_create.several")
def test_several_pools(pools, stream):
    """Eight pools live side by side and end one by one; the blocks and figures of each are its own."""
    made = [pools.pool(64 * MIB) for _ in range(8)]
    results = {pool: pools.job(pool, MIB, byte, stream) for byte, pool in enumerate(made, 1)}
    pools.expect_own_bytes([*results.values()], stream)
    pools.expect_apart(results, stream, used=STEP)
