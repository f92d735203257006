"""Where the bytes of a linear copy lie: windows spread over two blocks, and the image the copies must leave.

A *plan* is a list of transfers between a source block and a target block. Every transfer has a window of
its own in both, with untouched bytes before and after it, so that one look at the whole target shows a
lost last byte, a byte too many, a rounded length and a rounded address alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]

KIB = 1024
MIB = 1024 * KIB

BORDER = 64
"""Bytes between two windows at least; also the alignment that skews are counted from."""

COUNTS = (1, 3, 31, 32, 33, 63, 64, 65, 4095, 4096, 4097)
"""Lengths round the borders at which an implementation may switch its method or round."""

LARGE_COUNTS = (1 * MIB, 2 * MIB + 7)
"""Lengths above the small page and above the huge page, the second one odd."""

BULK = 9 * MIB + 5
"""A length above the pieces, of 1 to 8 MiB, in which an implementation may hand a copy on."""

IN_FLIGHT = 1100
"""Copies that are more than a queue of 1024 takes."""

Skews = tuple[Sequence[int], Sequence[int]]

ALIGNED: Skews = ((0,), (0,))
"""Skews of source and target windows that all start on a 64-byte border."""

ODD: Skews = ((1, 33, 7, 63, 0, 31), (3, 1, 32, 0, 63, 13, 47))
"""Skews of source and target windows; the lists' lengths have no common factor, so that every pair meets."""

LEVEL: Skews = ((1, 5, 33, 63), (1, 5, 33, 63))
"""Skews of windows that are unaligned by the same distance in source and target."""

LEVEL_COUNTS = (65, 127, 4097) * 4
"""Lengths above a border's distance; their number and that of the level skews have no common factor."""


@dataclass(frozen=True)
class Transfer:
    """`count` bytes from offset `source` of one block to offset `target` of another."""

    source: int
    target: int
    count: int

    def __str__(self) -> str:
        return f"{self.count} bytes from +{self.source} to +{self.target}"


@dataclass(frozen=True)
class Plan:
    """Transfers with the sizes of the two blocks they need."""

    transfers: tuple[Transfer, ...]
    source_size: int
    target_size: int

    def arguments(self, source: int, target: int, spare: int = 0) -> list[dict[str, int]]:
        """dst, destMax, src and count of each transfer between blocks at these addresses.

        destMax is the transfer's own count and `spare` bytes more, or less.
        """
        return [
            {
                "dst": target + move.target,
                "destMax": move.count + spare,
                "src": source + move.source,
                "count": move.count,
            }
            for move in self.transfers
        ]

    def image(self, before: Bytes, source: Bytes, start: int = 0) -> Bytes:
        """What the target block holds from `start` on when these transfers were made into `before`."""
        after = before.copy()
        for transfer in self.transfers:
            first = max(transfer.target, start)
            end = min(transfer.target + transfer.count, start + after.size)
            if first < end:
                shift = transfer.source - transfer.target
                after[first - start : end - start] = source[first + shift : end + shift]
        return after

    def place(self, offset: int) -> str:
        """Which transfer an offset of the target block belongs to, in words for a failure message."""
        for index, transfer in enumerate(self.transfers):
            inside = offset - transfer.target
            if 0 <= inside < transfer.count:
                return f"byte {inside} of transfer {index} ({transfer})"
            if -BORDER <= inside < 0:
                return f"{-inside} bytes in front of transfer {index} ({transfer})"
            if transfer.count <= inside < transfer.count + BORDER:
                return f"{inside - transfer.count} bytes behind the end of transfer {index} ({transfer})"
        return "outside every transfer"


def windows(counts: Iterable[int], skews: Sequence[int]) -> tuple[list[int], int]:
    """Offsets for windows of these lengths, `skews` past 64-byte borders in turn, and the size they need."""
    offsets = []
    end = 0
    for count, skew in zip(counts, cycle(skews), strict=False):
        border = -(-(end + BORDER) // BORDER) * BORDER
        offsets.append(border + skew)
        end = border + skew + count
    return offsets, end + BORDER


def spread(counts: Sequence[int], skews: Skews = ALIGNED) -> Plan:
    """A plan of one transfer per count, windows skewed from 64-byte borders as told."""
    sources, source_size = windows(counts, skews[0])
    targets, target_size = windows(counts, skews[1])
    transfers = tuple(map(Transfer, sources, targets, counts))
    return Plan(transfers, source_size, target_size)
