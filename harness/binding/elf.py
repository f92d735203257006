"""A look at the first bytes of a library, so that a wrong file is named as what it is before the loader
sees it.
"""

from __future__ import annotations

import functools
import struct
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from harness.binding.errors import LibraryError

_SHARED_OBJECT = 3
_LOAD = 1
_HEADER_SIZE = 64
_PROGRAM_HEADER_SIZE = 56
_MACHINES = {
    2: "SPARC",
    3: "x86 (32 bit)",
    8: "MIPS",
    20: "PowerPC",
    21: "PowerPC64",
    22: "s390x",
    40: "ARM (32 bit)",
    62: "x86-64",
    183: "AArch64",
    243: "RISC-V",
    258: "LoongArch",
}


@dataclass(frozen=True)
class ElfHeader:
    """Class (32 or 64 bits), byte order ("<" or ">"), file type and machine of an ELF file, and how many
    bytes of the file its loadable parts reach to.
    """

    bits: int
    order: str
    type: int
    machine: int
    needed: int

    @property
    def architecture(self) -> str:
        """A name a person recognises, such as "AArch64"."""
        name = _MACHINES.get(self.machine, f"machine {self.machine}")
        return name if self.order == "<" else f"{name}, big-endian"


def read_header(path: Path) -> ElfHeader | None:
    """The ELF header of a file, or None where the file is no ELF file. OSError where it cannot be read."""
    with path.open("rb") as file:
        head = file.read(_HEADER_SIZE)
        if (
            len(head) < _HEADER_SIZE
            or head[:4] != b"\x7fELF"
            or head[4] not in (1, 2)
            or head[5] not in (1, 2)
        ):
            return None
        order = "<" if head[5] == 1 else ">"
        kind, machine = struct.unpack_from(f"{order}HH", head, 16)
        needed = _loaded_bytes(file, head, order) if head[4] == 2 else 0
    return ElfHeader(bits=32 * head[4], order=order, type=kind, machine=machine, needed=needed)


def _loaded_bytes(file: BinaryIO, head: bytes, order: str) -> int:
    """How many bytes a 64-bit file must have, by its program headers."""
    (table,) = struct.unpack_from(f"{order}Q", head, 32)
    entry_size, count = struct.unpack_from(f"{order}HH", head, 54)
    file.seek(table)
    entries = file.read(entry_size * count)
    needed = int(table) + entry_size * count
    for at in range(0, len(entries) - _PROGRAM_HEADER_SIZE + 1, max(entry_size, 1)):
        (kind,) = struct.unpack_from(f"{order}I", entries, at)
        offset, size = (struct.unpack_from(f"{order}Q", entries, at + field)[0] for field in (8, 32))
        if kind == _LOAD:
            needed = max(needed, offset + size)
    return int(needed)


@functools.cache
def own_header() -> ElfHeader | None:
    """The header of the running interpreter: what a library must match to be loaded into it."""
    for candidate in (Path("/proc/self/exe"), Path(sys.executable)):
        try:
            header = read_header(candidate)
        except OSError:
            continue
        if header is not None:
            return header
    return None


def check_loadable(path: Path) -> None:
    """Raise LibraryError where the file is not a shared library this interpreter can load."""
    try:
        header = read_header(path)
        size = path.stat().st_size
    except OSError as error:
        raise LibraryError(f"{path}: cannot be read: {error.strerror or error}") from None
    if header is None:
        raise LibraryError(f"{path}: not an ELF shared library")
    own = own_header()
    if own is not None and (header.bits, header.order, header.machine) != (own.bits, own.order, own.machine):
        raise LibraryError(
            f"{path}: built for {header.architecture} ({header.bits} bit), "
            f"this Python runs on {own.architecture} ({own.bits} bit)"
        )
    if header.type != _SHARED_OBJECT:
        raise LibraryError(f"{path}: an ELF file, but not a shared library")
    if size < header.needed:
        # The loader would map pages the file does not have, and the process would die of a bus error.
        raise LibraryError(f"{path}: cut short: {size} bytes, its segments reach to {header.needed}")
