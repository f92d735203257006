"""aclrtAllocatorRegister: what a registration takes over, and what it is used for."""

from __future__ import annotations

import pytest

from harness.plugin import covers, deadline
from suites.memory.allocator.hooks import ADDRESS, ADVISE, ALLOC, FREE, OBJECT


@covers("allocator_register.ok")
def test_register(acl, allocators, expect, stream):
    """A complete descriptor is registered, told by the query, and removed by one call."""
    descriptor = allocators.complete()
    result = acl.aclrtAllocatorRegister(stream=stream, allocatorDesc=descriptor.handle)
    expect.success(result)
    allocators.expect_registered(stream, descriptor)
    allocators.expect_removed_at_once(stream)


@covers("allocator_register.last_wins")
def test_last_wins(acl, allocators, expect, stream):
    """A second registration replaces the first one."""
    allocators.registered(stream)
    descriptor = allocators.complete()
    result = acl.aclrtAllocatorRegister(stream=stream, allocatorDesc=descriptor.handle)
    expect.success(result)
    allocators.expect_registered(stream, descriptor)


@covers("allocator_register.last_wins")
def test_replaced_registration_does_not_come_back(acl, allocators, expect, stream):
    """One call removes the second registration, and the first one does not come back."""
    allocators.registered(stream)
    descriptor = allocators.complete()
    result = acl.aclrtAllocatorRegister(stream=stream, allocatorDesc=descriptor.handle)
    expect.success(result)
    allocators.expect_removed_at_once(stream)


@covers("allocator_register.last_wins")
def test_register_the_same_again(acl, allocators, expect, stream):
    """A descriptor with new contents replaces what it has registered itself."""
    descriptor = allocators.registered(stream)
    other = allocators.replaced(descriptor)
    result = acl.aclrtAllocatorRegister(stream=stream, allocatorDesc=descriptor.handle)
    expect.success(result)
    allocators.expect_registered(stream, other)


@covers("allocator_register.obj_required")
def test_object_required(acl, allocators, expect, stream):
    """A descriptor without an object is refused, and nothing is registered."""
    descriptor = allocators.complete(without=[OBJECT])
    result = acl.aclrtAllocatorRegister(stream=stream, allocatorDesc=descriptor.handle)
    expect.refused(result)
    allocators.expect_not_registered(stream)


@covers("allocator_register.obj_required")
def test_refused_registration_keeps_the_former(acl, allocators, expect, stream):
    """A refused registration leaves the one that is there."""
    former, descriptor = allocators.registered(stream), allocators.complete(without=[OBJECT])
    result = acl.aclrtAllocatorRegister(stream=stream, allocatorDesc=descriptor.handle)
    expect.refused(result)
    allocators.expect_registered(stream, former)


@covers("allocator_register.callbacks_required")
@pytest.mark.parametrize("missing", [ALLOC, FREE, ADDRESS])
def test_callbacks_required(acl, allocators, expect, stream, other_stream, missing):
    """What the call gives for a descriptor without a callback is recorded; other streams keep theirs."""
    other, descriptor = allocators.registered(other_stream), allocators.complete(without=[missing])
    result = acl.aclrtAllocatorRegister(stream=stream, allocatorDesc=descriptor.handle)
    expect.observed(result)
    allocators.expect_registered(other_stream, other)


@covers("allocator_register.advise_optional")
def test_advise_is_optional(acl, allocators, expect, stream):
    """A descriptor without the advised allocation callback is registered."""
    descriptor = allocators.complete(without=[ADVISE])
    result = acl.aclrtAllocatorRegister(stream=stream, allocatorDesc=descriptor.handle)
    expect.success(result)
    allocators.expect_registered(stream, descriptor, unset=ADVISE)


@covers("allocator_register.desc_copy")
def test_later_changes_do_not_matter(acl, allocators, expect, stream):
    """What is put into a descriptor after its registration does not change the registration."""
    descriptor = allocators.complete()
    result = acl.aclrtAllocatorRegister(stream=stream, allocatorDesc=descriptor.handle)
    allocators.replaced(descriptor)
    expect.success(result)
    allocators.expect_registered(stream, descriptor)


@covers("allocator_register.per_stream")
def test_streams_are_independent(acl, allocators, expect, stream, other_stream):
    """A registration for a second stream leaves that of the first one, and each has its own."""
    first, second = allocators.registered(stream), allocators.complete()
    result = acl.aclrtAllocatorRegister(stream=other_stream, allocatorDesc=second.handle)
    expect.success(result)
    allocators.expect_all_registered([stream, other_stream], [first, second])


@covers("allocator_register.per_stream")
def test_many_streams(allocators):
    """Each of 64 streams keeps the allocator that was registered for it."""
    streams = allocators.streams(64)
    results = [allocators.registered(stream) for stream in streams]
    allocators.expect_all_registered(streams, results)


@covers("allocator_register.per_stream", uses=["aclrtAllocatorUnregister"])
def test_unregister_leaves_the_same_descriptor(acl, allocators, expect, stream, other_stream):
    """When one stream's allocator is removed, another stream keeps that of the same descriptor."""
    descriptor = allocators.registered(other_stream)
    allocators.register(stream, descriptor)
    result = acl.aclrtAllocatorUnregister(stream=stream)
    expect.success(result)
    allocators.expect_not_registered(stream)
    allocators.expect_registered(other_stream, descriptor)


@covers("allocator_register.per_stream", uses=["aclrtAllocatorUnregister"])
def test_unregister_leaves_other_streams(acl, allocators, expect, stream, other_stream):
    """When one stream's allocator is removed, the other stream keeps its own."""
    allocators.registered(stream)
    second = allocators.registered(other_stream)
    result = acl.aclrtAllocatorUnregister(stream=stream)
    expect.success(result)
    allocators.expect_not_registered(stream)
    allocators.expect_registered(other_stream, second)


@covers("allocator_register.per_stream")
def test_one_descriptor_for_two_streams(acl, allocators, expect, stream, other_stream):
    """A descriptor with new contents, registered for a second stream, does not change the first one's."""
    descriptor = allocators.registered(stream)
    other = allocators.replaced(descriptor)
    result = acl.aclrtAllocatorRegister(stream=other_stream, allocatorDesc=descriptor.handle)
    expect.success(result)
    allocators.expect_all_registered([stream, other_stream], [descriptor, other])


@covers("allocator_register.per_stream")
def test_stream_without_allocator(acl, allocators, expect, stream, other_stream):
    """A registration for one stream gives no allocator to another."""
    descriptor = allocators.complete()
    result = acl.aclrtAllocatorRegister(stream=stream, allocatorDesc=descriptor.handle)
    expect.success(result)
    allocators.expect_not_registered(other_stream)


@covers("allocator_register.scenario", "allocator_register.not_used_by_malloc")
def test_memory_calls_do_not_use_it(allocators, stream):
    """Allocations, fills, copies and pools on the stream work, and never call the allocator."""
    descriptor = allocators.registered(stream)
    results = allocators.work(stream)
    allocators.expect_uncalled(results, descriptor)


@covers("allocator_register.dangling_stream", uses=["aclrtAllocatorUnregister"])
def test_dangling_stream(allocators, expect, acl):
    """What the query gives for a destroyed stream with an allocator is recorded."""
    stream = allocators.destroyed_stream(allocator=True)
    result = acl.call("aclrtAllocatorGetByStream", stream=stream)
    expect.observed(result)


@covers("allocator_register.threads", uses=["aclrtAllocatorUnregister"])
@deadline(120)
def test_threads(allocators, expect):
    """Eight threads that register, ask and unregister, each for its own stream, get what is theirs."""
    problems = allocators.rounds_in_threads(8, allocators.thread_rounds)
    expect.true("what went wrong", problems, [])
