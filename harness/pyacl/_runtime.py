"""Which library the pyACL functions call. There is one per process, as pyACL has one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.binding import Library
from harness.binding.types import TypeMap, type_map
from harness.contract import Contract, load


class Runtime:
    """The library in use, and its recorded C functions by name.

    `calls` is emptied when another library is taken into use, so a function that was fetched before calls
    the new one.
    """

    def __init__(self) -> None:
        self.calls: dict[str, Callable[..., Any]] = {}
        self._library: Library | None = None

    @property
    def contract(self) -> Contract:
        """The contract whose pyACL functions these are."""
        return load()

    @property
    def types(self) -> TypeMap:
        """The C types of that contract."""
        return type_map(load())

    @property
    def library(self) -> Library:
        """The library in use; RuntimeError where there is none."""
        if self._library is None:
            raise RuntimeError("no ACL library in use: call harness.pyacl.use(library) first")
        return self._library

    @property
    def in_use(self) -> Library | None:
        """The library in use, or None."""
        return self._library

    def use(self, library: Library) -> None:
        """Take a library into use."""
        self._library = library
        self.calls.clear()

    def bind(self, api: str) -> Callable[..., Any]:
        """The recorded C function, kept in `calls`; AbsentFunction where the library does not export it."""
        call = self.calls[api] = self.library.recorded(api)
        return call


runtime = Runtime()
