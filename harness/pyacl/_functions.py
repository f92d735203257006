"""Python functions that behave like pyACL's, each made from its shape when it is first asked for."""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Callable
from typing import Any, NoReturn

from harness.binding.types import CType
from harness.binding.values import text
from harness.pyacl._runtime import Runtime
from harness.pyacl._shapes import KEYS, Output, Shape

Function = Callable[..., Any]

# A list made from a C `char` array holds what `char` is to the compiler.
_CHAR_IS_SIGNED = platform.machine() in ("x86_64", "AMD64", "i686")

# What is returned for a struct whose call failed, where it is not an empty dict: the struct as it is.
_STRUCT_ANYWAY = frozenset(
    {
        "acl.get_cann_version",
        "acl.rt.device_get_uuid",
        "acl.rt.get_device_utilization_rate",
        "acl.rt.pointer_get_attributes",
        "acl.mdl.get_input_dims_range",
    }
)
_NONE_ON_FAILURE = frozenset({"acl.mdl.get_first_aipp_info"})

# Values that are given back narrower than C has them.
_CUT: dict[str, CType] = {
    "acl.rt.get_device_info": ctypes.c_int32,
    "acl.rt.get_devices_topo": ctypes.c_uint32,
    "acl.mdl.get_aipp_data_size": ctypes.c_uint32,
    "acl.mdl.bundle_get_model_num": ctypes.c_uint32,
}

# Arrays in a struct that come back as long as another field says.
_COUNTED: dict[tuple[str, str], str] = {
    ("aclmdlIODims", "dims"): "dimCount",
    ("aclmdlBatch", "batch"): "batchCount",
    ("aclmdlHW", "hw"): "hwCount",
    ("aclmdlIODimsRange", "range"): "rangeCount",
    ("aclAippInfo", "outDims"): "shapeCount",
}
# Fields that pyACL leaves out.
_LEFT_OUT: dict[str, frozenset[str]] = {
    "aclAippInfo": frozenset({"matrixR0C2", "matrixR2C0", "matrixR2C1"}),
}
# char arrays that come back as a list of numbers; every other one is a text.
_NUMBER_ARRAYS = frozenset({("aclrtUuid", "bytes")})

# Lengths from which a text is refused, and how: ValueError, or (text, ACL_ERROR_INVALID_PARAM) without a
# call.
_TEXT_LIMITS: dict[str, tuple[int, bool]] = {
    "acl.rt.notify_get_export_key": (1024, True),
    "acl.rt.ipc_mem_get_export_key": (1024, True),
    "acl.rt.get_function_name": (1024, True),
    "acl.prof.get_op_type": (4097, False),
    "acl.prof.get_op_name": (4097, False),
    "acl.mdl.create_and_get_op_desc": (4097, False),
}
_INVALID_PARAM = 100000


def ordinary(runtime: Runtime, shape: Shape) -> Function:
    """A function whose positions feed C parameters one by one and whose outputs come back in a tuple."""
    api, form = shape.api, shape.form
    places = {param.name: number for number, param in enumerate(shape.function.params)}
    template: list[Any] = [None] * len(places)
    steps = [(places[item.c], item.convert) for item in shape.inputs if item.c is not None]
    positions = {item.name: number for number, item in enumerate(shape.inputs)}
    counts = [(places[c], places[_c_name(shape, position)]) for c, position in shape.counts.items()]
    slots = [
        (places[item.c], _maker(runtime, shape, item, positions))
        for item in shape.outputs
        if not item.handed_back
    ]
    readers = [_reader(runtime, shape, item, positions) for item in shape.outputs]
    arity, fewest = len(shape.inputs), len(shape.inputs) - shape.optional
    calls = runtime.calls
    returns_text = shape.function.returns.replace("const ", "") == "char *"

    def function(*args: Any) -> Any:
        call = calls.get(api) or runtime.bind(api)
        if not fewest <= len(args) <= arity and arity:
            refuse_count(shape, len(args))
        passed = template.copy()
        done = 0
        try:
            for (place, convert), value in zip(steps, args, strict=False):
                passed[place] = convert(value)
                done += 1
        except (TypeError, ValueError) as error:
            raise type(error)(f"{shape.name}: {shape.inputs[done].name} {error}") from None
        for place, source in counts:
            passed[place] = _length(passed[source])
        made = []
        for place, make in slots:
            slot = make(args)
            made.append(slot)
            passed[place] = slot if isinstance(slot, ctypes.Array) else ctypes.byref(slot)
        code = call(*passed)
        if form == "code":
            return code
        if form == "tuple":
            rest = iter(made)
            return (*(read(args, rest, code) for read in readers), code)
        if form == "none":
            return None
        return returned(code, returns_text)

    limit = _TEXT_LIMITS.get(shape.name)
    return function if limit is None else _limited(function, shape, *limit)


def refuse_count(shape: Shape, given: int) -> NoReturn:
    """Raise the TypeError for a wrong number of arguments."""
    wanted = ", ".join(item.name for item in shape.inputs) or "none"
    raise TypeError(f"{shape.name} takes {len(shape.inputs)} arguments ({wanted}), {given} given")


def converted(shape: Shape, args: tuple[Any, ...]) -> list[Any]:
    """The arguments as C takes them, in the order of the positions; for functions written out by hand."""
    if not len(shape.inputs) - shape.optional <= len(args) <= len(shape.inputs) and shape.inputs:
        refuse_count(shape, len(args))
    made = []
    for item, value in zip(shape.inputs, args, strict=False):
        try:
            made.append(item.convert(value))
        except (TypeError, ValueError) as error:
            raise type(error)(f"{shape.name}: {item.name} {error}") from None
    return made


def returned(value: Any, is_text: bool) -> Any:
    """What comes back for a C function that returns no code: 0 for NULL, a text as str or None."""
    if value is None:
        return None if is_text else 0
    return value.decode("utf-8", "replace") if is_text else value


def struct_dict(runtime: Runtime, value: Any) -> dict[str, Any]:
    """A C struct as pyACL gives it: texts as str, arrays cut to their count, some keys renamed or gone."""
    struct = type(value).__name__
    made: dict[str, Any] = {}
    names: dict[str, str] = KEYS.get(struct, {})
    left_out: frozenset[str] = _LEFT_OUT.get(struct, frozenset())
    for field, (_, sizes, element) in runtime.types.fields(type(value)).items():
        if field in left_out:
            continue
        made[names.get(field, field)] = _field(runtime, struct, value, field, sizes, element)
    return made


def _field(
    runtime: Runtime, struct: str, value: Any, field: str, sizes: tuple[int, ...], element: CType
) -> Any:
    if sizes and element is ctypes.c_char:
        slot = getattr(type(value), field)
        data = bytes(value)[slot.offset : slot.offset + slot.size]
        if (struct, field) not in _NUMBER_ARRAYS:
            return text(data)
        return [byte - 256 if byte > 127 and _CHAR_IS_SIGNED else byte for byte in data]
    item = getattr(value, field)
    count = _COUNTED.get((struct, field))
    if sizes:
        shown = list(item)[: int(getattr(value, count))] if count is not None else list(item)
        return [_element(runtime, part) for part in shown]
    return _element(runtime, item)


def _element(runtime: Runtime, value: Any) -> Any:
    if isinstance(value, (ctypes.Structure, ctypes.Union)):
        return struct_dict(runtime, value)
    if isinstance(value, ctypes.Array):
        return list(value)
    return 0 if value is None else value


def _maker(
    runtime: Runtime, shape: Shape, output: Output, positions: dict[str, int]
) -> Callable[[tuple[Any, ...]], Any]:
    """Makes the zeroed memory that C writes an output into."""
    if output.kind == "text":
        if isinstance(output.length, int):
            fixed = ctypes.c_char * output.length
            return lambda args: fixed()
        position = positions[output.length]
        # One byte more than C is told, so that there is always an end.
        return lambda args: (ctypes.c_char * (args[position] + 1))()
    param = shape.function.param(output.c)
    assert param is not None
    pointee = runtime.types.pointee(runtime.types.info(param.type))
    assert pointee is not None
    return lambda args: pointee()


def _reader(
    runtime: Runtime, shape: Shape, output: Output, positions: dict[str, int]
) -> Callable[[tuple[Any, ...], Any, int], Any]:
    """Reads an output after the call."""
    name = shape.name
    if output.handed_back:
        position = positions[output.name]
        return lambda args, rest, code: args[position] & 0xFFFF_FFFF_FFFF_FFFF
    if output.kind == "text":
        return lambda args, rest, code: text(next(rest).raw)
    if output.kind == "number":
        cut = _CUT.get(name)
        if cut is not None:
            return lambda args, rest, code: cut(next(rest).value).value

        def number(args: tuple[Any, ...], rest: Any, code: int) -> Any:
            value = next(rest).value
            return 0 if value is None else value

        return number
    if name in _STRUCT_ANYWAY:
        return lambda args, rest, code: struct_dict(runtime, next(rest))
    none_on_failure = name in _NONE_ON_FAILURE

    def read(args: tuple[Any, ...], rest: Any, code: int) -> Any:
        slot = next(rest)
        if code == 0:
            return struct_dict(runtime, slot)
        return None if none_on_failure else {}

    return read


def _limited(function: Function, shape: Shape, limit: int, raises: bool) -> Function:
    """Turn down a text length from the limit on before C is called."""
    length = next(item.length for item in shape.outputs if item.kind == "text")
    position = next(number for number, item in enumerate(shape.inputs) if item.name == length)
    width = 2**32 if _is_uint32(shape, position) else 2**64

    def limited(*args: Any) -> Any:
        converted(shape, args)
        wanted = args[position] % width
        if wanted >= limit:
            if raises:
                raise ValueError(f"{shape.name}: {length} must be below {limit}, not {wanted}")
            empty = ["" if item.kind == "text" else 0 for item in shape.outputs]
            return (*empty, _INVALID_PARAM)
        return function(*args[:position], wanted, *args[position + 1 :])

    return limited


def _is_uint32(shape: Shape, position: int) -> bool:
    param = shape.function.param(shape.inputs[position].c or "")
    return param is not None and param.type == "uint32_t"


def _c_name(shape: Shape, position: str) -> str:
    found = next(item.c for item in shape.inputs if item.name == position)
    assert found is not None
    return found


def _length(value: Any) -> int:
    # A converted list has one spare element; a text has none.
    return len(value) if isinstance(value, bytes) else len(value) - 1
