"""Arguments of the batch copies: pieces, and the attribute entries that describe ranges of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Location: TypeAlias = dict[str, Any]
Entries: TypeAlias = dict[int, dict[str, Any]]
"""Attribute entries by the first piece that each governs."""

SIZE_MAX = 2**64 - 1
"""What failIndex says when no piece is to blame."""

PIECE_LIMIT = 4096
"""Most pieces of one batch that the public implementation takes."""

HOST: Location = {"type": "ACL_MEM_LOCATION_TYPE_HOST", "id": 0}
"""Location of host memory; the id has no meaning there."""


def on_device(device: int) -> Location:
    """Location of memory of a device."""
    return {"type": "ACL_MEM_LOCATION_TYPE_DEVICE", "id": device}


def entry(source: Location, target: Location) -> dict[str, Any]:
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
    """The arguments of one batch call: pieces, and the entries that say where they are.

    `unused` pieces stand in the arrays behind the last one that counts; `spare` is what destMaxs say more
    than sizes.
    """

    pieces: Sequence[Piece]
    entries: Entries = field(default_factory=dict)
    unused: Sequence[Piece] = ()
    spare: int = 0

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments under the names of the C parameters, without failIndex and stream."""
        listed = [*self.pieces, *self.unused]
        return {
            "dsts": [piece.target for piece in listed],
            "destMaxs": [piece.size + self.spare for piece in listed],
            "srcs": [piece.source for piece in listed],
            "sizes": [piece.size for piece in listed],
            "numBatches": len(self.pieces),
            "attrs": list(self.entries.values()),
            "attrsIndexes": list(self.entries),
            "numAttrs": len(self.entries),
        }
