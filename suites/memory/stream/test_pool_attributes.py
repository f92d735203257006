"""aclrtMemPoolSetAttr and aclrtMemPoolGetAttr: what a pool keeps, and what it tells of itself."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.memory.stream.pools import (
    CURRENT,
    FIGURES,
    LARGEST,
    PEAKS,
    SWITCHES,
    THRESHOLD,
)
from suites.memory.virtual.properties import GIB, MIB

EVERY = (*SWITCHES, THRESHOLD, *FIGURES)


def short(attribute: str) -> str:
    """The part of an attribute's name that tells it from others."""
    return attribute.removeprefix("ACL_RT_MEM_POOL_").removeprefix("ATTR_").removeprefix("REUSE_").lower()


@covers("mem_pool_set_attr.last_wins")
@pytest.mark.parametrize(
    "values",
    [(MIB, 64 * MIB), (64 * MIB, MIB), (64 * MIB, 0), (MIB, 5 * GIB), (5 * GIB, 4 * GIB)],
    ids=str,
)
def test_last_threshold(pools, values):
    """Of two release thresholds the second one is kept, and that of another pool stays."""
    pool, other = pools.pool(LARGEST), pools.pool(LARGEST, ATTR_RELEASE_THRESHOLD=3 * MIB)
    first, result = (pools.set(pool, THRESHOLD, value) for value in values)
    pools.expect_value(first, pool, THRESHOLD, values[1])
    pools.expect_value(result, pool, THRESHOLD, values[1])
    pools.expect_value(result, other, THRESHOLD, 3 * MIB)


@covers("mem_pool_set_attr.last_wins")
@pytest.mark.parametrize("attribute", SWITCHES, ids=short)
@pytest.mark.parametrize("values", [(0, 1), (1, 0)], ids=["on", "off"])
def test_last_switch(pools, attribute, values):
    """A switch that is set twice is as it was set last, and no other one of this or another pool is
    touched.
    """
    pool, other = pools.pool(), pools.pool()
    pools.set(pool, attribute, values[0])
    before = pools.settings(pool), pools.settings(other)
    result = pools.set(pool, attribute, values[1])
    pools.expect_changed_alone(result, {pool: before[0] | {attribute: values[1]}, other: before[1]})


@covers("mem_pool_set_attr.read_only")
@pytest.mark.parametrize("attribute", CURRENT, ids=short)
@pytest.mark.parametrize("value", [0, 1])
def test_current_figures_are_read_only(pools, stream, attribute, value):
    """What is reserved and used at the moment cannot be set, and stays as it was."""
    pool = pools.pool()
    pools.block(pool, MIB, stream)
    before = pools.figures(pool)
    result = pools.set(pool, attribute, value)
    pools.expect_refused(result, pool, before)


@covers("mem_pool_set_attr.high_only_zero")
@pytest.mark.parametrize("attribute", PEAKS, ids=short)
@pytest.mark.parametrize("value", [1, 2**63], ids=["1", "2^63"])
def test_peaks_take_no_other_value(pools, stream, attribute, value):
    """A peak cannot be set to anything but 0, and stays as it was."""
    pool = pools.pool()
    pools.block(pool, MIB, stream)
    before = pools.figures(pool)
    result = pools.set(pool, attribute, value)
    pools.expect_refused(result, pool, before)


@covers("mem_pool_set_attr.high_only_zero")
@pytest.mark.parametrize("attribute", PEAKS, ids=short)
def test_peaks_are_reset_by_zero(pools, expect, attribute):
    """A peak can be set to 0."""
    result = pools.set(pools.pool(), attribute, 0)
    expect.success(result)


@covers("mem_pool_set_attr.switch_values")
@pytest.mark.parametrize("attribute", SWITCHES, ids=short)
def test_other_values_of_a_switch(pools, expect, attribute):
    """What setting a switch to 2 gives is recorded."""
    result = pools.set(pools.pool(), attribute, 2)
    expect.observed(result)


@covers("mem_pool_get_attr.default_threshold")
def test_default_threshold(pools):
    """A fresh pool has the release threshold 0."""
    pool = pools.pool()
    result, _ = pools.ask(pool, THRESHOLD)
    pools.expect_value(result, pool, THRESHOLD, 0)


@covers("mem_pool_get_attr.default_unset")
def test_defaults(pools):
    """A fresh pool tells every attribute, and nothing is reserved or used."""
    pool = pools.pool()
    results = {attribute: pools.ask(pool, attribute) for attribute in EVERY}
    pools.expect_defaults(results)


@covers("mem_pool_get_attr.types")
@pytest.mark.parametrize("attribute", EVERY, ids=short)
def test_width(pools, attribute):
    """A switch is written as 4 bytes and everything else as 8, and nothing behind them."""
    pool = pools.pool()
    results = pools.ask(pool, attribute, fill=0x55), pools.ask(pool, attribute, fill=0xAA)
    pools.expect_width(results, attribute)


@covers("mem_pool_get_attr.used_current")
def test_used(pools, stream):
    """What is used rises with a block of 4 MiB, falls with its release, and the peak stays."""
    pool = pools.keeping()
    block = pools.block(pool, 4 * MIB, stream)
    pools.expect_used(pool, least=4 * MIB, peak=4 * MIB)
    pools.freed(block, stream)
    pools.settle(stream)
    pools.expect_used(pool, least=0, peak=4 * MIB)


@covers("mem_pool_get_attr.types", "mem_pool_get_attr.used_current")
def test_figures_above_32_bits(pools, stream):
    """With a block of 5 GiB in use every figure is told whole."""
    pool = pools.keeping(LARGEST)
    pools.block(pool, 5 * GIB, stream)
    pools.expect_figures(pool, least=5 * GIB, most=LARGEST)


@covers("mem_pool_get_attr.used_current")
def test_used_by_several(pools, stream, other_stream):
    """What is used is the sum of what lives on all streams, and the peak that of what has lived at a time."""
    pool = pools.pool()
    first, second = pools.block(pool, 4 * MIB, stream), pools.block(pool, 6 * MIB, other_stream)
    pools.freed(first, stream)
    pools.settle(stream)
    pools.expect_used(pool, least=6 * MIB, peak=10 * MIB)
    pools.freed(second, other_stream)
    pools.block(pool, 2 * MIB, stream)
    pools.wait_for(stream, other_stream)
    pools.expect_used(pool, least=2 * MIB, peak=10 * MIB)


@covers("mem_pool_get_attr.reserved_ge_used")
@pytest.mark.parametrize("keeping", [False, True], ids=["giving-back", "keeping"])
def test_figures_of_a_workload(pools, stream, keeping):
    """Through a random workload no more is used than reserved, and no peak is below its value."""
    pool = pools.keeping() if keeping else pools.pool()
    result = pools.workload(pool, seed=11, steps=60, stream=stream)
    pools.expect_ordered(result)
