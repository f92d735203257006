"""Host memory at addresses that a library gives."""

from __future__ import annotations

import ctypes


def bytes_at(address: int, size: int) -> bytes:
    """A copy of the bytes there; the library says that they can be read."""
    return ctypes.string_at(address, size)


def put_bytes(address: int, data: bytes) -> None:
    """Write bytes there; the library says that they can be written."""
    ctypes.memmove(address, data, len(data))


def text_at(address: int) -> str:
    """The text that begins there."""
    return ctypes.string_at(address).decode("utf-8", "replace")
