"""aclrtAllocatorGetByStream: what is told about a stream's allocator."""

from __future__ import annotations

from harness.plugin import covers


@covers("allocator_get_by_stream.ok")
def test_all_outputs(acl, allocators, stream):
    """Descriptor, object and all callbacks are those that were registered."""
    descriptor = allocators.registered(stream)
    result = acl.aclrtAllocatorGetByStream(stream=stream)
    allocators.expect_told(result, descriptor)


@covers("allocator_get_by_stream.ok")
def test_query_changes_nothing(acl, allocators, expect, stream):
    """A second query tells the same."""
    descriptor = allocators.registered(stream)
    result = acl.aclrtAllocatorGetByStream(stream=stream)
    expect.success(result)
    allocators.expect_registered(stream, descriptor)


@covers("allocator_get_by_stream.ok")
def test_callbacks_can_be_called(acl, allocators, stream):
    """The callbacks that are told reach the functions that were registered."""
    descriptor = allocators.registered(stream)
    result = acl.aclrtAllocatorGetByStream(stream=stream)
    allocators.expect_reaches(result, descriptor)


@covers("allocator_get_by_stream.after_unregister")
def test_after_unregister(acl, allocators, expect, stream):
    """A stream whose allocator was removed has none."""
    allocators.registered(stream)
    expect.success(acl.aclrtAllocatorUnregister(stream=stream))
    result = acl.aclrtAllocatorGetByStream(stream=stream)
    expect.refused(result)


@covers("allocator_get_by_stream.desc_after_destroy")
def test_descriptor_after_destroy(acl, allocators, expect, stream):
    """What is told when the descriptor was destroyed is recorded."""
    descriptor = allocators.registered(stream)
    expect.success(allocators.destroy(descriptor))
    result = acl.aclrtAllocatorGetByStream(stream=stream)
    expect.observed(result)
    expect.observed(allocators.told(result, descriptor))
