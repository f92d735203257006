"""Making text that came from a driver fit to print: it may hold anything."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

ARGUMENT_LIMIT = 240
"""Characters of one call's arguments, or of one nested value, that a report shows."""

TEXT_LIMIT = 6_000
"""Characters of one reason, error text or log that a report shows."""

# Terminal control: OSC, DCS, PM and APC strings up to their end, then CSI sequences, then two-byte escapes.
_TERMINAL = re.compile(
    r"(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]{0,4096}(?:\x07|\x1b\\|\x9c)?"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|\x1b[ -/]*[0-~]?"
)
_KEPT = "\n\t"
# Marks that reorder or hide text: what is read would differ from what is there.
_BIDI = frozenset("\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff")
_SUSPECT = re.compile(r"[^\n\t -~]")


def clean(text: str, limit: int = TEXT_LIMIT) -> str:
    """The text without terminal control sequences, control and direction marks, at most `limit` long.

    A text that is cut ends with how many characters are missing. The templates escape HTML, not this.
    """
    cut = text[: limit * 2]
    plain = _strip(cut.replace("\r\n", "\n")) if _SUSPECT.search(cut) else cut
    missing = len(text) - len(cut) + max(len(plain) - limit, 0)
    return f"{plain[:limit]}… (+{missing})" if missing else plain


def _strip(text: str) -> str:
    return "".join(
        character if not 0xD800 <= ord(character) < 0xE000 else "\ufffd"
        for character in _TERMINAL.sub("", text)
        if character in _KEPT or (unicodedata.category(character) != "Cc" and character not in _BIDI)
    )


def one_line(text: str, limit: int = ARGUMENT_LIMIT) -> str:
    """The text cleaned, with every run of white space as one blank."""
    return clean(" ".join(text.split()), limit)


def arguments(args: dict[str, Any]) -> str:
    """The decoded arguments of a call as `name=value, name=value`."""
    return one_line(", ".join(f"{name}={_value(value)}" for name, value in args.items()))


def _value(value: Any, depth: int = 0) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, dict):
        inside = ", ".join(f"{name}={_value(entry, depth + 1)}" for name, entry in list(value.items())[:12])
        return f"{{{inside}}}" if depth < 6 else "{…}"
    if isinstance(value, list):
        shown = ", ".join(_value(entry, depth + 1) for entry in value[:8])
        return f"[{shown}{', …' if len(value) > 8 else ''}]" if depth < 6 else "[…]"
    return one_line(str(value))
