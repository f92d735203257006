"""The functions a shared library exports, read from its dynamic symbol table."""

from __future__ import annotations

import struct
from pathlib import Path

from harness.binding import LibraryError

_DYNSYM = 11
_FUNCTION = 2
_UNDEFINED = 0
_LOCAL = 0
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")


def exported_functions(path: Path) -> set[str]:
    """The names of the functions a 64-bit ELF library exports; LibraryError where it is no such library."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LibraryError(f"{path}: cannot be read ({error.strerror})") from None
    if data[:6] != b"\x7fELF\x02\x01":
        raise LibraryError(f"{path}: not a 64-bit little-endian ELF library")
    try:
        return _functions(data)
    except (struct.error, ValueError):
        raise LibraryError(f"{path}: a damaged ELF file: its symbol table leads nowhere") from None


def _functions(data: bytes) -> set[str]:
    (offset,) = struct.unpack_from("<Q", data, 40)
    size, number = struct.unpack_from("<HH", data, 58)
    if number and size < _SECTION.size:
        raise ValueError("section headers too small")
    sections = [_SECTION.unpack_from(data, offset + size * index) for index in range(number)]
    names: set[str] = set()
    for section in sections:
        if section[1] != _DYNSYM:
            continue
        strings = sections[section[6]] if section[6] < number else None
        if strings is None:
            raise ValueError("no string table")
        text = data[strings[4] : strings[4] + strings[5]]
        for at in range(section[4], section[4] + section[5], _SYMBOL.size):
            name, info, _, home, _, _ = _SYMBOL.unpack_from(data, at)
            if info & 15 == _FUNCTION and info >> 4 != _LOCAL and home != _UNDEFINED:
                names.add(text[name : text.index(b"\0", name)].decode("ascii", "replace"))
    return names
