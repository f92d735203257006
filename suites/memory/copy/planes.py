"""Two-dimensional copies: the geometry of source and target, and the image a pitched copy must leave."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]

HEIGHT_LIMIT = 5_242_880
"""Most rows of one 2-D copy, as the document says."""

WIDTH_LIMIT = 5_000_000
"""Most bytes in a row of one 2-D copy."""


@dataclass(frozen=True)
class Shape:
    """`height` rows of `width` bytes, `spitch` apart in the source and `dpitch` apart in the target."""

    width: int
    height: int
    spitch: int
    dpitch: int

    def __str__(self) -> str:
        return f"width {self.width}, height {self.height}, spitch {self.spitch}, dpitch {self.dpitch}"

    @property
    def source_size(self) -> int:
        """Bytes from the first to the last byte that is read."""
        return span(self.width, self.height, self.spitch)

    @property
    def target_size(self) -> int:
        """Bytes from the first to the last byte that is written."""
        return span(self.width, self.height, self.dpitch)

    @property
    def swapped(self) -> Shape:
        """The same rows with the two pitches exchanged."""
        return replace(self, spitch=self.dpitch, dpitch=self.spitch)

    def image(self, before: Bytes, source: Bytes) -> Bytes:
        """What the target holds when exactly these rows were copied into `before`; gaps and tail stay."""
        after = before.copy()
        rows(after, self.width, self.height, self.dpitch)[:] = rows(
            source, self.width, self.height, self.spitch
        )
        return after


@dataclass(frozen=True)
class PlanePlan:
    """One pitched copy between two blocks, with bytes in front of and behind the target that must stay.

    A `tight` one has neither: both blocks begin and end with bytes that are copied. Source and target start
    their `skews` past a border of 64 bytes.
    """

    shape: Shape
    tight: bool = False
    skews: tuple[int, int] = (0, 0)

    @property
    def source_lead(self) -> int:
        """Bytes in front of the first row of the source."""
        return 0 if self.tight else 64 + self.skews[0]

    @property
    def target_lead(self) -> int:
        """Bytes in front of the first row of the target."""
        return 0 if self.tight else 64 + self.skews[1]

    @property
    def source_size(self) -> int:
        """Bytes of the source block: more of its own lie behind the last byte that is read.

        What a target holds before a copy also surrounds every block: an overrun from there would not show.
        """
        behind = 0 if self.tight else self.shape.spitch + 64
        return self.source_lead + self.shape.source_size + behind

    @property
    def target_size(self) -> int:
        """Bytes of the target block: a whole row and more lie behind the last byte that is written."""
        behind = 0 if self.tight else self.shape.dpitch + 64
        return self.target_lead + self.shape.target_size + behind

    def arguments(self, source: int, target: int, spare: int = 0) -> list[dict[str, int]]:
        """The arguments of the one call; a pitched copy is not told how much room there is."""
        shape = self.shape
        return [
            {
                "dst": target + self.target_lead,
                "dpitch": shape.dpitch,
                "src": source + self.source_lead,
                "spitch": shape.spitch,
                "width": shape.width,
                "height": shape.height,
            }
        ]

    def image(self, before: Bytes, source: Bytes) -> Bytes:
        """What the target block holds when exactly the rows were copied into `before`."""
        after = before.copy()
        plane = after[self.target_lead :]
        plane[:] = self.shape.image(plane, source[self.source_lead :])
        return after

    def place(self, offset: int) -> str:
        """Row and column of an offset of the target block, in words for a failure message."""
        row, column = divmod(offset - self.target_lead, self.shape.dpitch)
        if not 0 <= row < self.shape.height:
            return f"outside the plane ({self.shape})"
        side = "" if column < self.shape.width else ", in the gap"
        return f"row {row}, column {column}{side} ({self.shape})"


def span(width: int, height: int, pitch: int) -> int:
    """Bytes from the first to the last one of rows a pitch apart; 0 where there is no row or no column."""
    return pitch * (height - 1) + width if width and height else 0


def rows(plane: Bytes, width: int, height: int, pitch: int) -> Bytes:
    """The rows of a pitched plane as a (height, width) view onto its bytes."""
    needed = span(width, height, pitch)
    if len(plane) < needed:
        have = len(plane)
        raise ValueError(f"{height} rows of {width} bytes at pitch {pitch} need {needed} bytes, not {have}")
    return np.lib.stride_tricks.as_strided(plane, shape=(height, width), strides=(pitch, 1))


GUIDE = Shape(width=100, height=50, spitch=128, dpitch=256)
"""The geometry of the rules' own examples."""

SHAPES = (
    GUIDE,
    GUIDE.swapped,
    Shape(1, 1, 1, 1),
    Shape(1, 65, 1, 2),
    Shape(1, 65, 2, 1),
    Shape(3, 2, 3, 5),
    Shape(10, 7, 32, 32),
    Shape(31, 5, 33, 64),
    Shape(33, 4, 65, 34),
    Shape(64, 3, 64, 64),
    Shape(65, 2, 66, 129),
    Shape(2, 70_001, 3, 5),
    Shape(256, 65, 1024, 256),
    Shape(4097, 3, 4099, 8192),
    Shape(70_001, 3, 70_003, 70_016),
)
"""Geometries whose mistakes all show: pitches equal and unequal, even and odd; many rows, one, one byte."""

LARGE = Shape((1 << 20) + 1, 8, (1 << 20) + 9, (1 << 20) + 4)
"""Rows that lie more than 1 MiB apart, of more than 8 MiB in all."""

SKEWS = ((3, 13), (0, 1), (32, 0), (6, 62))
"""How far source and target of a plane start behind a border, where neither need be aligned."""
