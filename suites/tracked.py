"""Surfaces whose calls are taken down, so that what they take can be given back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol


class Caller(Protocol):
    """A surface, here or in another process."""

    def call(self, api: str, /, **args: Any) -> Any:
        """Call a C function by its C parameter names."""


class Notes(Protocol):
    """What takes calls down."""

    def note(self, api: str, args: dict[str, Any], result: Any) -> None:
        """Take down a call."""


class Tracked:
    """A surface whose calls are taken down in a ledger; what it lacks is called on `spare`."""

    def __init__(self, surface: Any, spare: Any, ledger: Notes) -> None:
        self._surface = surface
        self._spare = spare
        self._ledger = ledger
        self.name: str = surface.name

    def has(self, api: str) -> bool:
        """Whether the surface itself has the function."""
        return bool(self._surface.has(api))

    def call(self, api: str, /, **args: Any) -> Any:
        """Call a C function by its C parameter names and take down what it did."""
        surface = self._surface if self._surface.has(api) else self._spare
        result = surface.call(api, **args)
        self._ledger.note(api, args, result)
        return result

    def __getattr__(self, api: str) -> Callable[..., Any]:
        if not api.startswith("acl"):
            raise AttributeError(api)
        return partial(self.call, api)
