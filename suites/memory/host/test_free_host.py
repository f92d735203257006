"""aclrtFreeHost and aclrtFreeHostWithDevSync: when a release waits, and what it takes."""

from __future__ import annotations

import pytest

from harness.plugin import covers, covers_each, deadline, isolated, pattern
from suites.memory.virtual.properties import KIB, MIB


@covers("free_host.no_implicit_sync")
@pytest.mark.parametrize("default", [False, True], ids=["stream", "default-stream"])
@deadline(10)
def test_free_does_not_wait(host_blocks, releases, stream, blocked_stream, default):
    """A small and a large block that no task uses are released while a stream is held."""
    queue = releases.queue(stream, default)
    blocks = [host_blocks.taken(MIB), host_blocks.taken(5 * MIB)]
    with blocked_stream(queue):
        results = host_blocks.free_all(blocks)
        releases.expect_all_done_while_held(results, queue)


@covers("free_host.no_implicit_sync", uses=["aclrtMemcpyAsync"])
@deadline(10)
def test_free_after_the_copy(
    acl, host_blocks, releases, memory, expect, stream, other_stream, event, blocked_stream
):
    """A block whose copy is over is released while another stream is held, and the copy is right."""
    source, target = host_blocks.taken(64 * KIB).write(pattern(64 * KIB, 1)), memory.device(64 * KIB)
    with blocked_stream(other_stream):
        expect.success(host_blocks.queue_copy(target, source, stream))
        host_blocks.wait_for_copy(stream, event)
        result = acl.aclrtFreeHost(hostPtr=source.ptr)
        releases.expect_done_while_held(result, other_stream)
    expect.data(target, pattern(64 * KIB, 1), "what was copied before the release")


@covers_each("device_pointer", "aclrtFreeHost", "aclrtFreeHostWithDevSync")
def test_free_device_block(api, acl, memory, expect):
    """The start of a device block is refused, and the block is still there."""
    block = memory.device(4 * KIB, guard=0).write(pattern(4 * KIB, 1))
    result = acl.call(api, hostPtr=block.ptr)
    expect.refused(result, unchanged=[block])


@covers("free_host.plain_malloc_pointer")
@isolated("releases memory of the C library")
def test_free_plain_memory(acl, memory, releases):
    """What releasing memory of the C library gives is recorded; it and other blocks are unharmed."""
    plain, other = memory.pageable(4 * KIB).write(pattern(4 * KIB, 1)), memory.pinned(4 * KIB)
    result = acl.aclrtFreeHost(hostPtr=plain.ptr)
    releases.expect_left_alone(result, plain, other)


@covers("free_host.double_free")
@isolated("releases a block twice")
def test_double_free(acl, host_blocks, expect):
    """What the second release of a block gives is recorded; other blocks are unharmed."""
    block, other = host_blocks.taken(4 * KIB), host_blocks.taken(4 * KIB).write(pattern(4 * KIB, 2))
    expect.success(acl.aclrtFreeHost(hostPtr=block.ptr))
    result = acl.aclrtFreeHost(hostPtr=block.ptr)
    expect.observed(result, corrupted=[other])


@covers("free_host_with_dev_sync.waits_for_device", uses=["aclrtMemcpyAsync"])
@pytest.mark.parametrize("default", [False, True], ids=["stream", "default-stream"])
@deadline(10)
def test_free_with_dev_sync_waits(acl, host_blocks, releases, memory, stream, blocked_stream, default):
    """At return a stream that was busy with the block has finished, and has copied the right bytes."""
    source, target = host_blocks.taken(64 * KIB).write(pattern(64 * KIB, 1)), memory.device(64 * KIB)
    queue = releases.queue(stream, default)
    with blocked_stream(queue) as hold:
        host_blocks.queue_copy(target, source, queue)
        with releases.released_soon(hold):
            result = acl.aclrtFreeHostWithDevSync(hostPtr=source.ptr)
            releases.expect_waited(result, queue, target, pattern(64 * KIB, 1))


@covers("free_host_with_dev_sync.waits_for_device", uses=["aclrtMemcpyAsync"])
@deadline(10)
def test_free_with_dev_sync_waits_for_copies_into_it(
    acl, host_blocks, releases, memory, stream, blocked_stream
):
    """At return a stream that copies into the block has finished, and so has what came behind that."""
    block, source = host_blocks.taken(64 * KIB), memory.device(64 * KIB).write(pattern(64 * KIB, 1))
    target = memory.device(64 * KIB)
    with blocked_stream(stream) as hold:
        host_blocks.queue_copy(block, source, stream)
        data = releases.queue_copy(target, source, stream)
        with releases.released_soon(hold):
            result = acl.aclrtFreeHostWithDevSync(hostPtr=block.ptr)
            releases.expect_waited(result, stream, target, data)


@covers("free_host_with_dev_sync.waits_for_device", uses=["aclrtMemcpyAsync"])
@deadline(10)
def test_free_with_dev_sync_waits_for_other_work(
    acl, host_blocks, releases, memory, stream, other_stream, blocked_stream
):
    """At return the older of two streams has finished, though it was not busy with the block."""
    block, target = host_blocks.taken(5 * MIB), memory.device(64 * KIB)
    with blocked_stream(stream) as hold:
        data = releases.queue_copy(target, memory.device(64 * KIB).write(pattern(64 * KIB, 1)), stream)
        with releases.released_soon(hold):
            result = acl.aclrtFreeHostWithDevSync(hostPtr=block.ptr)
            releases.expect_waited(result, stream, target, data)


@covers("free_host_with_dev_sync.waits_for_device", uses=["aclrtMemcpyAsync", "aclrtSetCurrentContext"])
@deadline(10)
def test_free_with_dev_sync_in_another_context(acl, host_blocks, releases, memory, stream, blocked_stream):
    """At return a stream has finished that belongs to another context of the device."""
    block, target, context = host_blocks.taken(64 * KIB), memory.device(64 * KIB), releases.new_context()
    with blocked_stream(stream) as hold:
        data = releases.queue_copy(target, memory.device(64 * KIB).write(pattern(64 * KIB, 1)), stream)
        with releases.released_soon(hold):
            with releases.context(context):
                result = acl.aclrtFreeHostWithDevSync(hostPtr=block.ptr)
            releases.expect_waited(result, stream, target, data)
