"""Why a benchmark could not be measured though nothing is wrong: what is not there cannot be fast or slow."""

from __future__ import annotations

import re

NO_SECOND_DEVICE = "there is no second device"

_ABSENT = "{} is not there"
_TOO_LARGE = "needs {} bytes of memory, there are {}"
_KINDS = [
    re.compile(re.escape(words).replace(r"\{\}", r"\w+")) for words in (NO_SECOND_DEVICE, _ABSENT, _TOO_LARGE)
]


def absent(function: str) -> str:
    """The product, or the library, has no such function."""
    return _ABSENT.format(function)


def too_large(needed: int, room: int) -> str:
    """So many bytes are not to be had."""
    return _TOO_LARGE.format(needed, room)


def not_to_be_had(reason: str) -> bool:
    """Whether a record's reason is one of these, and no failure."""
    return any(kind.fullmatch(reason) for kind in _KINDS)
