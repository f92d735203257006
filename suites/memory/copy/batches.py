"""Arguments of the batch copies: pieces, the attribute entries that describe them, and ranges of pieces per entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

SIZE_MAX = 2**64 - 1
"""What failIndex says when no piece is to blame."""

PIECE_LIMIT = 4096
"""Most pieces of one batch that the public implementation takes."""

HOST = {"type": "ACL_MEM_LOCATION_TYPE_HOST", "id": 0}
"""Location of host memory; the id has no meaning there."""


def on_device(device: int) -> dict[str, Any]:
    """Location of memory of a device."""
    return {"type": "ACL_MEM_LOCATION_TYPE_DEVICE", "id": device}


def entry(source: dict[str, Any], target: dict[str, Any]) -> dict[str, Any]:
    """One attribute entry: pieces go from `source` to `target`; every reserved byte is zero."""
    return {"srcLoc": source, "dstLoc": target, "rsv": [0] * 16}


@dataclass(frozen=True)
class Piece:
    """One copy of a batch, by addresses."""

    target: int
    source: int
    size: int


@dataclass
class Batch:
    """The arguments of one batch call; `entries` maps the first piece an entry governs to the entry."""

    pieces: Sequence[Piece]
    entries: dict[int, dict[str, Any]] = field(default_factory=dict)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments under the names of the C parameters, without failIndex and stream."""
        sizes = [piece.size for piece in self.pieces]
        return {
            "dsts": [piece.target for piece in self.pieces],
            "destMaxs": list(sizes),
            "srcs": [piece.source for piece in self.pieces],
            "sizes": sizes,
            "numBatches": len(sizes),
            "attrs": list(self.entries.values()),
            "attrsIndexes": list(self.entries),
            "numAttrs": len(self.entries),
        }
