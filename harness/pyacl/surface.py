"""The pyACL surface: the same calls by C parameter names as the C surface, made through a pyACL module.

One test body serves both. What pyACL cannot express (an output given as an address, NULL for a text, an int
that its parser turns down) raises SurfaceLimit before C is called.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import threading
import time
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from harness.binding import InOut, Library, Result
from harness.binding.types import TypeInfo
from harness.pyacl._shapes import KEYS, Input, Output, Shape, shape_of

_NEVER_NULL = frozenset({("aclrtAllocatorSetObjToDesc", "allocator")})


class SurfaceLimit(Exception):
    """A call that the C interface takes and pyACL cannot express; the text says why."""


class PyAclSurface:
    """The C functions of a library that pyACL has, by C parameter names, through a pyACL module.

    `module` is `harness.pyacl` or Huawei's `acl`.
    """

    name = "pyacl"

    def __init__(self, module: ModuleType, library: Library) -> None:
        self.module = module
        self.library = library
        self._plans: dict[str, _Plan] = {}

    def has(self, api: str) -> bool:
        """Whether pyACL has a function for a C function, and the library exports it."""
        name = self.library.contract.pyacl_of(api)
        return name is not None and self.library.exports(api) and self._function(name) is not None

    def call(self, api: str, /, **args: Any) -> Result:
        """Call the pyACL function of a C function by C parameter names, with the values that
        `CSurface.call` takes.

        Outputs come back under their C names, texts as bytes. SurfaceLimit for what pyACL cannot express,
        TypeError for a missing or unknown parameter.
        """
        plan = self._plans.get(api)
        if plan is None:
            plan = self._plans[api] = self._plan(api)
        return plan.call(args)

    def __getattr__(self, api: str) -> Callable[..., Result]:
        if api.startswith("acl") and api in self.library.contract.functions:
            return functools.partial(self.call, api)
        raise AttributeError(f"{api} is no function of the contract")

    def _plan(self, api: str) -> _Plan:
        name = self.library.contract.pyacl_of(api)
        if name is None:
            raise SurfaceLimit(f"{api}: pyACL has no function for it")
        # Asks for the C function first, so that an absent one is reported as on the C surface.
        self.library.raw(api)
        function = self._function(name)
        if function is None:
            raise SurfaceLimit(f"{api}: this acl module has no {name}")
        if self.module is not sys.modules[__package__ or ""]:
            function = _recorded(self.library, name, function)
        return _Plan(self.library, shape_of(name), function)

    def _function(self, name: str) -> Callable[..., Any] | None:
        place: Any = self.module
        for part in name.split(".")[1:]:
            place = getattr(place, part, None)
        return place if callable(place) else None


class _Plan:
    """Everything about one function that does not change between calls."""

    def __init__(self, library: Library, shape: Shape, function: Callable[..., Any]) -> None:
        self._library = library
        self._shape = shape
        self._function = function
        self._infos = dict(library.params(shape.api))
        self._known = frozenset(self._infos)
        # How a message about a parameter begins.
        self._places = {name: f"{shape.api}: {name}" for name in self._infos}
        self._fed = frozenset(item.c for item in shape.inputs)

    def call(self, given: Mapping[str, Any]) -> Result:
        """Convert, call, and name what came back."""
        shape = self._shape
        if not given.keys() <= self._known:
            unknown = ", ".join(sorted(given.keys() - self._known))
            raise TypeError(f"{shape.api} has no parameter {unknown}; it has {', '.join(self._infos)}")
        self._check_unfed(given)
        keep: list[Any] = []
        positions: list[Any] = []
        for item in shape.inputs:
            c = item.c
            if c is None:
                positions.append(0)
            elif c not in given:
                raise TypeError(f"{shape.api}: {c} is missing; the function takes {', '.join(self._infos)}")
            elif given[c] is None and shape.optional:
                break
            else:
                positions.append(self._value(item, c, given[c], keep))
        try:
            returned = self._function(*positions)
        except (TypeError, ValueError, KeyError) as error:
            raise SurfaceLimit(f"{shape.api}: pyACL turns the arguments down: {error}") from None
        return self._result(returned)

    def _check_unfed(self, given: Mapping[str, Any]) -> None:
        """Parameters that have no position may only be given with the value pyACL will pass."""
        for name in given.keys() - self._fed:
            passed = self._passed(name, given)
            if passed is None:
                raise SurfaceLimit(f"{self._shape.api}: pyACL makes {name} itself")
            if given[name] != passed:
                raise SurfaceLimit(f"{self._shape.api}: pyACL passes {passed} for {name}")

    def _passed(self, name: str, given: Mapping[str, Any]) -> int | None:
        """What pyACL passes for a parameter without a position, or None where the caller cannot know."""
        position = self._shape.counts.get(name)
        if position is not None:
            counted = given.get(next(str(item.c) for item in self._shape.inputs if item.name == position))
            return len(counted.encode()) if isinstance(counted, str) else len(counted or ())
        pointed = _pointed(given.get("attrValue")) if name == "valueSize" else None
        return ctypes.sizeof(pointed) if isinstance(pointed, ctypes._SimpleCData) else None

    def _value(self, item: Input, c: str, value: Any, keep: list[Any]) -> Any:
        info, where = self._infos[c], self._places[c]
        if isinstance(value, InOut):
            raise SurfaceLimit(f"{where}: pyACL presets no output")
        if item.kind == "number":
            return self._number(info, value, where)
        if value is None and (self._shape.api, c) in _NEVER_NULL:
            raise SurfaceLimit(f"{where}: pyACL passes the address of a slot of its own, never NULL")
        if item.kind in ("address", "object"):
            return self._library.values.address(info, value, keep, where)
        return self._structured(item, info, value, keep, where)

    def _number(self, info: TypeInfo, value: Any, where: str) -> Any:
        if not info.is_pointer:
            return self._library.values.number(info, value, where)
        # A parameter that C takes by address and pyACL by value: only a ctypes object shows the value.
        pointed = _pointed(value)
        if not isinstance(pointed, ctypes._SimpleCData):
            raise SurfaceLimit(f"{where}: pyACL takes the value, not its address")
        inner = pointed.value
        return inner.decode("utf-8", "surrogateescape") if isinstance(inner, bytes) else inner or 0

    def _structured(self, item: Input, info: TypeInfo, value: Any, keep: list[Any], where: str) -> Any:
        if item.kind == "text":
            return _text(value, where)
        if item.kind == "callable":
            if not callable(value) and not (value is None and self._shape.optional):
                raise SurfaceLimit(f"{where}: pyACL takes a callable")
            return value
        if item.kind == "config" and value is None:
            return {}
        if item.kind == "options":
            return self._options(info, value, where)
        if item.kind == "list":
            return self._list(info, value, keep, where)
        if item.kind == "dicts":
            if not isinstance(value, list):
                raise SurfaceLimit(f"{where}: pyACL takes a list of dicts")
            return [self._dict(info, entry, keep, where) for entry in value]
        return self._dict(info, value, keep, where)

    def _dict(self, info: TypeInfo, value: Any, keep: list[Any], where: str) -> Any:
        if not isinstance(value, Mapping):
            raise SurfaceLimit(f"{where}: pyACL takes a dict")
        fields = self._library.types.fields(self._library.types.struct(info.base))
        keys: dict[str, str] = {"reserve": "reserved"} if info.base == "aclrtStreamAttrValue" else {}
        made: dict[str, Any] = {}
        for name, entry in value.items():
            if name not in fields:
                raise TypeError(f"{where}.{name}: no such field; there are {', '.join(fields)}")
            meaning, sizes, _ = fields[name]
            made[str(keys.get(name) or name)] = self._field(
                meaning, bool(sizes), entry, keep, f"{where}.{name}"
            )
        return made

    def _field(self, info: TypeInfo | None, many: bool, value: Any, keep: list[Any], where: str) -> Any:
        if many:
            return value
        if info is None:
            return value
        if isinstance(value, Mapping):
            return self._dict(info, value, keep, where)
        if info.is_pointer:
            if isinstance(value, list):
                return [self._dict(info, entry, keep, where) for entry in value]
            return self._library.values.address(info, value, keep, where)
        return self._library.values.number(info, value, where)

    def _options(self, info: TypeInfo, value: Any, where: str) -> Any:
        if value is None:
            return []
        if not isinstance(value, Mapping):
            raise SurfaceLimit(f"{where}: pyACL takes a list of options")
        types = self._library.types
        # Such a struct is an array and its length.
        (items, (pointer, _, _)), (count, _) = types.fields(types.struct(info.base)).items()
        options = value.get(items) or []
        assert pointer is not None
        if value.get(count, 0) != len(options):
            raise SurfaceLimit(f"{where}: pyACL counts the options itself")
        return [self._option(pointer, option, where) for option in options]

    def _option(self, info: TypeInfo, option: Mapping[str, Any], where: str) -> dict[str, Any]:
        kind, (meaning, _, _) = next(
            iter(self._library.types.fields(self._library.types.struct(info.base)).items())
        )
        assert meaning is not None
        entry = dict(option)
        inner = entry.get("value")
        if isinstance(inner, Mapping):
            if len(inner) != 1 or not isinstance(next(iter(inner.values())), int):
                raise SurfaceLimit(f"{where}: pyACL takes one number as the value of an option")
            entry["value"] = next(iter(inner.values()))
        if kind in entry:
            entry[kind] = self._library.values.number(meaning, entry[kind], f"{where}.{kind}")
        return entry

    def _list(self, info: TypeInfo, value: Any, keep: list[Any], where: str) -> Any:
        if not isinstance(value, (list, tuple)):
            raise SurfaceLimit(f"{where}: pyACL takes a list")
        below = self._library.types.below(info)
        if info.inner or (below.category == "char" and below.is_pointer):
            return list(value)
        if below.is_pointer:
            # Lists inside a list stand for arrays, which pyACL makes by itself.
            return [
                list(entry)
                if isinstance(entry, (list, tuple))
                else self._library.values.address(below, entry, keep, where)
                for entry in value
            ]
        return [self._library.values.number(below, entry, where) for entry in value]

    def _result(self, returned: Any) -> Result:
        shape, names = self._shape, self._library.contract.error_name
        outputs: dict[str, Any] = {}
        code: int | None = None
        value: Any = None
        if shape.form == "tuple":
            *values, code = returned
            outputs = {
                output.c: self._output(output, item)
                for output, item in zip(shape.outputs, values, strict=True)
            }
        elif shape.form == "code":
            code = returned
        elif shape.form == "none":
            code = 0
        else:
            value = returned.encode() if isinstance(returned, str) else returned
        # pyACL presets what C writes with nothing, so nothing is all that shows an untouched output.
        untouched = {output.c: not outputs[output.c] for output in shape.outputs if not output.handed_back}
        is_pointer = self._library.types.info(shape.function.returns).is_pointer
        null = value is None or (value == 0 and is_pointer)
        ok = code == 0 if code is not None else not null
        return Result(shape.api, code, value, ok, outputs, untouched, (), names)

    def _output(self, output: Output, value: Any) -> Any:
        """A returned value as the C surface gives it: C's field names, texts as bytes."""
        if isinstance(value, str):
            return value.encode()
        info = self._library.types.below(self._infos[output.c])
        if isinstance(value, dict) and info.category == "struct":
            return self._c_dict(info, value)
        if isinstance(value, list):
            return [self._c_dict(info, item) if isinstance(item, dict) else item for item in value]
        return value

    def _c_dict(self, info: TypeInfo, value: dict[str, Any]) -> dict[str, Any]:
        names = {python: c for c, python in KEYS.get(info.base, {}).items()}
        if info.base == "aclrtStreamAttrValue":
            names = {"reserved": "reserve"}
        fields = self._library.types.fields(self._library.types.struct(info.base))
        made: dict[str, Any] = {}
        for key, item in value.items():
            name = names.get(key, key)
            meaning, sizes, _ = fields[name]
            if isinstance(item, str):
                made[name] = item.encode()
            elif meaning is not None and meaning.category == "char" and sizes:
                made[name] = bytes(byte & 0xFF for byte in item)
            elif meaning is not None and meaning.category == "struct":
                many = isinstance(item, list)
                made[name] = (
                    [self._c_dict(meaning, part) for part in item] if many else self._c_dict(meaning, item)
                )
            else:
                made[name] = item
        return made


def _recorded(library: Library, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of Huawei's module that appends its calls to the library's recorder as the binding does."""
    recorder = library.recorder

    def call(*args: Any) -> Any:
        journal = recorder.journal
        line = journal.start(name, args) if journal is not None else 0
        start = time.monotonic_ns()
        returned = function(*args)
        recorder.append((name, args, returned, threading.get_ident(), start, time.monotonic_ns()))
        if journal is not None:
            journal.finish(line, returned[-1] if isinstance(returned, tuple) else returned)
        return returned

    return call


def _pointed(value: Any) -> Any:
    """The ctypes object behind a `byref`, or the value itself."""
    return getattr(value, "_obj", value)


def _text(value: Any, where: str) -> str:
    if value is None:
        raise SurfaceLimit(f"{where}: pyACL cannot pass NULL for a text")
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if not isinstance(value, str):
        raise SurfaceLimit(f"{where}: pyACL takes a str")
    return value
