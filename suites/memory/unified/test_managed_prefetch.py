"""aclrtMemManagedPrefetchAsync and aclrtMemManagedPrefetchBatchAsync: managed memory that a stream moves."""

from __future__ import annotations

import pytest

from harness.plugin import covers, deadline
from suites.memory.unified.places import ON_DEVICE, ON_HOST, STEP
from suites.memory.virtual.properties import MIB


@covers("mem_managed_prefetch_async.ok")
@pytest.mark.parametrize("where", [ON_DEVICE, ON_HOST], ids=["to-device", "to-host"])
@pytest.mark.parametrize("origin", ["written", "on_device"])
def test_prefetch(managed, prefetches, stream, origin, where):
    """8 MiB keep their bytes wherever they come from and go, and both sides can change them after it."""
    block = getattr(managed, origin)(8 * MIB)
    result = prefetches.move(block, where, stream)
    prefetches.expect_usable(result, block, stream)


@covers("mem_managed_prefetch_async.ok")
def test_there_and_back(managed, prefetches, stream, expect):
    """Prefetches to the device and back to the host, one behind the other, keep the bytes."""
    block = managed.written(2 * STEP)
    expect.success(prefetches.move(block, ON_DEVICE, stream))
    result = prefetches.move(block, ON_HOST, stream)
    prefetches.expect_kept(result, [block], stream)


@covers("mem_managed_prefetch_async.ok")
@pytest.mark.parametrize("offset", [0, STEP], ids=["first-half", "second-half"])
def test_half(managed, prefetches, stream, offset):
    """A prefetch of half a block keeps the bytes of both halves."""
    block = managed.written(2 * STEP)
    result = prefetches.move(block, ON_DEVICE, stream, offset, STEP)
    prefetches.expect_kept(result, [block], stream)


@covers("mem_managed_prefetch_async.async")
@deadline(5)
def test_async(managed, prefetches, stream, blocked_stream):
    """The call comes back while its stream is held."""
    block = managed.written()
    with blocked_stream(stream) as hold:
        result = prefetches.move(block, ON_DEVICE, stream)
        prefetches.expect_queued(result, hold)


@covers("mem_managed_prefetch_async.ptr_range")
def test_device_memory(acl, memory, prefetches, stream, expect):
    """What a prefetch of ordinary device memory and the wait for it give is recorded; the memory stays."""
    block = memory.device(STEP)
    result = prefetches.move(block, ON_DEVICE, stream)
    waited = acl.aclrtSynchronizeStream(stream=stream)
    expect.observed(f"{result.name}, the wait answered {waited.name}", corrupted=[block])


@covers("mem_managed_prefetch_batch_async.ok")
def test_batch(prefetches, stream):
    """Six blocks to the device and four to the host, in one call, keep their bytes."""
    blocks = prefetches.written(10)
    result = prefetches.move_all(blocks, {0: ON_DEVICE, 6: ON_HOST}, stream)
    prefetches.expect_kept(result, blocks, stream)


@covers("mem_managed_prefetch_batch_async.ok")
@pytest.mark.parametrize(
    "places",
    [{0: ON_HOST}, {0: ON_DEVICE, 1: ON_HOST, 2: ON_DEVICE}, {0: ON_DEVICE, 2: ON_HOST}],
    ids=["one-place", "a-place-each", "last-alone"],
)
def test_batch_of_three(prefetches, stream, places):
    """Three blocks keep their bytes however the places are shared out among them."""
    blocks = prefetches.written(3)
    result = prefetches.move_all(blocks, places, stream)
    prefetches.expect_kept(result, blocks, stream)


@covers("mem_managed_prefetch_batch_async.async")
@deadline(5)
def test_batch_async(prefetches, stream, blocked_stream):
    """The call comes back while its stream is held."""
    blocks = prefetches.written(2)
    with blocked_stream(stream) as hold:
        result = prefetches.move_all(blocks, {0: ON_DEVICE, 1: ON_HOST}, stream)
        prefetches.expect_queued(result, hold)
