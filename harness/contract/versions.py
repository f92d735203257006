"""CANN versions and the ranges rules hold for.

A version is compared by its first two numbers only: "8.0", "8.0.0" and "8.0.RC3" are the same version here.
A range is `all`, `9.x` (any 9 release), or comparisons joined by commas: `>=8.2`, `>=8.1,<8.5`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from functools import lru_cache

from harness.contract.errors import ContractError

_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})(?:\.[0-9A-Za-z.]+)?")
_MAJOR = re.compile(r"(\d{1,4})\.x")
_COMPARISON = re.compile(r"(>=|<=|==|>|<)(\d{1,4})\.(\d{1,4})")
_OPERATORS: dict[str, Callable[[tuple[int, int], tuple[int, int]], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    ">": operator.gt,
    "<": operator.lt,
}

Comparison = tuple[str, tuple[int, int]]


@lru_cache(maxsize=256)
def parse_version(text: str) -> tuple[int, int]:
    """The (major, minor) of a CANN version such as "9.0" or "8.0.RC3"; ContractError for anything else."""
    match = _VERSION.fullmatch(text)
    if match is None:
        raise ContractError(f"{text!r} is not a CANN version: expected MAJOR.MINOR such as 9.0 or 8.0.RC3")
    return int(match[1]), int(match[2])


@lru_cache(maxsize=256)
def parse_range(text: str) -> tuple[Comparison, ...]:
    """The comparisons a range stands for, all of which must hold; ContractError for a malformed range."""
    if text == "all":
        return ()
    major = _MAJOR.fullmatch(text)
    if major is not None:
        number = int(major[1])
        return (">=", (number, 0)), ("<", (number + 1, 0))
    comparisons = []
    for part in text.split(","):
        match = _COMPARISON.fullmatch(part.strip())
        if match is None:
            raise ContractError(
                f"{text!r} is not a version range: expected all, 9.x, or comparisons such as >=8.2,<8.5"
            )
        comparisons.append((match[1], (int(match[2]), int(match[3]))))
    return tuple(comparisons)


@lru_cache(maxsize=4096)
def matches(range_text: str, version: str) -> bool:
    """Whether a CANN version lies in a range; ContractError where either is malformed."""
    parsed = parse_version(version)
    return all(_OPERATORS[sign](parsed, bound) for sign, bound in parse_range(range_text))
