"""Taking host names and paths out of what leaves the house."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

# An absolute path of at least two parts; what is left of it is its last part.
_PATH = re.compile(r"(?<![\w./>])(?:[A-Za-z]:)?(?:/[\w.+@~%-]+)+/?(?=/[\w.+@~%-]+)")
_KEPT = frozenset({"id", "rules", "api", "kind", "function", "verdict", "surface", "product", "form", "cann"})
_SHORTEST_NAME = 3


class Scrubber:
    """Replaces the host names it was told by `(host)`, and the folders of absolute paths by `…`.

    Names shorter than three characters are left alone: they stand in too many other words.
    """

    def __init__(self, hosts: Iterable[str] = ()) -> None:
        names = {
            part for host in hosts for part in (host, host.partition(".")[0]) if len(part) >= _SHORTEST_NAME
        }
        ordered = sorted(map(re.escape, names), key=len, reverse=True)
        self._hosts = re.compile(rf"(?<![\w-])(?:{'|'.join(ordered)})(?![\w-])", re.I) if ordered else None

    def text(self, text: str) -> str:
        """The text without them."""
        text = _PATH.sub("…", text)
        return self._hosts.sub("(host)", text) if self._hosts is not None else text

    def value(self, value: Any, name: str = "") -> Any:
        """A JSON value with all of its texts scrubbed, but for its keys and what identifies a case."""
        if name in _KEPT:
            return value
        if isinstance(value, str):
            return "(host)" if name == "host" else self.text(value)
        if isinstance(value, list):
            return [self.value(entry) for entry in value]
        if isinstance(value, dict):
            return {key: self.value(entry, key) for key, entry in value.items()}
        return value
