"""Kernel binaries for the suites: named tiny programs in an ELF object that the reference device loads.

A kernel is a few steps over its parameters; the blocks of a launch share out the elements of each step. What
the kernels of `KERNELS` do is also what the kernels of a real binary have to do (docs/model-format.md).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

MACHINE = 0x4341
"""The machine number of our binaries, which no real one has."""

_PROGRAM_MAGIC = 0x4C4E524B
_RELOCATABLE = 1
_PROGBITS, _SYMTAB, _STRTAB = 1, 2, 3
_OBJECT, _FUNCTION = 1, 2
_GLOBAL_BINDING = 1 << 4
_HEADER_BYTES, _SECTION_BYTES, _SYMBOL_BYTES = 64, 64, 24
_ALIGNMENT = 64
_OPERANDS = 4
_PARAMETER_ALIGNMENT = 8

ADDRESS, WORD = 8, 4
"""Bytes of a parameter: a device address, or a number."""


class Step(IntEnum):
    """What a step does with its operands, which are numbers of parameters."""

    ADD = 1
    """to, left, right, floats"""
    FILL = 2
    """to, a word, words"""
    MARK = 3
    """to: each block writes the number of blocks into a word of its own"""
    SCALE = 4
    """to, from, a record of a float factor and how many floats"""
    TRAP = 5
    """fails"""


@dataclass(frozen=True)
class Kernel:
    """A kernel: the bytes of each parameter, and its steps."""

    parameters: tuple[int, ...]
    steps: tuple[tuple[int, ...], ...]
    simt: bool = False
    type: int = 0

    def code(self) -> bytes:
        """The program as the reference device reads it."""
        head = struct.pack(
            "<IBBHHH", _PROGRAM_MAGIC, self.type, self.simt, 0, len(self.parameters), len(self.steps)
        )
        sizes = struct.pack(f"<{len(self.parameters)}I", *self.parameters)
        return head + sizes + b"".join(_step(step) for step in self.steps)

    def offsets(self) -> list[int]:
        """Where each parameter begins among the arguments."""
        offsets, at = [], 0
        for size in self.parameters:
            offsets.append(at)
            at += -(-size // _PARAMETER_ALIGNMENT) * _PARAMETER_ALIGNMENT
        return offsets


KERNELS: Mapping[str, Kernel] = {
    "aclcts_add": Kernel((ADDRESS, ADDRESS, ADDRESS, WORD), ((Step.ADD, 0, 1, 2, 3),)),
    "aclcts_fill": Kernel((ADDRESS, WORD, WORD), ((Step.FILL, 0, 1, 2),)),
    "aclcts_mark": Kernel((ADDRESS,), ((Step.MARK, 0),)),
    "aclcts_scale": Kernel((ADDRESS, ADDRESS, ADDRESS), ((Step.SCALE, 0, 1, 2),)),
    "aclcts_trap": Kernel((ADDRESS,), ((Step.TRAP,),)),
    "aclcts_simt_mark": Kernel((ADDRESS,), ((Step.MARK, 0),), simt=True),
}
"""The kernels of the binary `kernels`."""

GLOBALS: Mapping[str, bytes] = {
    "aclcts_zeros": bytes(16),
    "aclcts_quad": struct.pack("<4f", 1, 2, 3, 4),
}
"""Its global variables, and what they begin as."""

BINARIES: Mapping[str, str] = {"kernels": "kernels.o", "cpu_kernels": "cpu_kernels.so"}
"""The binaries by name, and their files: kernels of the AI cores, and of the device's own processor."""


@dataclass
class _Section:
    name: str
    type: int
    data: bytes
    link: int = 0
    info: int = 0
    entry: int = 0
    offset: int = 0

    def heading(self, name: int) -> bytes:
        """The entry of the section table; `name` is where the section's name stands."""
        place = (0, 0, self.offset, len(self.data), self.link, self.info)
        return struct.pack("<IIQQQQIIQQ", name, self.type, *place, 1, self.entry)


@dataclass
class _Names:
    """A table of texts."""

    data: bytearray = field(default_factory=lambda: bytearray(1))

    def add(self, text: str) -> int:
        at = len(self.data)
        self.data += text.encode() + b"\0"
        return at


def binary(
    kernels: Mapping[str, Kernel] = KERNELS, variables: Mapping[str, bytes] = GLOBALS, flags: int = 0
) -> bytes:
    """An ELF object with these kernels and global variables. `flags`: 0 for every product."""
    names = _Names()
    symbols = [bytes(_SYMBOL_BYTES)]
    programs = {name: kernel.code() for name, kernel in kernels.items()}
    text, symbols_of_text = _laid_out(programs, names, 1, _FUNCTION)
    data, symbols_of_data = _laid_out(variables, names, 2, _OBJECT)
    symbols += symbols_of_text + symbols_of_data
    sections = [
        _Section("", 0, b""),
        _Section(".text", _PROGBITS, text),
        _Section(".data", _PROGBITS, data),
        _Section(".symtab", _SYMTAB, b"".join(symbols), link=4, info=1, entry=_SYMBOL_BYTES),
        _Section(".strtab", _STRTAB, bytes(names.data)),
    ]
    return _file(sections, flags)


def _step(step: Sequence[int]) -> bytes:
    operands = [*step[1:], *[0] * (_OPERANDS - len(step) + 1)]
    return struct.pack(f"<{_OPERANDS + 1}H", step[0], *operands)


def _laid_out(
    parts: Mapping[str, bytes], names: _Names, section: int, kind: int
) -> tuple[bytes, list[bytes]]:
    """The parts one behind the other, and a symbol for each."""
    laid, symbols = b"", []
    for name, part in parts.items():
        place = (names.add(name), _GLOBAL_BINDING | kind, 0, section, len(laid), len(part))
        symbols.append(struct.pack("<IBBHQQ", *place))
        laid += part
    return laid, symbols


def _file(sections: list[_Section], flags: int) -> bytes:
    headings = _Names()
    starts = [headings.add(section.name) for section in sections]
    starts.append(headings.add(".shstrtab"))
    sections.append(_Section(".shstrtab", _STRTAB, bytes(headings.data)))
    body = b""
    for section in sections:
        body += bytes(-len(body) % _ALIGNMENT)
        section.offset = _HEADER_BYTES + len(body)
        body += section.data
    body += bytes(-len(body) % _ALIGNMENT)
    table = b"".join(each.heading(start) for start, each in zip(starts, sections, strict=True))
    identity = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    shape = (_RELOCATABLE, MACHINE, 1, 0, 0, _HEADER_BYTES + len(body), flags)
    counts = (_HEADER_BYTES, 0, 0, _SECTION_BYTES, len(sections), len(sections) - 1)
    return identity + struct.pack("<HHIQQQI", *shape) + struct.pack("<HHHHHH", *counts) + body + table
