"""What is wrong with a model file, found out without any loader, and the code that its refusal has.

The checks and their order are those of the public loader for a plain model in host memory.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from harness.models import envelope, wire

_SMALLEST = 4
_MOST_PARTITIONS = 8
_HEAD_BYTES = 8
_DYNAMIC_VERSION = 0x20000000
_PARAMETER = "ACL_ERROR_INVALID_PARAM"
_NO_MODEL = "ACL_ERROR_GE_PARAM_INVALID"
_SIZE = "ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID"
_FAILURE = "ACL_ERROR_GE_FAILURE"


@dataclass(frozen=True)
class Problem:
    """Why a model is refused: the code's name, and the reason in words."""

    code: str
    text: str


def check(model: bytes) -> Problem | None:
    """The first thing that is wrong with a plain model in memory; None for a valid one."""
    if not model:
        return Problem(_PARAMETER, "it is empty")
    if len(model) < _SMALLEST:
        return Problem(_SIZE, "its kind cannot be told")
    if len(model) < envelope.HEADER_BYTES:
        return Problem(_PARAMETER, "it ends in its header")
    if envelope.get_field(model, "kind") == envelope.BUNDLE_KIND:
        return Problem(_FAILURE, "it is a bundle")
    wide = envelope.get_field(model, "length")
    length = wide or envelope.get_field(model, "length32")
    payload = model[envelope.HEADER_BYTES :]
    if length != len(payload) or envelope.get_field(model, "magic") != envelope.MAGIC:
        return Problem(_NO_MODEL, "length or magic number is wrong")
    found = _partitions(payload, bool(wide), _tables(model))
    return found if isinstance(found, Problem) else _content(found)


def _tables(model: bytes) -> int:
    """How many tables the payload has; 0 where everything behind the first one is passed over."""
    version, models = envelope.get_field(model, "version"), envelope.get_field(model, "models")
    unknown = envelope.get_field(model, "unknown_shapes") == 1
    assert isinstance(version, int)
    assert isinstance(models, int)
    if version < _DYNAMIC_VERSION or not (models > 1 or unknown):
        return 0
    return max(models, 1)


def _partitions(rest: bytes, wide: bool, tables: int) -> dict[int, bytes] | Problem:
    """The partitions of the first table."""
    first: dict[int, bytes] | None = None
    for _ in range(max(tables, 1)):
        taken = _take_table(rest, wide)
        if isinstance(taken, Problem):
            return taken
        parts, rest = taken
        first = parts if first is None else first
    if tables and rest:
        return Problem(_NO_MODEL, "bytes belong to no model")
    assert first is not None
    return first


def _take_table(rest: bytes, wide: bool) -> tuple[dict[int, bytes], bytes] | Problem:
    if len(rest) <= _HEAD_BYTES:
        return Problem(_SIZE, "there is no partition table")
    (count,) = struct.unpack_from("<I", rest)
    if not 1 <= count <= _MOST_PARTITIONS:
        return Problem(_NO_MODEL, f"a model has no {count} partitions")
    head, each = (8, 24) if wide else (4, 12)
    start = head + each * count
    if start > len(rest):
        return Problem(_SIZE, "the partition table is cut off")
    parts: dict[int, bytes] = {}
    for index in range(count):
        at = head + each * index
        (kind,) = struct.unpack_from("<I", rest, at)
        (size,) = struct.unpack_from("<Q" if wide else "<I", rest, at + (16 if wide else 8))
        if size > len(rest) - start:
            return Problem(_SIZE, "a partition is larger than what is left")
        if kind in parts:
            return Problem(_NO_MODEL, "a type has two partitions")
        parts[kind] = rest[start : start + size]
        start += size
    return parts, rest[start:]


def _content(parts: dict[int, bytes]) -> Problem | None:
    """Whether graph and tasks are messages; that they fit each other is left to who runs them."""
    for kind, what in ((envelope.GRAPH, "graph"), (envelope.TASKS, "tasks")):
        if not parts.get(kind):
            return Problem(_FAILURE, f"it has no {what}")
        try:
            list(wire.fields(parts[kind]))
        except wire.WireError as error:
            return Problem(_FAILURE, f"its {what}: {error}")
    return None
