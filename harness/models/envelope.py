"""The envelope of an offline model: a header of 256 bytes, a table of partitions, the partitions in a row."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

HEADER_BYTES = 256
MAGIC = 0x444F4D49
VERSION = 0x20000000

GRAPH, WEIGHTS, TASKS = 0, 1, 2
BUNDLE_MEMBER, BUNDLE_VARIABLES = 24, 25
BUNDLE_KIND = 5

FIELDS: Mapping[str, tuple[int, str]] = {
    "magic": (0, "<I"),
    "header_size": (4, "<I"),
    "version": (8, "<I"),
    "checksum": (12, "64s"),
    "length32": (76, "<I"),
    "encrypted": (80, "B"),
    "has_checksum": (81, "B"),
    "kind": (82, "B"),
    "mode": (83, "B"),
    "name": (84, "32s"),
    "operations": (116, "<I"),
    "user_text": (120, "32s"),
    "ir_version": (152, "<I"),
    "models": (156, "<I"),
    "platform_version": (160, "20s"),
    "platform_type": (180, "B"),
    "length": (184, "<Q"),
    "checks_host": (192, "B"),
    "unknown_shapes": (193, "B"),
    "reserved": (194, "62s"),
}
"""Where each field of the header lies, and its form for `struct`."""

IGNORED = (
    "header_size",
    "checksum",
    "encrypted",
    "has_checksum",
    "mode",
    "name",
    "operations",
    "user_text",
    "ir_version",
    "platform_version",
    "platform_type",
    "reserved",
)
"""Fields that the public loader does not judge."""


@dataclass(frozen=True)
class Partition:
    """One partition: its type and its bytes."""

    type: int
    data: bytes


def set_field(model: bytes, field: str, value: int | bytes) -> bytes:
    """The model with one field of its header replaced."""
    offset, form = FIELDS[field]
    changed = bytearray(model)
    struct.pack_into(form, changed, offset, value)
    return bytes(changed)


def get_field(model: bytes, field: str) -> int | bytes:
    """One field of a model's header."""
    offset, form = FIELDS[field]
    value: int | bytes = struct.unpack_from(form, model, offset)[0]
    return value


def header(payload: int, **values: int | bytes) -> bytes:
    """A header for so many bytes behind it, as the compiler writes it but for the given fields."""
    made = bytes(HEADER_BYTES)
    filled: dict[str, int | bytes] = {
        "magic": MAGIC,
        "header_size": HEADER_BYTES,
        "version": VERSION,
        "has_checksum": 1,
        "models": 1,
        "length": payload,
        **values,
    }
    for field, value in filled.items():
        made = set_field(made, field, value)
    return made


def table(partitions: Sequence[Partition], wide: bool = True) -> bytes:
    """A partition table and the partitions behind it; the narrow form has fields of four bytes."""
    head = struct.pack("<II", len(partitions), 0) if wide else struct.pack("<I", len(partitions))
    offset, entries = 0, b""
    for part in partitions:
        if wide:
            entries += struct.pack("<IIQQ", part.type, 0, offset, len(part.data))
        else:
            entries += struct.pack("<III", part.type, offset, len(part.data))
        offset += len(part.data)
    return head + entries + b"".join(part.data for part in partitions)


def pack(
    partitions: Sequence[Partition],
    values: Mapping[str, int | bytes] = MappingProxyType({}),
    wide: bool = True,
) -> bytes:
    """A whole model file; `values` replace fields of the header."""
    payload = table(partitions, wide)
    lengths: dict[str, int | bytes] = {} if wide else {"length": 0, "length32": len(payload)}
    return header(len(payload), **{**lengths, **values}) + payload


def pack_bundle(members: Sequence[bytes], variable_bytes: int = 0) -> bytes:
    """A bundle of whole models; its length counts the header as well."""
    variables = Partition(BUNDLE_VARIABLES, struct.pack("<Q", variable_bytes))
    payload = table([variables, *(Partition(BUNDLE_MEMBER, member) for member in members)])
    return header(HEADER_BYTES + len(payload), kind=BUNDLE_KIND) + payload
