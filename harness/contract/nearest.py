"""What somebody may have meant who wrote a name that is not known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_MOST = 3
_LONGEST = 80
"""Letters of the longest name that is looked at; no name of the contract is longer."""


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """The known names that are most like it, the likest first; none where none is much like it."""
    if len(name) > _LONGEST:
        return []
    by_small = {each.lower(): each for each in known}
    found = difflib.get_close_matches(name.lower(), by_small, _MOST)
    return [by_small[small] for small in found]


def perhaps(name: str, known: Iterable[str]) -> str:
    """The nearest names as the end of an error's line: `; perhaps a, b`. Nothing where there are none."""
    found = nearest(name, known)
    return f"; perhaps {', '.join(found)}" if found else ""
