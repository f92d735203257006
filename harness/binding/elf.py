"""A look at the first bytes of a library, so that a wrong file is named as what it is before the loader
sees it.
"""

from __future__ import annotations

import functools
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

from harness.binding.errors import LibraryError

_SHARED_OBJECT = 3
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
    """Class (32 or 64 bits), byte order ("<" or ">"), file type and machine of an ELF file."""

    bits: int
    order: str
    type: int
    machine: int

    @property
    def architecture(self) -> str:
        """A name a person recognises, such as "AArch64"."""
        name = _MACHINES.get(self.machine, f"machine {self.machine}")
        return name if self.order == "<" else f"{name}, big-endian"


def read_header(path: Path) -> ElfHeader | None:
    """The ELF header of a file, or None where the file is no ELF file. OSError where it cannot be read."""
    with path.open("rb") as file:
        head = file.read(20)
    if len(head) < 20 or head[:4] != b"\x7fELF" or head[4] not in (1, 2) or head[5] not in (1, 2):
        return None
    order = "<" if head[5] == 1 else ">"
    kind, machine = struct.unpack_from(f"{order}HH", head, 16)
    return ElfHeader(bits=32 * head[4], order=order, type=kind, machine=machine)


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
