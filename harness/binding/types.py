"""ctypes made from the contract's type texts, each when it is first asked for.

Every pointer and handle is a `c_void_p` at the C level: it takes an address, None, bytes, a ctypes object
or `byref`. What a pointer points at is kept in `TypeInfo`, for those who convert values and decode them
again. Enums are signed 32 bit, and any Python int is cut to the width of its type, so that values outside
an enum reach the library.
"""

from __future__ import annotations

import ctypes
import dataclasses
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from harness.contract import Contract, ContractError, Field

# A ctypes type: ctypes has no public common base class to name here.
CType = Any

_SCALARS: dict[str, CType] = {
    "bool": ctypes.c_bool,
    "char": ctypes.c_char,
    "unsigned char": ctypes.c_ubyte,
    "int": ctypes.c_int,
    "unsigned int": ctypes.c_uint,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "size_t": ctypes.c_size_t,
    "int8_t": ctypes.c_int8,
    "uint8_t": ctypes.c_uint8,
    "int16_t": ctypes.c_int16,
    "uint16_t": ctypes.c_uint16,
    "int32_t": ctypes.c_int32,
    "uint32_t": ctypes.c_uint32,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
}
_REALS = frozenset({"float", "double"})
_FUNCTION_POINTER = re.compile(r"(?P<returns>.+?)\s*\(\s*\*\s*(?:const)?\s*\)\s*\((?P<params>.*)\)")
_ARRAY = re.compile(r"\[\s*(\d*)\s*\]")


@dataclass(frozen=True)
class TypeInfo:
    """What a C type text means.

    `base` is the name without const, stars and brackets; `depth` counts stars and leading brackets; `inner`
    holds the fixed dimensions behind a leading bracket (`int64_t [][2]` -> depth 1, inner (2,)). `category`
    describes the base: void, char, integer, real, enum, handle (an address by itself), opaque (a struct
    without a public layout), struct, callback, or variadic.
    """

    text: str
    base: str
    depth: int
    inner: tuple[int, ...]
    category: str
    is_pointer: bool = dataclasses.field(init=False)
    """Whether a value of this type is an address at the C level."""

    def __post_init__(self) -> None:
        address = self.depth > 0 or self.category in ("handle", "callback", "opaque")
        object.__setattr__(self, "is_pointer", address)


@dataclass(frozen=True)
class Signature:
    """The C-level shape of a function or callback."""

    returns: TypeInfo
    params: tuple[tuple[str, TypeInfo], ...]


class TypeMap:
    """The types of one contract."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract
        self._infos: dict[str, TypeInfo] = {}
        self._structs: dict[str, CType] = {}
        self._fields: dict[CType, dict[str, tuple[TypeInfo | None, tuple[int, ...], CType]]] = {}
        self._callbacks: dict[str, CType] = {}
        self._inline: dict[str, Signature] = {}
        self._enumerators: dict[str, dict[int, str]] = {}

    def prepare(self) -> None:
        """Work out the types of all functions: for a process that others are forked from."""
        for function in self._contract.functions.values():
            self.result(self.info(function.returns))
            for param in function.params:
                if param.type != "...":
                    self.ctype(param.type)
                    self.pointee(self.info(param.type))

    def info(self, text: str) -> TypeInfo:
        """What a type text of the contract means."""
        found = self._infos.get(text)
        if found is None:
            found = self._infos[text] = self._parse(text)
        return found

    def ctype(self, text: str) -> CType:
        """The ctypes type of a value of this C type, as an argument or a field."""
        info = self.info(text)
        return ctypes.c_void_p if info.is_pointer else self._base(info)

    def pointee(self, info: TypeInfo) -> CType | None:
        """The ctypes type one pointer level below, or None where there is nothing to allocate (void,
        opaque).
        """
        if info.depth == 0:
            return None
        if info.depth > 1 or info.category in ("handle", "callback"):
            return ctypes.c_void_p
        if info.category in ("void", "opaque"):
            return None
        element = self._base(info)
        for size in reversed(info.inner):
            element = element * size
        return element

    def below(self, info: TypeInfo) -> TypeInfo:
        """The type one pointer level below."""
        return TypeInfo(info.text, info.base, info.depth - 1, (), info.category)

    def struct(self, name: str) -> CType:
        """The ctypes Structure or Union of a struct, its layout checked against the contract's facts.

        ContractError where ctypes lays it out differently from the compiler the facts come from.
        """
        found = self._structs.get(name)
        if found is None:
            facts = self._contract.structs[name]
            found = self._make_struct(name, facts.kind, facts.fields, facts.size, facts.align)
            self._structs[name] = found
        return found

    def fields(self, struct: CType) -> dict[str, tuple[TypeInfo | None, tuple[int, ...], CType]]:
        """The fields of a type made by `struct`: name -> (meaning, array dimensions, ctypes type of one
        element).

        The meaning is None for a nested union without a type name; its ctypes type is then given.
        """
        return self._fields[struct]

    def signature(self, info: TypeInfo) -> Signature:
        """The shape of a callback type; ContractError where the contract has none."""
        inline = self._inline.get(info.base)
        if inline is not None:
            return inline
        facts = self._contract.typedefs.get(info.base)
        if facts is None or facts.kind != "callback":
            raise ContractError(f"typedefs.json: {info.base} has no signature")
        params = tuple((param.name, self.info(param.type)) for param in facts.params or ())
        return Signature(self.info(facts.returns or "void"), params)

    def callback(self, info: TypeInfo) -> CType:
        """The CFUNCTYPE of a callback type. Every pointer arrives as an int, a `const char *` as bytes or
        None.
        """
        found = self._callbacks.get(info.base)
        if found is None:
            shape = self.signature(info)
            found = ctypes.CFUNCTYPE(
                self.result(shape.returns), *(self._callback_argument(param) for _, param in shape.params)
            )
            self._callbacks[info.base] = found
        return found

    def result(self, info: TypeInfo) -> CType:
        """The ctypes type of a returned value: None for void, `c_char_p` for a text."""
        if info.is_pointer:
            return ctypes.c_char_p if info.category == "char" and info.depth == 1 else ctypes.c_void_p
        return None if info.category == "void" else self._base(info)

    def enumerator(self, enum: str, value: int) -> str | None:
        """The name of a value in an enum (the first one where several share it), or None."""
        names = self._enumerators.get(enum)
        if names is None:
            names = {}
            for name, number in self._contract.enums[enum].values.items():
                names.setdefault(number, name)
            self._enumerators[enum] = names
        return names.get(value)

    def _callback_argument(self, info: TypeInfo) -> CType:
        # A text is only read where the header says const: anything else is a buffer to be written.
        if info.category == "char" and info.depth == 1 and info.text.startswith("const"):
            return ctypes.c_char_p
        return ctypes.c_void_p if info.is_pointer else self._base(info)

    def _base(self, info: TypeInfo) -> CType:
        if info.category == "enum":
            return ctypes.c_int32
        if info.category == "struct":
            return self.struct(info.base)
        try:
            return _SCALARS[info.base]
        except KeyError:
            raise ContractError(f"the type {info.text!r} has no value of its own") from None

    def _parse(self, text: str) -> TypeInfo:
        if text == "...":
            return TypeInfo(text, "...", 0, (), "variadic")
        function = _FUNCTION_POINTER.fullmatch(text)
        if function is not None:
            self._inline[text] = Signature(
                self.info(function["returns"]), tuple(self._unnamed(function["params"]))
            )
            return TypeInfo(text, text, 0, (), "callback")
        dimensions = [int(size or 0) for size in _ARRAY.findall(text)]
        bare = _ARRAY.sub("", text)
        depth = bare.count("*") + bool(dimensions)
        words = [
            word
            for word in bare.replace("*", " ").split()
            if word not in ("const", "struct", "union", "enum")
        ]
        base = " ".join(words)
        return self._resolve(text, base, depth, tuple(dimensions[1:]))

    def _unnamed(self, params: str) -> Iterator[tuple[str, TypeInfo]]:
        for number, param in enumerate(part.strip() for part in params.split(",")):
            if param and param != "void":
                yield f"arg{number}", self.info(param)

    def _resolve(self, text: str, base: str, depth: int, inner: tuple[int, ...]) -> TypeInfo:
        if base == "void":
            return TypeInfo(text, base, depth, inner, "void")
        if base == "char":
            return TypeInfo(text, base, depth, inner, "char")
        if base in _SCALARS:
            return TypeInfo(text, base, depth, inner, "real" if base in _REALS else "integer")
        if base in self._contract.enums:
            return TypeInfo(text, base, depth, inner, "enum")
        if base in self._contract.structs:
            return TypeInfo(text, base, depth, inner, "struct")
        facts = self._contract.typedefs.get(base)
        if facts is None:
            # va_list, and typedefs the headers leave out: all of them are addresses.
            return TypeInfo(text, base, depth, inner, "handle")
        if facts.kind == "scalar":
            return self._resolve(text, facts.type, depth, inner)
        if facts.kind == "opaque_struct":
            return TypeInfo(text, base, depth, inner, "opaque")
        return TypeInfo(text, base, depth, inner, "callback" if facts.kind == "callback" else "handle")

    def _make_struct(
        self, name: str, kind: str, fields: tuple[Field, ...], size: int, align: int | None
    ) -> CType:
        layout: list[tuple[str, CType]] = []
        anonymous: list[str] = []
        described: dict[str, tuple[TypeInfo | None, tuple[int, ...], CType]] = {}
        for number, field in enumerate(fields):
            dimensions = tuple(field.array or ())
            label = field.name or f"_unnamed{number}"
            info: TypeInfo | None = None
            if field.members:
                element = self._make_struct(f"{name}.{label}", "union", field.members, field.size, None)
            else:
                info = self.info(field.type)
                element = self.ctype(field.type)
            if field.name is None:
                anonymous.append(label)
                described.update(self._fields[element])
            else:
                described[label] = (info, dimensions, element)
            complete = element
            for length in reversed(dimensions):
                complete = complete * length
            layout.append((label, complete))
        base: Any = ctypes.Union if kind == "union" else ctypes.Structure
        body: dict[str, Any] = {"_anonymous_": anonymous, "_fields_": layout}
        made = type(base)(name, (base,), body)
        self._check_layout(name, made, fields, [label for label, _ in layout], size, align)
        self._fields[made] = described
        return made

    @staticmethod
    def _check_layout(
        name: str,
        made: CType,
        fields: tuple[Field, ...],
        labels: list[str],
        size: int,
        align: int | None,
    ) -> None:
        # Members of a nested union carry offsets from the outermost struct, so they are compared from the
        # first one.
        origin = fields[0].offset if fields and align is None else 0
        for field, label in zip(fields, labels, strict=True):
            laid = getattr(made, label)
            if (laid.offset + origin, laid.size) != (field.offset, field.size):
                raise ContractError(
                    f"structs.json: {name}.{label}: offset {field.offset} size {field.size} in the facts, "
                    f"offset {laid.offset + origin} size {laid.size} as laid out here"
                )
        if ctypes.sizeof(made) != size or (align is not None and ctypes.alignment(made) != align):
            raise ContractError(
                f"structs.json: {name}: size {size} alignment {align} in the facts, "
                f"size {ctypes.sizeof(made)} alignment {ctypes.alignment(made)} as laid out here"
            )


@functools.lru_cache(maxsize=8)
def type_map(contract: Contract) -> TypeMap:
    """The one TypeMap of a contract: a struct made through any library is the same ctypes type."""
    return TypeMap(contract)
