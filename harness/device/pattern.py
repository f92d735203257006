"""Bytes that tell where they belong."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Bytes: TypeAlias = npt.NDArray[np.uint8]

GUARD_BYTE = 0xEE
"""What guard bands and fresh blocks hold; no pattern ever does."""
# No pattern holds them: nor 0, which is what memory holds that nobody has written.
_NEVER = (GUARD_BYTE, 0)

# Coprime with every power of two, so that no block, row or page boundary repeats the pattern.
_PERIOD = 65521


# The longest pattern that is kept for the cases that follow, in bytes, and how many are. Most blocks are no
# longer: it is a granule of physical memory.
_LONGEST_KEPT = 2 << 20
_KEPT = 12


def pattern(size: int, seed: int = 0) -> Bytes:
    """`size` bytes, not to be written to, that depend on their offset and on `seed`; none is GUARD_BYTE or 0.

    Neighbouring bytes, rows and pages differ, and so do the patterns of two seeds at the same offset, so that
    bytes that were lost, doubled or came from the wrong place show.
    """
    if size <= _PERIOD:
        return _period(seed)[:size]
    if size > _LONGEST_KEPT:
        return _repeated(size, seed)
    return _long(seed)[:size]


def share_patterns(seeds: int) -> None:
    """Work out the patterns of the first seeds: the processes that are forked from this one share them."""
    for seed in range(seeds):
        _long(seed)


@lru_cache(maxsize=64)
def _period(seed: int) -> Bytes:
    head = np.arange(_PERIOD, dtype=np.uint32)
    mixed = (head + np.uint32(seed * 40503 & 0xFFFFFFFF)) * np.uint32(2654435761)
    period: Bytes = (mixed >> np.uint32(24)).astype(np.uint8) ^ head.astype(np.uint8)
    period[np.isin(period, _NEVER)] = 0x11
    period.setflags(write=False)
    return period


@lru_cache(maxsize=_KEPT)
def _long(seed: int) -> Bytes:
    return _repeated(_LONGEST_KEPT, seed)


def _repeated(size: int, seed: int) -> Bytes:
    whole = np.resize(_period(seed), size)
    whole.setflags(write=False)
    return whole
