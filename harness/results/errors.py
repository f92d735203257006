"""The one error of this room."""

from __future__ import annotations

from pathlib import Path


class ResultsError(Exception):
    """A results folder or file that cannot be used; the text is one line: where, what, what to do."""

    def __init__(self, where: Path | str, what: str, line: int | None = None) -> None:
        place = f"{where}:{line}" if line is not None else str(where)
        super().__init__(" ".join(f"{place}: {what}".split()))
