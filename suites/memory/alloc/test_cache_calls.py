"""aclrtMemFlush and aclrtMemInvalidate: calls that memory of this generation does not need."""

from __future__ import annotations

import pytest

from harness.plugin import covers_each, pattern
from suites.memory.alloc.sizes import CACHED, MALLOC
from suites.memory.virtual.properties import KIB, MIB

CACHE_CALLS = ("aclrtMemFlush", "aclrtMemInvalidate")


@covers_each("not_needed", *CACHE_CALLS)
@pytest.mark.parametrize("source", [MALLOC, CACHED])
def test_cache_call_keeps_data(api, acl, allocations, source):
    """The call is accepted, or not supported, and changes nothing of what a copy reads."""
    block = allocations.taken(MIB, api=source).write(pattern(MIB, 1))
    result = acl.call(api, devPtr=block.ptr, size=MIB)
    allocations.expect_kept(result, block)


@covers_each("not_needed", *CACHE_CALLS)
def test_cache_call_inside_a_block(api, acl, allocations):
    """A call for some bytes in the middle changes nothing of what a copy reads."""
    block = allocations.taken(64 * KIB, api=CACHED).write(pattern(64 * KIB, 1))
    result = acl.call(api, devPtr=block.at(4 * KIB), size=100)
    allocations.expect_kept(result, block)
