"""Which memory the calls of a trace point into, and how much of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from harness.contract import Param
from harness.results.records import Call
from harness.results.repro.values import Area

_COUNTS: dict[tuple[str, str], str] = {
    ("aclrtMemcpy", "dst"): "count",
    ("aclrtMemcpy", "src"): "count",
    ("aclrtMemcpyAsync", "dst"): "count",
    ("aclrtMemcpyAsync", "src"): "count",
    ("aclrtMemset", "devPtr"): "count",
    ("aclrtMemsetAsync", "devPtr"): "count",
}
_SIZES = ("count", "size", "length", "len", "totalLength", "bufferSize", "maxCount", "dataSize", "modelSize")
_LEAST = 256
_MOST = 1 << 28
_NEAR = 512
_ALIGNED = 64


def given_memory(call: Call) -> tuple[int, int] | None:
    """Address and bytes of the memory that a call has given, or None where it gave none."""
    size = _number(call.args.get("size"), 0)
    if call.code != 0 or not size:
        return None
    for name in ("devPtr", "hostPtr", "virPtr", "ptr"):
        value = call.args.get(name)
        gives = "Malloc" in call.function or "Alloc" in call.function or "Reserve" in call.function
        if gives and isinstance(value, str) and value.startswith("0x"):
            return int(value, 16), size
    return None


def extents(call: Call, param: Param, addresses: Sequence[int]) -> Iterator[tuple[int, int]]:
    """How many bytes a call reaches from each address in an argument: what it says, within reason."""
    size = _extent(call, param.name)
    for address in addresses:
        yield address, min(max(size, 1), _MOST)


def _extent(call: Call, name: str) -> int:
    args = call.args
    counted = _COUNTS.get((call.function, name))
    if counted is not None:
        return _number(args.get(counted), _LEAST)
    pitch = _number(args.get({"dst": "dpitch", "src": "spitch"}.get(name, "")), 0)
    if pitch:
        return pitch * _number(args.get("height"), 1)
    sizes = [_number(args.get(known), 0) for known in _SIZES]
    batch = [value for entry in args.values() if isinstance(entry, list) for value in entry]
    sizes += [value for value in batch if isinstance(value, int)]
    return max([_LEAST, *(size for size in sizes if size <= _MOST)])


def host_areas(uses: Iterable[tuple[int, int]]) -> list[Area]:
    """The program's own memory: uses that overlap or lie close together share an area."""
    areas: list[Area] = []
    end = 0
    for address, size in sorted(uses):
        if areas and address <= end + _NEAR:
            end = max(end, address + size)
            areas[-1].size = end - areas[-1].base
            continue
        base = address - address % _ALIGNED
        areas.append(Area(f"host_{len(areas) + 1}", "host", base, address + size - base))
        end = address + size
    return areas


def _number(value: object, otherwise: int) -> int:
    """A number as a record has it; a dead process's journal has texts."""
    if isinstance(value, str) and value.isdigit():
        return int(value)
    return value if isinstance(value, int) and value >= 0 else otherwise
