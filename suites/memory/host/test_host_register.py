"""aclrtHostRegister and aclrtHostRegisterV2: which memory can be registered, and what that makes of it."""

from __future__ import annotations

import pytest

from harness.plugin import covers, deadline, isolated
from suites.memory.host.registrations import (
    BOTH,
    LARGE_PAGE,
    MAPPED,
    NEIGHBOURS,
    OVERLAPS,
    PAGE,
    PINNED,
    REGISTER,
    REGISTER_V2,
)
from suites.memory.virtual.properties import KIB, MIB

SIZES = pytest.mark.parametrize(
    "size", [1, PAGE, 5000, MIB + PAGE, 5 * MIB], ids=["1", "4KiB", "5000", "1MiB+4KiB", "5MiB"]
)
OFFSETS = pytest.mark.parametrize("offset", [0, PAGE + 1], ids=["whole", "inside"])
COPY_KINDS = pytest.mark.parametrize("kind", ["DEVICE_TO_DEVICE", "DEFAULT"])


@covers("host_register.mapped_ok", uses=["aclrtHostUnregister"])
@SIZES
def test_mapped(acl, registrations, size):
    """A page-locked block is registered with a device pointer, and the registration can be undone."""
    block = registrations.pages(size, "pinned")
    result = acl.aclrtHostRegister(**registrations.request(REGISTER, block))
    registrations.expect_registered(REGISTER, result, block)


@covers("host_register_v2.mapped_then_pointer", uses=["aclrtHostUnregister"])
@SIZES
def test_v2_mapped(acl, registrations, size):
    """A page-locked block is registered, has a device pointer, and the registration can be undone."""
    block = registrations.pages(size, "pinned")
    result = acl.aclrtHostRegisterV2(**registrations.request(REGISTER_V2, block))
    registrations.expect_registered(REGISTER_V2, result, block)


@covers("host_register.pageable_new_kernel", uses=["aclrtHostUnregister"])
@SIZES
def test_pageable(acl, registrations, size):
    """On a newer kernel memory of the C library is registered, and the registration can be undone."""
    registrations.needs_kernel(newer=True)
    block = registrations.pages(size)
    result = acl.aclrtHostRegister(**registrations.request(REGISTER, block))
    registrations.expect_registered(REGISTER, result, block)


@covers("host_register.pageable_old_kernel")
def test_pageable_on_an_old_kernel(acl, registrations, expect):
    """On an older kernel, what registering memory of the C library gives is recorded."""
    registrations.needs_kernel(newer=False)
    block = registrations.pages(MIB)
    result = acl.aclrtHostRegister(**registrations.request(REGISTER, block))
    expect.observed(result, corrupted=[block])


@covers("host_register.pageable_new_kernel", uses=["aclrtHostUnregister", "aclrtMemcpyAsync"])
def test_pageable_off_the_large_page(acl, registrations, memory, stream):
    """A range that starts a page behind a border of 64 KiB is registered from its first to its last byte."""
    registrations.needs_kernel(newer=True)
    block, target = registrations.pages(MIB, border=LARGE_PAGE, behind=PAGE), memory.device(MIB)
    result = acl.aclrtHostRegister(**registrations.request(REGISTER, block))
    registrations.expect_edges_copied(result, block, target, stream)


@covers("host_register.pageable_new_kernel", uses=["aclrtHostUnregister"])
def test_register_after_a_refusal(acl, registrations):
    """A range whose registration was refused is registered by a valid call."""
    registrations.needs_kernel(newer=True)
    block = registrations.refused(REGISTER, registrations.pages(64 * KIB))
    result = acl.aclrtHostRegister(**registrations.request(REGISTER, block))
    registrations.expect_registered(REGISTER, result, block)


@covers("host_register_v2.mapped_then_pointer", uses=["aclrtHostUnregister"])
def test_v2_register_after_a_refusal(acl, registrations):
    """A range whose registration was refused is registered by a valid call."""
    block = registrations.refused(REGISTER_V2, registrations.pages(64 * KIB, "pinned"))
    result = acl.aclrtHostRegisterV2(**registrations.request(REGISTER_V2, block))
    registrations.expect_registered(REGISTER_V2, result, block)


@covers("host_register.mapped_ok", uses=["aclrtHostUnregister"])
def test_register_after_a_failure(acl, registrations):
    """A range whose registration has failed in the driver is registered by the next call."""
    block = registrations.refused_once_by_the_driver(REGISTER, registrations.pages(64 * KIB, "pinned"))
    result = acl.aclrtHostRegister(**registrations.request(REGISTER, block))
    registrations.expect_registered(REGISTER, result, block)


@covers("host_register.pageable_new_kernel", "host_register_v2.pinned", uses=["aclrtMemcpyAsync"])
@isolated("changes the lock limit of the process")
@pytest.mark.parametrize("api", BOTH)
def test_small_lock_limit(acl, registrations, memory, stream, small_lock_limit, api):
    """Under a small lock limit a range is refused, but a page is not, or the range is copied right."""
    registrations.needs_kernel(newer=True)
    block, target = registrations.pages(MIB), memory.device(MIB)
    result = acl.call(api, **registrations.request(api, block, PINNED))
    registrations.expect_right_copies(result, api, block, target, stream)


@covers("host_register.twice", uses=["aclrtHostUnregister"])
@pytest.mark.parametrize("first", BOTH)
def test_twice(acl, registrations, first):
    """A second registration is refused, and the first one stays as it is."""
    block = registrations.made(first, registrations.pages(64 * KIB, "pinned"))
    pointer = registrations.pointer(block.ptr)
    result = acl.aclrtHostRegister(**registrations.request(REGISTER, block))
    registrations.expect_intact(result, block, pointer)


@covers("host_register.twice", uses=["aclrtHostUnregister"])
def test_error_is_told_once(acl, registrations):
    """The error of a refused second registration does not come back from a later call."""
    block = registrations.made(REGISTER, registrations.pages(64 * KIB, "pinned"))
    result = acl.aclrtHostRegister(**registrations.request(REGISTER, block))
    registrations.expect_error_told_once(result, block)


@covers("host_register_v2.overlap", uses=["aclrtHostUnregister"])
@pytest.mark.parametrize(("start", "count"), OVERLAPS.values(), ids=OVERLAPS)
def test_overlap(acl, registrations, start, count):
    """A range that overlaps a registered one is refused, and the first registration stays as it is."""
    whole = registrations.pages(32 * PAGE, "pinned")
    block = registrations.made(REGISTER_V2, registrations.part(whole, 8, 16))
    pointer = registrations.pointer(block.ptr)
    second = registrations.part(whole, 8 + start, count)
    result = acl.aclrtHostRegisterV2(**registrations.request(REGISTER_V2, second))
    registrations.expect_intact(result, block, pointer)


@covers("host_register_v2.mapped_then_pointer", uses=["aclrtHostUnregister"])
@pytest.mark.parametrize(("start", "count"), NEIGHBOURS.values(), ids=NEIGHBOURS)
def test_neighbours(acl, registrations, start, count):
    """A range right beside a registered one is registered on its own."""
    whole = registrations.pages(32 * PAGE, "pinned")
    block = registrations.made(REGISTER_V2, registrations.part(whole, 8, 16))
    second = registrations.part(whole, 8 + start, count)
    result = acl.aclrtHostRegisterV2(**registrations.request(REGISTER_V2, second))
    registrations.expect_both(result, block, second)


@covers("host_register.mapped_ok", "host_register_v2.mapped_then_pointer", uses=["aclrtHostUnregister"])
def test_hundred_ranges(registrations):
    """A hundred pages are registered by both calls in turn, each with a device pointer of its own."""
    blocks = registrations.single_pages(100)
    results = registrations.register(blocks)
    registrations.expect_all_registered(results, blocks)


@covers("host_register_v2.mapped_or_pinned", uses=["aclrtHostUnregister"])
def test_mapped_and_pinned(acl, registrations):
    """Memory of the C library can be pinned and mapped at once."""
    block = registrations.pages(64 * KIB)
    both = registrations.flags(MAPPED, PINNED)
    result = acl.aclrtHostRegisterV2(**registrations.request(REGISTER_V2, block, both))
    registrations.expect_registered(REGISTER_V2, result, block)


@covers("host_register_v2.pinned", uses=["aclrtMemcpyAsync", "aclrtHostUnregister"])
@pytest.mark.parametrize("flags", [[PINNED], [PINNED, MAPPED]], ids=["pinned", "pinned-mapped"])
@OFFSETS
@deadline(10)
def test_copy_from_pinned_returns_early(copies, registrations, memory, stream, blocked_stream, flags, offset):
    """A copy from registered memory comes back while its stream is held, and is right in the end."""
    block = registrations.made(REGISTER_V2, registrations.pages(MIB), registrations.flags(*flags))
    trial = copies.from_block(registrations.rest(block, offset), memory.device(MIB))
    with blocked_stream(stream) as hold:
        copies.submit("aclrtMemcpyAsync", trial, stream=stream)
        copies.expect_deferred(trial, hold)


@covers("host_register_v2.pinned", uses=["aclrtMemcpyAsync", "aclrtHostUnregister"])
@OFFSETS
@deadline(10)
def test_copy_to_pinned_returns_early(copies, registrations, memory, stream, blocked_stream, offset):
    """A copy to registered memory comes back while its stream is held, and is right in the end."""
    block = registrations.rest(registrations.made(REGISTER_V2, registrations.pages(MIB), PINNED), offset)
    trial = copies.from_block(memory.device(block.size), block)
    with blocked_stream(stream) as hold:
        copies.submit("aclrtMemcpyAsync", trial, stream=stream)
        copies.expect_deferred(trial, hold)


@covers("host_register.devptr_not_for_copy", "host_register.mapped_ok", uses=["aclrtMemcpy"])
@COPY_KINDS
def test_copy_from_device_pointer(registrations, memory, kind):
    """What a copy from the device pointer gives is recorded; where it works it moves what is there now."""
    block = registrations.made(REGISTER, registrations.pages(64 * KIB, "pinned"))
    target, pointer = memory.device(block.size), registrations.pointer(block.ptr)
    data = registrations.changed(block)
    result = registrations.copy(target.ptr, pointer, block.size, kind)
    registrations.expect_same_bytes(
        result, target, data, "host_register.devptr_not_for_copy", "host_register.mapped_ok"
    )


@covers("host_register.devptr_not_for_copy", "host_register.mapped_ok", uses=["aclrtMemcpy"])
@COPY_KINDS
def test_copy_to_device_pointer(registrations, memory, kind):
    """What a copy to the device pointer gives is recorded; where it works the host sees the bytes."""
    block = registrations.made(REGISTER, registrations.pages(64 * KIB, "pinned"))
    source, pointer = memory.device(block.size), registrations.pointer(block.ptr)
    data = registrations.changed(source)
    result = registrations.copy(pointer, source.ptr, block.size, kind)
    registrations.expect_same_bytes(
        result, block, data, "host_register.devptr_not_for_copy", "host_register.mapped_ok"
    )


@covers("host_register.query_forbidden", uses=["aclrtPointerGetAttributes"])
def test_attributes_of_device_pointer(acl, registrations, expect):
    """What the query gives for the device pointer is recorded; the registered block is unharmed."""
    block = registrations.made(REGISTER, registrations.pages(64 * KIB, "pinned"))
    result = acl.aclrtPointerGetAttributes(ptr=registrations.pointer(block.ptr))
    expect.observed(result, corrupted=[block])
