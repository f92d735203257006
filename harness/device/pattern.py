"""Bytes that tell where they belong."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Bytes: TypeAlias = npt.NDArray[np.uint8]

# Coprime with every power of two, so that no block, row or page boundary repeats the pattern.
_PERIOD = 65521


def pattern(size: int, seed: int = 0) -> Bytes:
    """`size` bytes that depend on their offset and on `seed`.

    Neighbouring bytes, rows and pages differ, and so do the patterns of two seeds at the same offset, so that
    bytes that were lost, doubled or came from the wrong place show.
    """
    head = np.arange(min(size, _PERIOD), dtype=np.uint32)
    mixed = (head + np.uint32(seed * 40503 & 0xFFFFFFFF)) * np.uint32(2654435761)
    period: Bytes = (mixed >> np.uint32(24)).astype(np.uint8) ^ head.astype(np.uint8)
    if size <= _PERIOD:
        return period
    return np.resize(period, size)
