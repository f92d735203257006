"""aclrtCheckMemType: whether addresses are memory of a type."""

from __future__ import annotations

import pytest

from harness.plugin import covers
from suites.memory.alloc.memory_types import DEVICE, DVPP, RESERVED

PLACES = pytest.mark.parametrize("place", [0, 1, 2, 64], ids=["first", "middle", "last", "last-of-65"])


@covers("check_mem_type.match_dev")
@pytest.mark.parametrize("count", [1, 3, 64])
def test_match_dev(acl, types, count):
    """Blocks of aclrtMalloc are device memory."""
    result = acl.aclrtCheckMemType(**types.question(types.blocks(count), DEVICE))
    types.expect_match(result)


@covers("check_mem_type.match_dev")
def test_every_source_is_device_memory(acl, types):
    """Blocks of every allocation function are device memory."""
    result = acl.aclrtCheckMemType(**types.question(types.blocks_of_every_source(), DEVICE))
    types.expect_match(result)


@covers("check_mem_type.match_dev")
def test_inside_a_block(acl, types):
    """Addresses inside a block of aclrtMalloc, the last one included, are device memory."""
    result = acl.aclrtCheckMemType(**types.question(types.inside_a_block(), DEVICE))
    types.expect_match(result)


@covers("check_mem_type.mismatch")
@pytest.mark.parametrize("count", [1, 3])
def test_mismatch(acl, types, count):
    """Blocks of aclrtMalloc are no media memory, and that is no error."""
    result = acl.aclrtCheckMemType(**types.question(types.blocks(count), DVPP))
    types.expect_no_match(result)


@covers("check_mem_type.match_rsvd")
def test_match_rsvd(acl, types):
    """An address of a reservation is reserved memory."""
    result = acl.aclrtCheckMemType(**types.question([types.reserved()], RESERVED))
    types.expect_match(result)


@covers("check_mem_type.mixed_or")
@PLACES
def test_mixed_needs_both_types(acl, types, place):
    """A list with an address of a second type does not match the first type alone, wherever it stands."""
    result = acl.aclrtCheckMemType(**types.question(types.blocks_and_reserved(place), DEVICE))
    types.expect_no_match(result)


@covers("check_mem_type.mixed_or")
@PLACES
def test_mixed_does_not_match_the_other_type(acl, types, place):
    """A list with addresses of two types does not match the second type alone."""
    result = acl.aclrtCheckMemType(**types.question(types.blocks_and_reserved(place), RESERVED))
    types.expect_no_match(result)


@covers("check_mem_type.mixed_or")
@PLACES
def test_mixed_matches_both_types(acl, types, place):
    """A list with addresses of two types matches both types together."""
    result = acl.aclrtCheckMemType(**types.question(types.blocks_and_reserved(place), DEVICE | RESERVED))
    types.expect_match(result)
