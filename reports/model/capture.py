"""Which calls can be captured into an ACL graph: the rules of type `capture`, function by function."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from reports.model.chapters import ChapterView, Tally, tally_of


class CaptureRow(NamedTuple):
    """A function with rules about capture: how they ended on every profile, in the report's column order."""

    name: str
    anchor: str
    tallies: list[Tally | None]


def capture_of(chapters: Iterable[ChapterView], columns: int) -> list[CaptureRow]:
    """The functions that have judged rules about capture, in the order of the matrix."""
    found = []
    for chapter in chapters:
        for function in chapter.functions:
            rows = [row for row in function.rules if row.type == "capture"]
            if rows:
                tallies = [tally_of(row.cells[column] for row in rows) for column in range(columns)]
                found.append(CaptureRow(function.name, function.anchor, tallies))
    return found
