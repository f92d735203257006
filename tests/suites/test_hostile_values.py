"""Hostile values fit the type they are given as."""

from __future__ import annotations

import pytest

from harness.contract import load
from suites.hostile import hostile_values


@pytest.mark.parametrize(
    ("api", "name", "largest"),
    [
        ("aclrtProcessReport", "timeout", 2**31 - 1),
        ("aclrtSetDevice", "deviceId", 2**31 - 1),
        ("aclrtMalloc", "size", 2**64 - 1),
    ],
)
def test_the_largest_value_is_one_of_the_type(api: str, name: str, largest: int) -> None:
    """As all bits of a signed number, it would be minus one, which a timeout takes for no bound at all."""
    param = next(each for each in load().function(api).params if each.name == name)
    maker = hostile_values(param)["the largest value"]
    assert maker(1000, None) == largest  # type: ignore[arg-type]
