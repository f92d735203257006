"""Handles mapped side by side, and copies that cross the borders between them."""

from __future__ import annotations

from collections.abc import Sequence

from harness.plugin import Block
from suites.memory.copy.layout import Plan, Transfer
from suites.memory.virtual.properties import GRANULE, KIB
from suites.memory.virtual.space import Space

AT_SOURCE, AT_TARGET, BOTH = "source", "target", "both"

_CROSSINGS = ((GRANULE, 1, 1), (2 * GRANULE, 4096, 4096))
"""Border, bytes in front of it, bytes behind it."""

_FAR = 512 * KIB
"""Places of the plain windows: far from every border."""

_SIZE = 3 * GRANULE


def across_borders(side: str, aligned: bool = False) -> Plan:
    """A plan between two ranges of three granules: one copy crosses by a byte on each side, one by 4096.

    `side` says where the border is crossed. Where it is crossed on one side only, the other window lies
    inside a handle; `aligned` moves that one to a border of 64 bytes.
    """
    skew = 0 if aligned else 5
    transfers = []
    for border, before, behind in _CROSSINGS:
        crossing = border - before
        inside = border - _FAR + skew
        source = inside if side == AT_TARGET else crossing
        target = inside if side == AT_SOURCE else crossing
        transfers.append(Transfer(source, target, before + behind))
    return Plan(tuple(transfers), _SIZE, _SIZE)


def side_by_side(space: Space, sizes: Sequence[int], room: int) -> list[Block]:
    """Pieces of different sizes without a gap between them, a granule behind the start of a larger range."""
    place, blocks = space.range(room) + GRANULE, []
    for size in sizes:
        blocks.append(space.map(place, space.handle(size), size))
        place += size
    return blocks
