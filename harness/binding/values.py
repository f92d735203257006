"""Python values to C values and back, by the contract's types.

What a parameter takes is written down at `Values.argument`; how a value comes back at `Values.read`.
"""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from harness.binding.types import CType, TypeInfo, TypeMap
from harness.contract import Contract, ContractError

# Objects that must outlive a call because C holds their address.
Keep = list[Any]
MakeCallback = Callable[[TypeInfo, Callable[..., Any]], Any]

# What an output slot holds before a call; as an address it is not canonical, as a size it is absurd.
FILL = 0xA5

_SIMPLE = ctypes._SimpleCData
# ctypes gives these two no public name.
_BY_REFERENCE: Any = type(ctypes.byref(ctypes.c_int()))
_FUNCTION_POINTER: Any = ctypes.CFUNCTYPE(None).__mro__[1]
_AGGREGATES = (ctypes.Array, ctypes.Structure, ctypes.Union)
_ADDRESSES = (ctypes.c_void_p, ctypes.c_char_p, ctypes._Pointer, _FUNCTION_POINTER)


class Values:
    """Conversions for one contract; `callback` turns a Python callable into a C function pointer."""

    def __init__(self, contract: Contract, types: TypeMap, callback: MakeCallback) -> None:
        self._contract = contract
        self._types = types
        self._callback = callback

    def argument(self, info: TypeInfo, value: Any, keep: Keep, where: str) -> Any:
        """A Python value as what ctypes takes for a parameter of this type.

        Numbers: int (cut to the type's width), or the name of an enumerator, macro or error. Pointers: None
        or 0 for NULL, an int as the address, anything with `.ptr`, bytes or a numpy array (their own
        memory), a ctypes object (its address), a dict for a struct, a list for an array, str for `char *`,
        a callable for a callback. Raises TypeError with `where` in the text for anything else; objects C
        will point at are put on `keep`.
        """
        if info.is_pointer:
            return self._pointer(info, value, keep, where)
        if info.category == "struct":
            return self.struct(self._types.struct(info.base), value, keep, where)
        return self.number(info, value, where)

    def address(self, info: TypeInfo, value: Any, keep: Keep, where: str) -> int:
        """The address that `argument` would pass for a pointer, as an int; 0 for NULL."""
        return _address(self._pointer(info, value, keep, where), keep) or 0

    def number(self, info: TypeInfo, value: Any, where: str) -> int | float:
        """A number, an enumerator name or anything that turns into an int; TypeError otherwise."""
        if isinstance(value, int):
            return value
        if info.category == "real":
            return _real(value, where)
        if isinstance(value, str):
            return self._named(value, where)
        address = getattr(value, "ptr", None)
        if address is not None:
            return int(address)
        if isinstance(value, _SIMPLE):
            return _simple_int(value)
        try:
            return operator.index(value)
        except TypeError:
            raise TypeError(f"{where}: a number is needed, not {_kind(value)}") from None

    def struct(self, struct: CType, value: Any, keep: Keep, where: str) -> Any:
        """An instance of a struct type: from a dict (what it leaves out is 0), bytes of the right size, or
        itself.
        """
        if isinstance(value, struct):
            return value
        if isinstance(value, (bytes, bytearray)):
            if len(value) != ctypes.sizeof(struct):
                raise TypeError(f"{where}: {len(value)} bytes given, the struct has {ctypes.sizeof(struct)}")
            return struct.from_buffer_copy(value)
        if not isinstance(value, Mapping):
            raise TypeError(f"{where}: a dict is needed, not {_kind(value)}")
        made = struct()
        self.fill(made, value, keep, where)
        return made

    def fill(self, target: Any, value: Mapping[str, Any], keep: Keep, where: str) -> None:
        """Set the fields a dict names in a struct instance; TypeError for a field there is not."""
        fields = self._types.fields(type(target))
        for name, item in value.items():
            if name not in fields:
                raise TypeError(f"{where}.{name}: no such field; there are {', '.join(fields)}")
            info, dimensions, element = fields[name]
            place = f"{where}.{name}"
            if dimensions:
                self._fill_array(target, name, info, item, keep, place)
            elif info is None or (info.category == "struct" and not info.is_pointer):
                setattr(target, name, self.struct(element, item, keep, place))
            elif info.is_pointer:
                setattr(target, name, _address(self._pointer(info, item, keep, place), keep))
            elif info.category == "char":
                setattr(target, name, item if isinstance(item, bytes) else self.number(info, item, place))
            else:
                setattr(target, name, self.number(info, item, place))

    def array(self, info: TypeInfo, value: Sequence[Any], keep: Keep, where: str) -> Any:
        """A C array of what a pointer type points at; TypeError where nothing is known about that."""
        element = self._types.pointee(info)
        if element is None:
            raise TypeError(f"{where}: {info.text} takes an address, not a list")
        below = self._types.below(info)
        if not info.inner and below.category != "struct" and set(map(type, value)) == {int}:
            # Long lists: nothing to convert.
            return (element * len(value))(*value)
        made = (element * len(value))()
        for index, item in enumerate(value):
            place = f"{where}[{index}]"
            if info.inner:
                _fill_numbers(made[index], item, lambda number, at: self.number(below, number, at), place)
            elif below.is_pointer:
                made[index] = _address(self._pointer(below, item, keep, place), keep)
            elif below.category == "struct":
                made[index] = self.struct(element, item, keep, place)
            else:
                made[index] = self.number(below, item, place)
        return made

    def read(self, info: TypeInfo | None, value: Any) -> Any:
        """A C value as Python: ints, floats, dict for a struct, list for an array, bytes for char arrays, 0
        for NULL.

        `info` is the type of one element and may be None for a struct.
        """
        if isinstance(value, (ctypes.Structure, ctypes.Union)):
            return self._read_struct(value)
        if isinstance(value, ctypes.Array):
            if value._type_ is ctypes.c_char:
                return bytes(value)
            return [self.read(info, item) for item in value]
        if isinstance(value, _SIMPLE):
            value = value.value
        return 0 if value is None else value

    def _read_struct(self, value: Any) -> dict[str, Any]:
        made = {}
        for name, (info, dimensions, element) in self._types.fields(type(value)).items():
            if dimensions and element is ctypes.c_char:
                # Attribute access would stop at the first zero byte.
                slot = getattr(type(value), name)
                made[name] = bytes(value)[slot.offset : slot.offset + slot.size]
            else:
                made[name] = self.read(info, getattr(value, name))
        return made

    def describe(self, info: TypeInfo, value: Any, limit: int = 16) -> Any:
        """A C-level argument for a person: enumerator names, pointers as hex text, structs and arrays
        decoded.

        Arrays longer than `limit` elements end in a text that says how many are left out.
        """
        if isinstance(value, _BY_REFERENCE):
            value = value._obj
            if bytes(value) == bytes([FILL]) * ctypes.sizeof(value):
                return "untouched"
        if isinstance(value, (ctypes.Structure, ctypes.Union)):
            fields = self._types.fields(type(value))
            return {
                name: self._describe_field(fields[name][0], item, limit)
                for name, item in self._read_struct(value).items()
            }
        if isinstance(value, ctypes.Array):
            below = self._types.below(info) if info.depth else info
            return self._describe_field(below, self.read(below, value), limit)
        if isinstance(value, _FUNCTION_POINTER):
            return "callback"
        if isinstance(value, _SIMPLE):
            # Behind a pointer stands the value it pointed at; a pointer object itself is an address.
            below = self._types.below(info) if info.depth else info
            return self._describe_field(below, self.read(None, value), limit)
        if isinstance(value, bytes):
            return _text(value)
        if info.is_pointer:
            return pointer_text(value)
        return self._describe_field(info, value, limit)

    def _describe_field(self, info: TypeInfo | None, value: Any, limit: int) -> Any:
        if isinstance(value, list):
            shown = [self._describe_field(info, item, limit) for item in value[:limit]]
            return shown if len(value) <= limit else [*shown, f"… {len(value) - limit} more"]
        if isinstance(value, dict):
            struct = self._types.struct(info.base) if info is not None else None
            fields = self._types.fields(struct) if struct is not None else {}
            return {
                name: self._describe_field(fields[name][0] if name in fields else None, item, limit)
                for name, item in value.items()
            }
        if isinstance(value, bytes):
            return _text(value)
        if info is not None and info.is_pointer:
            return pointer_text(value)
        if info is not None and info.category == "enum" and isinstance(value, int):
            return self._types.enumerator(info.base, ctypes.c_int32(value).value) or value
        return value

    def _pointer(self, info: TypeInfo, value: Any, keep: Keep, where: str) -> Any:
        if value is None or isinstance(value, int):
            return value
        if isinstance(value, bytes):
            keep.append(value)
            return value
        if isinstance(value, str):
            return self._text_or_name(info, value, keep, where)
        if isinstance(value, (_BY_REFERENCE, *_ADDRESSES)):
            keep.append(value)
            return value
        if isinstance(value, (*_AGGREGATES, _SIMPLE)):
            keep.append(value)
            return value if isinstance(value, ctypes.Array) else ctypes.byref(value)
        if isinstance(value, Mapping):
            return self._struct_pointer(info, value, keep, where)
        if isinstance(value, (list, tuple)):
            made = self.array(info, value, keep, where)
            keep.append(made)
            return made
        address = getattr(value, "ptr", None)
        if address is not None:
            keep.append(value)
            return int(address)
        if callable(value) and info.category == "callback":
            return self._callback(info, value)
        return _buffer_address(value, keep, where)

    def _struct_pointer(self, info: TypeInfo, value: Mapping[str, Any], keep: Keep, where: str) -> Any:
        if info.category != "struct" or info.depth != 1:
            raise TypeError(f"{where}: {info.text} does not take a dict")
        made = self.struct(self._types.struct(info.base), value, keep, where)
        keep.append(made)
        return ctypes.byref(made)

    def _text_or_name(self, info: TypeInfo, value: str, keep: Keep, where: str) -> Any:
        if info.category == "char" and info.depth == 1:
            encoded = value.encode("utf-8", "surrogateescape")
            keep.append(encoded)
            return encoded
        raise TypeError(f"{where}: {info.text} does not take a text; give bytes, an address or None")

    def _fill_array(
        self, target: Any, name: str, info: TypeInfo | None, value: Any, keep: Keep, where: str
    ) -> None:
        array = getattr(target, name)
        if isinstance(value, (str, bytes, bytearray)):
            slot = getattr(type(target), name)
            data = value.encode() if isinstance(value, str) else bytes(value)
            if len(data) > slot.size:
                raise TypeError(f"{where}: {len(data)} bytes given, there is room for {slot.size}")
            ctypes.memmove(ctypes.addressof(target) + slot.offset, data, len(data))
            return

        def one(item: Any, place: str) -> Any:
            if info is not None and info.is_pointer:
                return _address(self._pointer(info, item, keep, place), keep)
            if info is not None and info.category == "struct":
                return self.struct(self._types.struct(info.base), item, keep, place)
            assert info is not None
            return self.number(info, item, place)

        _fill_numbers(array, value, one, where)

    def _named(self, name: str, where: str) -> int:
        try:
            return self._contract.value(name)
        except (ContractError, KeyError):
            raise TypeError(f"{where}: {name!r} is no enumerator, macro or error of the contract") from None


def pointer_text(value: int | None) -> str:
    """An address for a person: NULL, or hexadecimal."""
    return f"{value & 0xFFFF_FFFF_FFFF_FFFF:#x}" if value else "NULL"


def text(data: bytes) -> str:
    """The text in a char buffer: up to the first zero byte, decoded as UTF-8 with replacement."""
    return data.split(b"\0", 1)[0].decode("utf-8", "replace")


def _text(data: bytes) -> str:
    return repr(text(data)) if b"\0" in data or len(data) < 256 else f"{len(data)} bytes"


def _kind(value: Any) -> str:
    return "None" if value is None else type(value).__name__


def _real(value: Any, where: str) -> float:
    if isinstance(value, _SIMPLE):
        value = value.value
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{where}: a number is needed, not {_kind(value)}") from None


def _simple_int(value: Any) -> int:
    inner = value.value
    return 0 if inner is None else int(inner)


def _address(value: Any, keep: Keep) -> int | None:
    """What a pointer field or array element holds for a converted pointer argument."""
    if value is None or isinstance(value, int):
        return value
    keep.append(value)
    if isinstance(value, _BY_REFERENCE):
        return ctypes.addressof(value._obj)
    if isinstance(value, ctypes.Array):
        return ctypes.addressof(value)
    return ctypes.cast(value, ctypes.c_void_p).value


def _buffer_address(value: Any, keep: Keep, where: str) -> int:
    interface = getattr(value, "__array_interface__", None)
    if interface is not None:
        keep.append(value)
        return int(interface["data"][0])
    if isinstance(value, (bytearray, memoryview)):
        window = (ctypes.c_char * len(value)).from_buffer(value)
        keep.append(window)
        return ctypes.addressof(window)
    raise TypeError(f"{where}: an address or something to point at is needed, not {_kind(value)}")


def _fill_numbers(array: Any, value: Any, one: Callable[[Any, str], Any], where: str) -> None:
    """Fill a C array, nested as it is, from lists that may be shorter."""
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{where}: a list is needed, not {_kind(value)}")
    if len(value) > len(array):
        raise TypeError(f"{where}: {len(value)} values given, there is room for {len(array)}")
    for index, item in enumerate(value):
        place = f"{where}[{index}]"
        if isinstance(array[index], ctypes.Array):
            _fill_numbers(array[index], item, one, place)
        else:
            array[index] = one(item, place)
