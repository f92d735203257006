"""What pyACL does with a Python argument: one converter per kind of C parameter.

pyACL is a C extension that parses its arguments with CPython's own parser and puts a TypeError of its own
in place of whatever that raised. So an address or a size must be an int and is cut to 64 bits; a signed
32-bit value must fit; an unsigned 32-bit value is cut. The texts raised here complete a sentence that
starts with the argument's name.
"""

from __future__ import annotations

import ctypes
import operator
import warnings
from collections.abc import Callable
from typing import Any

from harness.binding.types import CType, TypeInfo, TypeMap

Converter = Callable[[Any], Any]

_INT64 = range(-(2**63), 2**63)
_UINT64 = range(2**64)
_INT32 = range(-(2**31), 2**31)
_INT16 = range(-(2**15), 2**15)
_BYTE = range(2**8)


def address(value: Any) -> int:
    """An address, a handle or a 64-bit size: an int, cut to 64 bits by ctypes."""
    if isinstance(value, int):
        return value
    raise TypeError(f"must be int, not {type(value).__name__}")


def uint32(value: Any) -> int:
    """An unsigned value that the parser cuts to 32 bits; ctypes cuts it further where C has less."""
    return _index(value) & 0xFFFF_FFFF


def int32(value: Any) -> int:
    """A signed 32-bit value, an enum among them."""
    return _within(value, _INT32)


def int64(value: Any) -> int:
    """A signed 64-bit value."""
    return _within(value, _INT64)


def int16(value: Any) -> int:
    """A signed 16-bit value."""
    return _within(value, _INT16)


def switch(value: Any) -> int:
    """A signed 8-bit parameter, which the parser reads as 0 to 255."""
    return _within(value, _BYTE)


def checked_uint32(value: Any) -> int:
    """An unsigned 32-bit value that the binding checks by itself."""
    return _within(value, range(2**32))


def real(value: Any) -> float:
    """A float, an int, or anything with __float__; no text."""
    if isinstance(value, (str, bytes, bytearray)) or not hasattr(value, "__float__"):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    return float(value)


def text(value: Any) -> bytes:
    """A str without a zero character, as UTF-8."""
    if not isinstance(value, str):
        raise TypeError(f"must be str, not {type(value).__name__}")
    if "\0" in value:
        raise TypeError("must not hold a zero character")
    return value.encode()


def filled_text(value: Any) -> bytes:
    """A text that must not be empty: ValueError for an empty one."""
    encoded = text(value)
    if not encoded:
        raise ValueError("must not be empty")
    return encoded


def anything(value: Any) -> Any:
    """An object that is not looked at."""
    return value


def function(value: Any) -> Any:
    """A callable."""
    if not callable(value):
        raise TypeError("must be callable")
    return value


def integers(ctype: CType, allowed: range, refusal: type[Exception] = TypeError) -> Converter:
    """A list of ints as a C array with one spare element, so that an empty list is no NULL.

    `refusal` is raised for what is no list of ints; ValueError for an element out of range.
    """

    def convert(value: Any) -> Any:
        if not isinstance(value, list):
            raise refusal(f"must be list, not {type(value).__name__}")
        made = (ctype * (len(value) + 1))()
        for index, item in enumerate(value):
            if not isinstance(item, int):
                raise refusal(f"[{index}] must be int, not {type(item).__name__}")
            if item not in allowed:
                raise ValueError(f"[{index}] does not fit: {item}")
            made[index] = item
        return made

    return convert


def process_ids(value: Any) -> Any:
    """A list of process ids; ValueError for whatever is wrong with it."""
    return integers(ctypes.c_int32, _INT32, ValueError)(value)


def notifies(value: Any) -> Any:
    """A list of notify handles; ValueError for whatever is wrong with it."""
    return integers(ctypes.c_void_p, _UINT64, ValueError)(value)


def handles(value: Any) -> Any:
    """A list of handles."""
    return integers(ctypes.c_void_p, range(-(2**63), 2**64))(value)


def dimensions(value: Any) -> Any:
    """A list of 64-bit ints."""
    return integers(ctypes.c_int64, _INT64)(value)


def device_ids(value: Any) -> Any:
    """A list of device ids, each cut to 32 bits."""
    return integers(ctypes.c_uint32, _UINT64)(value)


def data_types(value: Any) -> Any:
    """A list of enum values, each cut to 32 bits."""
    return integers(ctypes.c_int32, _INT64)(value)


def pairs(value: Any) -> Any:
    """A list of lists of two 64-bit ints."""
    if not isinstance(value, list):
        raise TypeError(f"must be list, not {type(value).__name__}")
    made = ((ctypes.c_int64 * 2) * (len(value) + 1))()
    for index, pair in enumerate(value):
        if not isinstance(pair, list) or len(pair) < 2:
            raise TypeError(f"[{index}] must be a list of two ints")
        for side in (0, 1):
            if not isinstance(pair[side], int):
                raise TypeError(f"[{index}][{side}] must be int, not {type(pair[side]).__name__}")
            if pair[side] not in _INT64:
                raise ValueError(f"[{index}][{side}] does not fit: {pair[side]}")
            made[index][side] = pair[side]
    return made


def texts(value: Any) -> Any:
    """A list of str as a C array of texts."""
    if not isinstance(value, list):
        raise TypeError(f"must be list, not {type(value).__name__}")
    made = (ctypes.c_char_p * (len(value) + 1))()
    for index, item in enumerate(value):
        if not isinstance(item, str):
            raise RuntimeError(f"[{index}] must be str, not {type(item).__name__}")
        made[index] = item.encode()
    return made


def attribute_values(ctype: CType, allowed: range | None) -> Converter:
    """The values of a list attribute: a list, or still an ndarray, with a warning, whose memory is taken as
    it is.

    A list of anything but numbers in range raises ValueError.
    """

    def convert(value: Any) -> Any:
        if isinstance(value, list):
            return _attribute_list(ctype, allowed, value)
        return _array_memory(ctype, value)

    return convert


attribute_bools = attribute_values(ctypes.c_uint8, _BYTE)
attribute_ints = attribute_values(ctypes.c_int64, _INT64)
attribute_floats = attribute_values(ctypes.c_float, None)


def structure(types: TypeMap, name: str) -> Converter:
    """A dict as a C struct, passed by its address: see `fill`."""

    def convert(value: Any) -> Any:
        made = types.struct(name)()
        fill(types, made, value)
        return ctypes.byref(made)

    return convert


def structures(types: TypeMap, name: str) -> Converter:
    """A list of dicts as a C array of structs with a spare element."""

    def convert(value: Any) -> Any:
        if not isinstance(value, list):
            raise TypeError(f"must be list, not {type(value).__name__}")
        made = (types.struct(name) * (len(value) + 1))()
        for index, item in enumerate(value):
            fill(types, made[index], item)
        return made

    return convert


def fill(types: TypeMap, target: Any, value: Any) -> None:
    """Set the fields of a struct from a dict the way pyACL does.

    A missing key or a value of the wrong type is passed over; TypeError where a dict is needed and
    something else given; ValueError for a number out of range, for too long a list, or for a pointer that
    is no int.
    """
    if not isinstance(value, dict):
        raise TypeError(f"must be dict, not {type(value).__name__}")
    for name, (info, sizes, element) in types.fields(type(target)).items():
        if name not in value:
            continue
        item = value[name]
        if sizes:
            _fill_list(getattr(target, name), element, item, name)
        elif info is not None and info.is_pointer:
            setattr(target, name, _pointer(item, name))
        elif info is not None and info.category != "struct":
            _fill_number(target, name, info, element, item)
        else:
            fill(types, getattr(target, name), item)


def malloc_config(types: TypeMap) -> Converter:
    """The configuration of the malloc functions: an empty dict is NULL; otherwise `attrs`, a list of {attr,
    value}, and its length `numAttrs`.

    `value` is a dict with moduleId, deviceId or rsv. KeyError where none of these is there or where
    numAttrs differs from the list; TypeError for what is no dict.
    """

    def convert(value: Any) -> Any:
        if not isinstance(value, dict):
            raise TypeError(f"must be dict, not {type(value).__name__}")
        if not value:
            return None
        attributes = value.get("attrs")
        if not isinstance(attributes, list):
            raise TypeError("attrs must be list")
        count = value.get("numAttrs", 0)
        if not isinstance(count, int) or count != len(attributes):
            raise KeyError("numAttrs differs from the length of attrs")
        array = (types.struct("aclrtMallocAttribute") * (count + 1))()
        for target, item in zip(array, attributes, strict=False):
            _fill_malloc_attribute(types, target, item)
        made = types.struct("aclrtMallocConfig")(ctypes.addressof(array), count)
        # The struct holds an address only; the array must live as long.
        made._keep = array
        return ctypes.byref(made)

    return convert


def option_list(types: TypeMap, name: str, element: str) -> Converter:
    """A list of dicts {type or id, value} as a C struct of an array and its length; an empty list is NULL.

    `value` is an unsigned 32-bit int whatever the option. ValueError for what is no list.
    """

    def convert(value: Any) -> Any:
        if not isinstance(value, list):
            raise ValueError(f"must be list, not {type(value).__name__}")
        if not value:
            return None
        array = (types.struct(element) * len(value))()
        for target, item in zip(array, value, strict=True):
            _fill_option(types, target, item)
        made = types.struct(name)(ctypes.addressof(array), len(value))
        made._keep = array
        return ctypes.byref(made)

    return convert


def dynamic_dims(types: TypeMap) -> Converter:
    """The dimensions of a dynamic input: a dict with dimCount, dims (a list of ints) and perhaps name."""

    def convert(value: Any) -> Any:
        if not isinstance(value, dict):
            raise TypeError(f"must be dict, not {type(value).__name__}")
        made = types.struct("aclmdlIODims")()
        count = value.get("dimCount")
        dims = value.get("dims")
        if not isinstance(count, int) or not isinstance(dims, list):
            raise TypeError("must have an int dimCount and a list dims")
        if not 0 <= count <= min(len(made.dims), len(dims)):
            raise TypeError(f"dimCount is {count}, dims has {len(dims)}")
        name = value.get("name")
        if name is not None:
            if not isinstance(name, str):
                raise RuntimeError("name must be str")
            made.name = name.encode()[: type(made).name.size]
        made.dimCount = count
        converted = dimensions(dims[:count])
        for index in range(count):
            made.dims[index] = converted[index]
        return ctypes.byref(made)

    return convert


def _fill_malloc_attribute(types: TypeMap, target: Any, item: Any) -> None:
    if not isinstance(item, dict):
        raise TypeError("attrs must hold dicts")
    fill(types, target, {"attr": item.get("attr")})
    value = item.get("value", {})
    if not isinstance(value, dict):
        raise TypeError("value must be dict")
    known = next((name for name in ("moduleId", "deviceId", "rsv") if name in value), None)
    if known is None:
        if "value" in item:
            raise KeyError("value has none of moduleId, deviceId, rsv")
        return
    number = value[known]
    if known != "rsv" and (not isinstance(number, int) or number not in _UINT64):
        raise ValueError(f"{known} must be an unsigned int")
    fill(types, target.value, {known: number[:8] if isinstance(number, list) else number})


def _fill_option(types: TypeMap, target: Any, item: Any) -> None:
    if not isinstance(item, dict):
        raise TypeError("must hold dicts")
    kind = next(iter(types.fields(type(target))))
    fill(types, target, {kind: item[kind]} if kind in item else {})
    number = item.get("value")
    if isinstance(number, int):
        if number not in _UINT64:
            raise ValueError(f"value does not fit: {number}")
        target.value.rsv[0] = number


def _fill_number(target: Any, name: str, info: TypeInfo, element: CType, item: Any) -> None:
    if info.category == "real":
        if isinstance(item, (int, float)):
            setattr(target, name, float(item))
    elif isinstance(item, int):
        if item not in _allowed(element):
            raise ValueError(f"{name} does not fit: {item}")
        setattr(target, name, item)


def _fill_list(array: Any, element: CType, item: Any, name: str) -> None:
    if not isinstance(item, list):
        return
    if len(item) > len(array):
        raise ValueError(f"{name} must have at most {len(array)} elements")
    for index, number in enumerate(item):
        if not isinstance(number, int):
            return
        if number not in _allowed(element):
            raise ValueError(f"{name}[{index}] does not fit: {number}")
        array[index] = number


def _pointer(item: Any, name: str) -> int | None:
    if item is None or isinstance(item, int):
        return item
    raise ValueError(f"{name} must be an address")


def _allowed(element: CType) -> range:
    # CPython's conversion is to a 64-bit number first; the cut to the field's width is not checked.
    return _INT64 if element(-1).value == -1 else _UINT64


def _attribute_list(ctype: CType, allowed: range | None, value: list[Any]) -> Any:
    made = (ctype * (len(value) + 1))()
    for index, item in enumerate(value):
        if allowed is None:
            if not isinstance(item, (int, float)):
                raise ValueError(f"[{index}] must be a number")
        elif not isinstance(item, int) or item not in allowed:
            raise ValueError(f"[{index}] must be an int that fits")
        made[index] = item
    return made


def _array_memory(ctype: CType, value: Any) -> Any:
    warnings.warn("only a list will be taken in the future", Warning, stacklevel=4)
    interface = getattr(value, "__array_interface__", None)
    if interface is None:
        raise TypeError(f"must be list or ndarray, not {type(value).__name__}")
    # One element more than there is, as in a converted list: only its address is used.
    made = (ctype * (int(value.size) + 1)).from_address(interface["data"][0])
    return made


def _within(value: Any, allowed: range) -> int:
    number = _index(value)
    if number not in allowed:
        raise TypeError(f"does not fit: {number}")
    return number


def _index(value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"must be int, not {type(value).__name__}") from None
