"""aclrtHostUnregister: undoing registrations."""

from __future__ import annotations

import pytest

from harness.plugin import covers, isolated
from suites.memory.host.registrations import BOTH, PAGE, REGISTER
from suites.memory.virtual.properties import KIB


@covers("host_unregister.not_registered")
@pytest.mark.parametrize("kind", ["pinned", "pageable"])
def test_not_registered(acl, registrations, expect, kind):
    """Memory that was never registered is refused."""
    block = registrations.pages(64 * KIB, kind)
    result = acl.aclrtHostUnregister(ptr=block.ptr)
    expect.refused(result, unchanged=[block])


@covers("host_unregister.not_registered")
@pytest.mark.parametrize("api", BOTH)
def test_twice(acl, registrations, expect, api):
    """A registration that was undone cannot be undone again."""
    block = registrations.undone(registrations.made(api, registrations.pages(64 * KIB, "pinned")))
    result = acl.aclrtHostUnregister(ptr=block.ptr)
    expect.refused(result, unchanged=[block])


@covers("host_unregister.not_registered")
def test_beside_registered(acl, registrations):
    """Memory right behind a registered range is refused, and the registration stays."""
    whole = registrations.pages(24 * PAGE, "pinned")
    block = registrations.made(REGISTER, registrations.part(whole, 4, 16))
    pointer = registrations.pointer(block.ptr)
    result = acl.aclrtHostUnregister(ptr=block.at(16 * PAGE))
    registrations.expect_intact(result, block, pointer)


@covers("host_unregister.pairs_v1_v2")
@pytest.mark.parametrize("api", BOTH)
@pytest.mark.parametrize("kind", ["pinned", "pageable"])
def test_pairs(acl, registrations, api, kind):
    """A registration by either call is undone, once, and the memory can be registered again."""
    block = registrations.made(api, registrations.pages(64 * KIB, kind))
    result = acl.aclrtHostUnregister(ptr=block.ptr)
    registrations.expect_free_again(result, api, block)


@covers("host_unregister.pairs_v1_v2")
def test_leaves_other_registrations(acl, registrations):
    """Undoing one registration leaves another one as it is."""
    first, second = (registrations.made(api, registrations.pages(64 * KIB, "pinned")) for api in BOTH)
    result = acl.aclrtHostUnregister(ptr=first.ptr)
    registrations.expect_other_stays(result, second)


@covers("host_unregister.pairs_v1_v2")
@pytest.mark.parametrize("gone", [0, 1], ids=["first", "second"])
def test_leaves_the_range_beside_it(acl, registrations, gone):
    """Of two registered ranges that touch, undoing one leaves the other as it is."""
    whole = registrations.pages(32 * PAGE, "pinned")
    halves = [registrations.made(api, registrations.part(whole, 16 * n, 16)) for n, api in enumerate(BOTH)]
    result = acl.aclrtHostUnregister(ptr=halves[gone].ptr)
    registrations.expect_other_stays(result, halves[1 - gone])


@covers("host_unregister.pairs_v1_v2")
def test_leaves_many_others(registrations):
    """Of a hundred registrations by both calls, undoing some in between leaves the others as they are."""
    blocks = registrations.many(100)
    results = registrations.undo(blocks[1:60:2])
    registrations.expect_others_stay(results, [*blocks[60:], *blocks[:60:2]])


@covers("host_unregister.before_free", "host_register.mapped_ok", uses=["aclrtFreeHost"])
@isolated("releases memory that is registered")
def test_free_before_unregister(acl, registrations, host_blocks):
    """What releasing a registered block gives is recorded; blocks given later can be registered."""
    block = registrations.made(REGISTER, host_blocks.taken(64 * KIB))
    result = acl.aclrtFreeHost(hostPtr=block.ptr)
    registrations.expect_fresh_blocks_register(
        result, block.size, "host_unregister.before_free", "host_register.mapped_ok"
    )
