"""Names that no other process and no earlier case uses."""

from __future__ import annotations

import itertools
import os

_numbers = itertools.count()


def fresh_name(length: int = 0) -> str:
    """A name of its own for this call, filled up to `length` characters where that is more."""
    return f"channel-{os.getpid()}-{next(_numbers)}-".ljust(length, "x")
