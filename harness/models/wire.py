"""The protobuf wire format, as far as model files use it: numbers and length-delimited fields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


class WireError(ValueError):
    """Bytes that are no message."""


def varint(number: int) -> bytes:
    """A number of 0 or more, seven bits a byte, the lowest first."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def zigzag(number: int) -> int:
    """A number that may be negative as one that is not: 0, -1, 1, -2 become 0, 1, 2, 3."""
    return number << 1 if number >= 0 else (-number << 1) - 1


def unzigzag(number: int) -> int:
    """What `zigzag` turned into this number."""
    return number >> 1 if number % 2 == 0 else -(number >> 1) - 1


def number_field(field: int, value: int) -> bytes:
    """A field that holds a number; a number of 0 is left out, as protobuf does."""
    return varint(field << 3) + varint(value) if value else b""


def bytes_field(field: int, value: bytes | str) -> bytes:
    """A field that holds bytes, a text or a message; always written."""
    data = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(data)) + data


def packed(numbers: Iterable[int]) -> bytes:
    """Numbers of 0 or more, one behind the other."""
    return b"".join(varint(number) for number in numbers)


def packed_signed(numbers: Iterable[int]) -> bytes:
    """Numbers that may be negative."""
    return packed(zigzag(number) for number in numbers)


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """The number at an offset, and the offset behind it; WireError where there is none."""
    value = shift = 0
    while shift < 64:
        if at >= len(data):
            raise WireError("a number is cut off")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
    else:
        raise WireError("a number has more than 64 bits")
    if value >= 1 << 64:
        raise WireError("a number has more than 64 bits")
    return value, at


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message in order; WireError where the bytes are no message."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        field, kind = key >> 3, key & 7
        if not 0 < field < 1 << 32 or kind not in (0, 2):
            raise WireError(f"there is no field {field} of kind {kind}")
        value, at = read_varint(data, at)
        if kind == 0:
            yield field, value
            continue
        if value > len(data) - at:
            raise WireError("a field is cut off")
        yield field, data[at : at + value]
        at += value


def unpacked(data: bytes) -> list[int]:
    """The numbers of a packed field; WireError where the bytes are none."""
    numbers, at = [], 0
    while at < len(data):
        number, at = read_varint(data, at)
        numbers.append(number)
    return numbers
