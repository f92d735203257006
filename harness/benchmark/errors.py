"""The one error of this room."""

from __future__ import annotations


class BenchmarkError(Exception):
    """A benchmark that cannot be run, or results that cannot be compared; one line: what, and what to do."""

    def __init__(self, text: str) -> None:
        super().__init__(" ".join(text.split()))
