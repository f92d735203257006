"""aclrtAllocatorUnregister: removing an allocator; the founding promise that doing so again is harmless."""

from __future__ import annotations

import pytest

from harness.plugin import covers


@covers("allocator_unregister.ok")
def test_unregister(acl, allocators, expect, stream):
    """An allocator is removed."""
    allocators.registered(stream)
    result = acl.aclrtAllocatorUnregister(stream=stream)
    expect.success(result)
    allocators.expect_not_registered(stream)


@covers("allocator_unregister.ok")
def test_register_after_unregister(acl, allocators, expect, stream):
    """After its removal another allocator can be registered for the stream."""
    allocators.registered(stream)
    result = acl.aclrtAllocatorUnregister(stream=stream)
    expect.success(result)
    allocators.expect_registered_anew(stream)


@covers("allocator_unregister.not_registered")
def test_stream_without_allocator(acl, allocators, expect, stream, other_stream):
    """A stream without an allocator is no error, and other streams keep theirs."""
    other = allocators.registered(other_stream)
    result = acl.aclrtAllocatorUnregister(stream=stream)
    expect.success(result)
    allocators.expect_registered(other_stream, other)


@covers("allocator_unregister.repeat")
@pytest.mark.parametrize("count", [3, 100])
def test_repeat(allocators, stream, count):
    """Removing again and again is no error."""
    allocators.registered(stream)
    results = allocators.times(count, "aclrtAllocatorUnregister", stream=stream)
    allocators.expect_all_success(results)


@covers("allocator_unregister.repeat")
def test_register_after_repeat(allocators, stream):
    """After repeated removals an allocator can be registered, and one removal is enough again."""
    allocators.registered(stream)
    results = allocators.times(3, "aclrtAllocatorUnregister", stream=stream)
    allocators.expect_all_success(results)
    allocators.expect_registered_anew(stream)


@covers("allocator_unregister.destroyed_stream")
@pytest.mark.parametrize("allocator", [True, False], ids=["with-allocator", "without-allocator"])
def test_destroyed_stream(acl, allocators, expect, allocator):
    """A stream that is no more is no error, and no allocator is left for it."""
    stream = allocators.destroyed_stream(allocator)
    result = acl.aclrtAllocatorUnregister(stream=stream)
    expect.success(result)
    allocators.expect_not_registered(stream)


@covers("allocator_unregister.destroyed_stream")
def test_destroyed_stream_twice(allocators):
    """Removing again and again for a stream that is no more is no error."""
    stream = allocators.destroyed_stream(allocator=True)
    results = allocators.times(3, "aclrtAllocatorUnregister", stream=stream)
    allocators.expect_all_success(results)


@covers("allocator_unregister.before_allocator_destroy", uses=["aclrtAllocatorRegister"])
def test_object_is_gone(acl, allocators, expect, memory, stream):
    """What the call gives when the allocator's object has gone is recorded; its memory is left alone."""
    gone = memory.pageable(64)
    allocators.registered(stream, obj=gone.ptr)
    result = acl.aclrtAllocatorUnregister(stream=stream)
    expect.observed(result, corrupted=[gone])
