"""Calling an ACL library by C parameter names, with Python values in and out.

`surface.aclrtMalloc(size=64, policy="ACL_MEM_MALLOC_HUGE_FIRST").devPtr`. Output parameters that a call
leaves out are allocated here, filled with 0xA5 beforehand and watched for writes behind their end.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from harness.binding.library import Library
from harness.binding.types import CType, TypeInfo
from harness.binding.values import FILL
from harness.contract import Param

_GUARD = 64
_GUARD_BYTES = bytes([FILL]) * _GUARD
# Larger buffers are the caller's business.
_LARGEST_TEXT = 1 << 20
_LEFT_OUT = object()

# Outputs whose length is another parameter: nothing in a C prototype says so.
_LENGTHS: dict[tuple[str, str], str] = {
    ("aclGetCompileopt", "value"): "length",
    ("aclGetTensorDescDimRange", "dimRange"): "dimRangeNum",
    ("acldumpGetExceptionInfoPath", "path"): "maxLen",
    ("aclmdlCreateAndGetOpDesc", "opName"): "opNameLen",
    ("aclmdlGetInputDynamicDims", "dims"): "gearCount",
    ("aclmdlRIGetName", "name"): "maxLen",
    ("aclplatformGetDeviceInfo", "value"): "maxLen",
    ("aclplatformGetInstructionInfo", "value"): "maxLen",
    ("aclprofGetOpName", "opName"): "opNameLen",
    ("aclprofGetOpType", "opType"): "opTypeLen",
    ("aclrtDeviceGetHostAtomicCapabilities", "capabilities"): "count",
    ("aclrtDeviceGetP2PAtomicCapabilities", "capabilities"): "count",
    ("aclrtDeviceGetPCIBusId", "pciBusId"): "len",
    ("aclrtGetFunctionName", "name"): "maxLen",
    ("aclrtGetMemUceInfo", "memUceInfoArray"): "arraySize",
    ("aclrtGetMemUsageInfo", "memUsageInfo"): "inputNum",
    ("aclrtIpcMemGetExportKey", "key"): "len",
    ("aclrtNotifyGetExportKey", "key"): "len",
}
# Outputs without a length parameter, whose length a header constant gives.
_CONSTANT_LENGTHS: dict[tuple[str, str], str] = {
    ("aclsysGetVersionStr", "versionStr"): "ACL_PKG_VERSION_MAX_SIZE"
}
# Arrays that only the caller can size, its matrices, and a struct the library made: never allocated here.
_CALLERS_OWN: frozenset[tuple[str, str]] = frozenset(
    {
        ("aclblasHgemm", "matrixC"),
        ("aclblasHgemv", "y"),
        ("aclblasS8gemm", "matrixC"),
        ("aclblasS8gemv", "y"),
        ("aclmdlRIGetStreams", "streams"),
        ("aclmdlRIGetTasksByStream", "tasks"),
        ("aclrtMemManagedGetAttrs", "data"),
        ("aclrtSetStreamConfigOpt", "handle"),
        ("acltdtGetDimsFromItem", "dims"),
    }
)


@dataclass(frozen=True)
class InOut:
    """A value to put into an output slot before the call: an int, an enumerator name, a dict, or a list for
    an array.
    """

    value: Any


class Result:
    """What a call gave back.

    `code` is the returned aclError, 0 for a void function, None for a function that returns something else;
    `value` is what it returned then (ints for pointers, 0 for NULL; bytes or None for texts). `outputs`
    holds the output parameters by C name: ints, floats, a dict for a struct, a list for an array, bytes for
    a char buffer. An output is also an attribute: `result.devPtr`; where an output is called like an
    attribute of this class, `result["name"]`.
    """

    __slots__ = ("_names", "_untouched", "api", "code", "ok", "outputs", "overrun", "unwritten", "value")

    def __init__(
        self,
        api: str,
        code: int | None,
        value: Any,
        ok: bool,
        outputs: dict[str, Any],
        untouched: Mapping[str, bool],
        overrun: tuple[str, ...],
        names: Callable[[int], str],
        unwritten: tuple[str, ...] = (),
    ) -> None:
        self.api = api
        self.code = code
        # Whether the call succeeded: code 0, or for a function without a code anything but NULL.
        self.ok = ok
        self.outputs = outputs
        # A C parameter called value is an output like any other.
        self.value = outputs.get("value", value)
        # Output parameters behind whose end the library wrote.
        self.overrun = overrun
        # Single outputs that a call which succeeded owes and did not write; empty where the surface cannot
        # tell. An array may have nothing to hold.
        self.unwritten = unwritten
        self._untouched = untouched
        self._names = names

    @property
    def name(self) -> str:
        """The name of the return code, such as "ACL_SUCCESS"; "" for a function without one."""
        return self._names(self.code) if self.code is not None else ""

    def untouched(self, name: str) -> bool:
        """Whether the library left an output slot as it was before the call; KeyError where there was no
        slot.
        """
        return self._untouched[name]

    def __getitem__(self, name: str) -> Any:
        return self.outputs[name]

    def __getattr__(self, name: str) -> Any:
        if name in Result.__slots__:
            raise AttributeError(name)
        try:
            return self.outputs[name]
        except KeyError:
            raise AttributeError(
                f"{self.api} gave no output {name!r}; it gave {list(self.outputs)}"
            ) from None

    def __repr__(self) -> str:
        shown = self.name if self.code is not None else repr(self.value)
        return f"<Result {self.api} {shown} {self.outputs}>"


@functools.lru_cache(maxsize=256)
def _filled(size: int) -> bytes:
    return bytes([FILL]) * (size + _GUARD)


class _Slot:
    """An output slot: memory with a guard behind it, and the ctypes object C writes through."""

    __slots__ = ("_before", "_memory", "object", "passed")

    def __init__(self, ctype: CType) -> None:
        self._before = _filled(ctypes.sizeof(ctype))
        self._memory = bytearray(self._before)
        self.object = ctype.from_buffer(self._memory)
        # What C is given.
        self.passed = self.object if isinstance(self.object, ctypes.Array) else ctypes.byref(self.object)

    def preset_done(self) -> None:
        self._before = bytes(self._memory)

    def untouched(self) -> bool:
        return self._memory == self._before

    def overrun(self) -> bool:
        return not self._memory.endswith(_GUARD_BYTES)


@dataclass(frozen=True)
class _Parameter:
    name: str
    # How a message about it begins.
    where: str
    info: TypeInfo
    # What the parameter points at, and its ctypes type (None where nothing is known about it).
    below: TypeInfo
    element: CType | None
    # The type of a slot made where the call leaves the parameter out; None where the caller must give a
    # value.
    slot: CType | None
    length: str | None
    constant_length: int
    # Whether an int is passed as it is.
    takes_int: bool


class CSurface:
    """The C functions of a library, by parameter names."""

    name = "c"

    def __init__(self, library: Library) -> None:
        self.library = library
        self._plans: dict[str, _Plan] = {}

    def has(self, api: str) -> bool:
        """Whether the library exports a C function."""
        return self.library.exports(api)

    def call(self, api: str, /, **args: Any) -> Result:
        """Call a C function by parameter names; see `Values.argument` for what a parameter takes.

        An `out` parameter left out gets a slot; given, exactly that is passed (None = NULL, an int = an
        address), and `InOut(value)` presets a slot. Extra arguments of a variadic function go into
        `**{"...": (…)}`. TypeError for a missing or unknown parameter or a value of the wrong kind,
        AbsentFunction where the library does not export the function.
        """
        plan = self._plans.get(api)
        if plan is None:
            plan = self._plans[api] = _Plan(self.library, api)
        return plan.call(args)

    def __getattr__(self, api: str) -> Callable[..., Result]:
        if api.startswith("acl") and api in self.library.contract.functions:
            return functools.partial(self.call, api)
        raise AttributeError(f"{api} is no function of the contract")


class _Plan:
    """Everything about one function that does not change between calls."""

    def __init__(self, library: Library, api: str) -> None:
        function = library.contract.function(api)
        self._library = library
        self._values = library.values
        self._names = library.contract.error_name
        self._function = function
        self.api = api
        """The C name."""
        self._call = library.recorded(api)
        self._returns_code = function.returns == "aclError"
        self._void = function.returns == "void"
        self._text = library.types.info(function.returns).category == "char"
        self._params = [_parameter(library, api, param) for param in function.params if param.type != "..."]
        self._steps = [(param.name, param.takes_int, param) for param in self._params]
        self._known = frozenset(param.name for param in function.params)
        # Numbers that the caller named, by parameter and name.
        self._named: dict[tuple[str, str], int] = {}

    def call(self, given: Mapping[str, Any]) -> Result:
        """Convert, call, and read the slots."""
        if not given.keys() <= self._known:
            unknown = sorted(given.keys() - self._known)
            raise TypeError(f"{self.api} has no parameter {', '.join(unknown)}; it has {self._signature()}")
        keep: list[Any] = []
        slots: list[tuple[_Parameter, _Slot]] = []
        passed: list[Any] = []
        for name, takes_int, param in self._steps:
            value = given.get(name, _LEFT_OUT)
            if takes_int and type(value) is int:
                # Most arguments: nothing to convert.
                passed.append(value)
            elif type(value) is str:
                passed.append(self._word(param, value, keep))
            elif value is _LEFT_OUT or isinstance(value, InOut):
                slot = self._slot(param, given, keep)
                slots.append((param, slot))
                passed.append(slot.passed)
            else:
                passed.append(self._values.argument(param.info, value, keep, param.where))
        if "..." in given:
            passed.extend(given["..."])
        returned = self._call(*passed)
        untouched: dict[str, bool] = {}
        outputs: dict[str, Any] = {}
        overrun: tuple[str, ...] = ()
        unwritten: tuple[str, ...] = ()
        for param, slot in slots:
            name = param.name
            untouched[name] = left = slot.untouched()
            if left and name not in given and slot.passed is not slot.object:
                unwritten += (name,)
            outputs[name] = self._values.read(param.below, slot.object)
            if slot.overrun():
                overrun += (name,)
                self._library.overruns.append(f"{self.api} wrote behind the end of its output {name}")
        code = returned if self._returns_code else 0 if self._void else None
        result, ok = None, code == 0
        if code is None:
            # ctypes gives None for NULL: a text stays so, an address is the int 0.
            result, ok = returned if returned is not None or self._text else 0, returned is not None
        return Result(
            self.api,
            code,
            result,
            ok,
            outputs,
            untouched,
            overrun,
            self._names,
            unwritten if code == 0 else (),
        )

    def _word(self, param: _Parameter, value: str, keep: list[Any]) -> Any:
        """A text, or a number by its name."""
        found = self._named.get((param.name, value))
        if found is not None:
            return found
        made = self._values.argument(param.info, value, keep, param.where)
        if type(made) is int and not param.info.is_pointer:
            self._named[param.name, value] = made
        return made

    def _slot(self, param: _Parameter, given: Mapping[str, Any], keep: list[Any]) -> _Slot:
        preset = given.get(param.name)
        element: CType = param.element
        where = param.where
        if preset is not None and element is None:
            raise TypeError(f"{where}: {param.info.text} cannot be preset")
        if preset is None and param.slot is None:
            raise TypeError(f"{where} is missing; the function takes {self._signature()}")
        if preset is not None and isinstance(preset.value, (list, tuple)):
            slot = _Slot(element * len(preset.value))
        elif param.length is not None or param.constant_length:
            slot = _Slot(element * self._length(param, given))
        else:
            slot = _Slot(element)
        if preset is not None:
            self._preset(slot, param, preset.value, keep, where)
        return slot

    def _preset(self, slot: _Slot, param: _Parameter, value: Any, keep: list[Any], where: str) -> None:
        if isinstance(value, Mapping):
            ctypes.memset(ctypes.addressof(slot.object), 0, ctypes.sizeof(slot.object))
            self._values.fill(slot.object, value, keep, where)
        else:
            items = value if isinstance(value, (list, tuple)) else [value]
            filled = self._values.array(param.info, items, keep, where)
            ctypes.memmove(ctypes.addressof(slot.object), filled, ctypes.sizeof(filled))
        slot.preset_done()

    def _length(self, param: _Parameter, given: Mapping[str, Any]) -> int:
        if param.length is None:
            return param.constant_length
        where = f"{self.api}: {param.length}"
        if param.length not in given:
            raise TypeError(f"{where} is missing; the function takes {self._signature()}")
        length = int(self._values.number(self._info(param.length), given[param.length], where))
        if not 0 <= length <= _LARGEST_TEXT:
            raise TypeError(f"{where} is {length}: give {param.name} yourself")
        return max(length, 1)

    def _info(self, name: str) -> TypeInfo:
        return next(param.info for param in self._params if param.name == name)

    def _signature(self) -> str:
        return ", ".join(param.name for param in self._function.params) or "no parameters"


def _parameter(library: Library, api: str, param: Param) -> _Parameter:
    info = library.types.info(param.type)
    key = (api, param.name)
    element = library.types.pointee(info)
    slot = element if param.direction != "in" and key not in _CALLERS_OWN else None
    length, constant = _LENGTHS.get(key), _CONSTANT_LENGTHS.get(key)
    if "[" in param.type or (info.category == "char" and length is None and constant is None):
        slot = None
    constant_length = library.contract.value(constant) if constant is not None else 0
    below = library.types.below(info)
    where = f"{api}: {param.name}"
    takes_int = info.is_pointer or info.category != "struct"
    return _Parameter(param.name, where, info, below, element, slot, length, constant_length, takes_int)
