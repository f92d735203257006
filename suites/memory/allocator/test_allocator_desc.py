"""Descriptors of allocators: making them, filling them, destroying them."""

from __future__ import annotations

from harness.plugin import covers, covers_each, isolated
from suites.memory.allocator.hooks import SETTERS


@covers("allocator_create_desc.ok")
def test_create(acl, allocators):
    """A descriptor is given that can be destroyed."""
    result = acl.aclrtAllocatorCreateDesc()
    allocators.expect_descriptor(result)


@covers("allocator_create_desc.independent")
def test_descriptors_differ(allocators):
    """Every call gives a descriptor of its own."""
    results = allocators.times(16, "aclrtAllocatorCreateDesc")
    allocators.expect_descriptors_differ(results)


@covers("allocator_create_desc.no_context")
@isolated("before aclInit")
def test_create_before_init(bare, expect, afterwards):
    """A descriptor is given before aclInit."""
    result = bare.aclrtAllocatorCreateDesc()
    expect.true("a descriptor that is not null", result.ok and result.value != 0)
    afterwards("aclrtAllocatorDestroyDesc", allocatorDesc=result.value)


@covers_each("ok", *SETTERS)
def test_set(api, acl, case, allocators, stream):
    """A setting is accepted, and comes back once the descriptor is registered."""
    descriptor = allocators.complete(without=[api])
    result = acl.call(api, allocatorDesc=descriptor.handle, **descriptor.argument(api))
    allocators.expect_comes_back(result, api, stream, descriptor)


@covers_each("overwrite", *SETTERS)
def test_set_again(api, acl, allocators, expect, stream):
    """A second setting replaces the first one, and no other."""
    descriptor = allocators.complete()
    other = allocators.other_values(descriptor)
    result = acl.call(api, allocatorDesc=descriptor.handle, **other.argument(api))
    expect.success(result)
    allocators.register(stream, descriptor)
    allocators.expect_registered(stream, descriptor, but={api: other})


@covers("allocator_destroy_desc.after_register", uses=["aclrtAllocatorRegister"])
def test_destroy_after_register(acl, allocators, expect, stream):
    """A descriptor can be destroyed once it is registered, and the registration stays."""
    descriptor = allocators.registered(stream)
    result = acl.aclrtAllocatorDestroyDesc(allocatorDesc=descriptor.handle)
    expect.success(result)
    allocators.expect_registered(stream, descriptor)
