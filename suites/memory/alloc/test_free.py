"""aclrtFree and aclrtFreeWithDevSync: when a release waits, and what it takes."""

from __future__ import annotations

import pytest

from harness.plugin import covers, deadline, isolated, pattern, surfaces
from suites.memory.virtual.properties import KIB, MIB


@covers("free.no_implicit_sync")
@pytest.mark.parametrize("default", [False, True], ids=["stream", "default-stream"])
@deadline(10)
def test_free_does_not_wait(allocations, releases, stream, blocked_stream, default):
    """A small and a large block that no task uses are released while a stream is held."""
    queue = releases.queue(stream, default)
    asked = allocations.ask_for("aclrtMalloc", [MIB, 4 * MIB])
    with blocked_stream(queue):
        results = allocations.free_all("aclrtFree", asked)
        releases.expect_all_done_while_held(results, queue)


@covers("free.foreign_pointer")
@isolated("releases an address that was not handed out")
@pytest.mark.parametrize("kind", ["stack", "host", "interior"])
def test_free_foreign_pointer(acl, allocations, releases, kind):
    """What releasing an address gives that no allocation begins at is recorded; live blocks are unharmed."""
    block, other = allocations.taken(4 * KIB), allocations.taken(4 * KIB).write(pattern(4 * KIB, 2))
    address = releases.foreign(kind, block)
    result = acl.aclrtFree(devPtr=address)
    releases.expect_harmless(result, address, others=[other])


@covers("free.foreign_pointer")
@isolated("releases an address that was not handed out")
@surfaces("c")
@pytest.mark.parametrize("kind", ["pageable", "misaligned", "first", "last"])
def test_free_hostile_pointer(acl, allocations, releases, kind):
    """What releasing an address gives that can be no block is recorded; live blocks are unharmed."""
    block, other = allocations.taken(4 * KIB), allocations.taken(4 * KIB).write(pattern(4 * KIB, 2))
    address = releases.foreign(kind, block)
    result = acl.aclrtFree(devPtr=address)
    releases.expect_harmless(result, address, others=[other])


@covers("free.double_free")
@isolated("releases a block twice")
def test_double_free(allocations):
    """The second release of a small and a large block is refused; others are unharmed, and no two later ones
    are the same.
    """
    other = allocations.taken(4 * KIB).write(pattern(4 * KIB, 2))
    asked = allocations.freed([4 * KIB, 4 * MIB])
    results = allocations.free_all("aclrtFree", asked)
    allocations.expect_refused_harmlessly(results, others=[other])


@covers("free.any_thread")
def test_free_in_another_thread(allocations, releases, figures):
    """A block is released by another thread that has set the same device, and the memory is back."""
    before = figures.free()
    block = allocations.taken(2 * MIB)
    result = releases.in_another_thread("aclrtFree", devPtr=block.ptr)
    allocations.expect_released([result], before)


@covers("free.context_independent", uses=["aclrtSetCurrentContext"])
def test_free_in_another_context(acl, allocations, releases, expect):
    """A block is released while another context of its device is current."""
    first, second = releases.new_context(), releases.new_context()
    with releases.context(first):
        block = allocations.taken(MIB)
    with releases.context(second):
        result = acl.aclrtFree(devPtr=block.ptr)
    expect.success(result)


@covers("free.context_independent", uses=["aclrtSetCurrentContext"])
@surfaces("c")
def test_free_while_a_second_device_is_current(acl, allocations, peer, figures):
    """A block is released while another device is current, and the memory is back."""
    before = figures.free()
    block = allocations.taken(2 * MIB)
    with peer.current():
        result = acl.aclrtFree(devPtr=block.ptr)
    allocations.expect_released([result], before)


@covers("free.accepts_withcfg_and_managed")
def test_free_of_other_sources(releases, figures, allocations):
    """Memory of calls whose own pages say so is released by aclrtFree, and is back."""
    before = figures.free()
    addresses = releases.memory_of_other_sources()
    results = releases.free("aclrtFree", addresses)
    allocations.expect_released(results, before)


@covers("free_with_dev_sync.waits_for_device", uses=["aclrtMemcpyAsync"])
@pytest.mark.parametrize("default", [False, True], ids=["stream", "default-stream"])
@deadline(10)
def test_free_with_dev_sync_waits(acl, allocations, releases, memory, stream, blocked_stream, default):
    """At return a stream that was busy with the block has finished, and has copied the right bytes."""
    source, target = allocations.taken(64 * KIB).write(pattern(64 * KIB, 1)), memory.device(64 * KIB)
    queue = releases.queue(stream, default)
    with blocked_stream(queue) as hold:
        data = releases.queue_copy(target, source, queue)
        with releases.released_soon(hold):
            result = acl.aclrtFreeWithDevSync(devPtr=source.ptr)
            releases.expect_waited(result, queue, target, data)


@covers("free_with_dev_sync.waits_for_device", uses=["aclrtMemcpyAsync"])
@deadline(10)
def test_free_with_dev_sync_waits_for_other_work(
    acl, allocations, releases, memory, stream, other_stream, blocked_stream
):
    """At return the older of two streams has finished, though it was not busy with the block."""
    block, target = allocations.taken(64 * KIB), memory.device(64 * KIB)
    with blocked_stream(stream) as hold:
        data = releases.queue_copy(target, memory.device(64 * KIB).write(pattern(64 * KIB, 1)), stream)
        with releases.released_soon(hold):
            result = acl.aclrtFreeWithDevSync(devPtr=block.ptr)
            releases.expect_waited(result, stream, target, data)


@covers("free_with_dev_sync.waits_for_device", uses=["aclrtMemcpyAsync", "aclrtSetCurrentContext"])
@deadline(10)
def test_free_with_dev_sync_in_another_context(acl, allocations, releases, memory, stream, blocked_stream):
    """At return a stream has finished that belongs to another context of the device."""
    block, target, context = allocations.taken(64 * KIB), memory.device(64 * KIB), releases.new_context()
    with blocked_stream(stream) as hold:
        data = releases.queue_copy(target, memory.device(64 * KIB).write(pattern(64 * KIB, 1)), stream)
        with releases.released_soon(hold):
            with releases.context(context):
                result = acl.aclrtFreeWithDevSync(devPtr=block.ptr)
            releases.expect_waited(result, stream, target, data)


@covers("free_with_dev_sync.sync_failure", uses=["aclrtMemsetAsync"])
@isolated("a task of the device fails")
def test_free_after_a_failed_task(acl, allocations, releases, memory, stream, expect):
    """What the release answers when a task has failed is recorded; another block is unharmed."""
    block, other = allocations.taken(4 * KIB), memory.device(4 * KIB).write(pattern(4 * KIB, 2))
    releases.fail_task(stream, memory.device(64))
    result = acl.aclrtFreeWithDevSync(devPtr=block.ptr)
    releases.forget_failure(stream)
    expect.observed(result, corrupted=[other])
