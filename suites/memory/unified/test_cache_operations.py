"""aclrtCmoAsync: operations on the cache before device memory, on a stream."""

from __future__ import annotations

import pytest

from harness.plugin import covers, deadline
from suites.memory.unified.caches import DROP, FLUSH, PREFETCH, WRITEBACK
from suites.memory.virtual.properties import GIB


@covers("cmo_async.prefetch")
def test_prefetch(caches, stream):
    """Blocks from one byte to 1 MiB are fetched, and no byte of them changes."""
    blocks = caches.blocks()
    results = caches.operate_on_each(blocks, PREFETCH, stream)
    caches.expect_harmless(results, blocks, stream)


@covers("cmo_async.other_types")
@pytest.mark.parametrize("kind", [WRITEBACK, FLUSH])
def test_other_kinds(caches, stream, kind):
    """What writing back and flushing gives is recorded; the block is unharmed."""
    block = caches.block()
    result = caches.operate(block, kind, stream)
    caches.expect_observed(result, stream, block)


@covers("cmo_async.other_types")
def test_drop(caches, stream):
    """What dropping cached bytes gives is recorded; the block may lose some, another one does not."""
    other = caches.block()
    result = caches.operate(caches.block(), DROP, stream)
    caches.expect_observed(result, stream, other)


@covers("cmo_async.own_device")
@pytest.mark.parametrize("kind", ["pinned", "pageable"])
def test_host_memory(caches, memory, stream, kind):
    """What fetching host memory gives is recorded; the memory is unharmed."""
    block = memory.of(kind, 4096)
    result = caches.operate(block, PREFETCH, stream)
    caches.expect_observed(result, stream, block)


@covers("cmo_async.own_device")
def test_memory_of_the_second_device(caches, stream, peer):
    """What fetching memory of another device gives is recorded; the memory is unharmed."""
    block = peer.memory(4096)
    result = caches.operate(block, PREFETCH, stream)
    caches.expect_observed(result, stream, block)


@covers("cmo_async.size_32bit", uses=["aclrtMalloc"])
def test_4_gib(acl, caches, expect, stream):
    """What fetching a block of 4 GiB gives is recorded; another block is unharmed."""
    other = caches.block()
    start = expect.success(acl.aclrtMalloc(size=4 * GIB, policy="ACL_MEM_MALLOC_HUGE_FIRST")).devPtr
    result = acl.aclrtCmoAsync(src=start, size=4 * GIB, cmoType=PREFETCH, stream=stream)
    caches.expect_observed(result, stream, other)


@covers("cmo_async.async")
@deadline(5)
def test_async(caches, stream, blocked_stream):
    """The call comes back while its stream is held."""
    block = caches.block()
    with blocked_stream(stream) as hold:
        result = caches.operate(block, PREFETCH, stream)
        caches.expect_queued(result, hold)
