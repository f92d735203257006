"""A surface that answers without any library."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Answer:
    """What a call gave."""

    api: str = ""
    code: int = 0
    outputs: dict[str, Any] = field(default_factory=dict)
    left_alone: bool = False

    @property
    def ok(self) -> bool:
        return self.code == 0

    @property
    def name(self) -> str:
        return str(self.code)

    def untouched(self, name: str) -> bool:
        return self.left_alone


class Recording:
    """A surface that remembers its calls; those in `refusing` fail, those in `lacking` it does not have."""

    name = "c"

    def __init__(self, *refusing: str, lacking: tuple[str, ...] = ()) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self._refusing = refusing
        self._lacking = lacking

    def has(self, api: str) -> bool:
        return api not in self._lacking

    def call(self, api: str, /, **args: Any) -> Answer:
        self.calls.append((api, args))
        return Answer(api, 107000 if api in self._refusing else 0)
