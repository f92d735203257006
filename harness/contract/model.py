"""The typed model of the contract: one frozen struct per kind of fact, and the rule.

Everything is decoded by msgspec, which refuses unknown fields and wrong types. Sizes and offsets are bytes on
x86-64, which is also their value on aarch64.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from harness.contract.versions import matches

Direction = Literal["in", "out", "inout"]
Expectation = Literal["success", "error", "data", "unspecified"]
CaseExpectation = Literal["success", "error", "unspecified"]
ErrorSource = Literal["doc", "source"]
ErrorClass = Literal["success", "caller", "resource", "business", "internal", "unknown"]
RuleType = Literal[
    "limit",
    "alignment",
    "unsupported-value",
    "reserved-argument",
    "null-argument",
    "precondition",
    "lifecycle",
    "idempotence",
    "ordering",
    "async-completion",
    "data",
    "context",
    "thread",
    "capture",
    "concurrency",
    "product",
    "form",
    "return-code",
    "query",
    "deprecated",
    "resource",
]
Form = Literal["EP", "RC", "ccpu"]
CaseValue = int | str | list[int | str | None] | None


class Param(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """One parameter of a C function.

    `direction` is what the document says (`direction_from` tells where it was found); where the header says
    otherwise that stands in `direction_header`. The document decides: it is the promise.
    """

    name: str
    type: str
    direction: Direction
    direction_from: Literal["doc", "header", "type"] = "header"
    direction_header: Direction | None = None
    doc_name: str | None = None


class OverloadParam(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """One parameter of a C++ overload; `direction` is None where nothing says it."""

    name: str
    type: str
    direction: Direction | None
    default: str | None = None


class Overload(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One C++ signature of a function that the C++ header overloads."""

    returns: str
    template: tuple[str, ...]
    params: tuple[OverloadParam, ...]
    documented: bool


class Overloads(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The C++ overloads of a function, with the products they exist on."""

    header: str
    chapter: str | None
    doc: str | None
    products: dict[str, bool] | None
    overloads: tuple[Overload, ...]


class Function(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One public C function: prototype, library, product support, chapter and document.

    `products` is None where no support table exists (reserved and undocumented functions);
    `forms_unsupported` lists host forms of a supporting product that the function refuses;
    `product_variants` splits a product by marketing name where its members differ.
    """

    header: str
    library_group: str
    library: str
    returns: str
    params: tuple[Param, ...]
    products: dict[str, bool] | None
    deprecated: bool
    replaced_by: str | None
    chapter: str | None
    doc: str | None
    documented: bool
    in_header: bool
    status: Literal["normal", "experimental", "reserved"]
    variadic: bool = False
    chapter_deprecated: bool = False
    deprecated_in: tuple[str, ...] = ()
    cpp_overloads: Overloads | None = None
    forms_unsupported: dict[str, tuple[Form, ...]] = {}
    replaced_by_all: tuple[str, ...] = ()
    product_variants: dict[str, dict[str, bool]] = {}
    name: str = ""

    def param(self, name: str) -> Param | None:
        """The parameter of that C name, or None."""
        for param in self.params:
            if param.name == name:
                return param
        return None


class Enum(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One C enumeration with its enumerators, and which of them a product does not take."""

    header: str
    tag: str | None
    typedef: bool
    values: dict[str, int]
    documented: bool
    doc: str | None
    unsupported_values: tuple[str, ...] = ()
    no_effect_by_value: dict[str, tuple[str, ...]] = {}
    products_by_value: dict[str, dict[str, bool]] = {}
    undocumented_values: tuple[str, ...] = ()
    deprecated_values: dict[str, str] = {}
    doc_only_values: tuple[str, ...] = ()
    reserved_values: tuple[str, ...] = ()


class Field(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One field of a C struct; `name` is None for an anonymous union, whose choices are `members`."""

    name: str | None
    type: str
    offset: int
    size: int
    array: tuple[int, ...] = ()
    members: tuple[Field, ...] = ()
    deprecated: bool = False
    replaced_by: str | None = None


class Struct(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One C struct or union with its checked layout in bytes."""

    header: str
    kind: Literal["struct", "union"]
    tag: str | None
    typedef: bool
    size: int
    align: int
    fields: tuple[Field, ...]
    documented: bool
    doc: str | None
    doc_missing_fields: tuple[str, ...] = ()
    doc_only_fields: tuple[str, ...] = ()

    def field(self, name: str) -> Field | None:
        """The field of that name, looking into anonymous unions, or None."""
        for field in self.fields:
            if field.name == name:
                return field
            if field.name is None:
                for member in field.members:
                    if member.name == name:
                        return member
        return None


class TypedefParam(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """One parameter of a callback type."""

    name: str
    type: str


class Typedef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A handle, opaque struct, scalar or callback type."""

    kind: Literal["opaque_struct", "handle", "callback", "scalar"]
    type: str
    header: str
    documented: bool
    doc: str | None
    returns: str | None = None
    params: tuple[TypedefParam, ...] = ()


class Macro(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A constant of the headers: an integer, or text."""

    type: Literal["macro", "int"]
    header: str
    value: int | str
    documented: bool


class ErrorCode(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A return code of aclError and where it is documented."""

    value: int
    group: str
    type: str
    header: str
    deprecated: bool
    replaced_by: str | None
    documented: bool
    doc: tuple[str, ...]


class Soc(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """What the public configuration of one SoC name says; sizes in bytes, None where it says nothing."""

    short_soc_version: str
    npu_arch: int
    aic_version: str
    config_set: str
    ai_core_cnt: int
    vector_core_cnt: int
    l2_size: int
    cube_core_cnt: int | None = None
    ai_cpu_cnt: int | None = None
    memory_size: int | None = None
    max_stream_num: int | None = None
    max_hardware_eventid_num: int | None = None
    max_notifyid_num: int | None = None
    max_modelid_num: int | None = None


class Product(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A product family; `forms` is None where no document names its host forms."""

    names: tuple[str, ...]
    names_en: tuple[str, ...]
    npu_arch: int
    in_support_matrix: bool
    forms: tuple[Form, ...] | None
    soc_versions: tuple[str, ...]
    soc: dict[str, Soc]


class PyAclFunction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One function of pyACL: the C function behind it, its positions and its return values."""

    c: str | None
    args: tuple[str, ...]
    returns: tuple[str, ...]
    form: Literal["code", "tuple", "value", "none"]
    doc: str
    seen_in: tuple[str, ...]
    confirmed: bool
    optional: tuple[str, ...] = ()
    note: str | None = None
    partial_build: bool = False


class NoBinding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """C functions without a pyACL function, and the name the naming rule would give them."""

    about: str
    functions: dict[str, str]


class PyAclNotes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The conventions that hold for the whole pyACL surface."""

    about: str
    modules: dict[str, str]
    absent_modules: tuple[str, ...]
    conventions: dict[str, str | tuple[str, ...]]
    extra_checks_in_binding: dict[str, str]
    no_binding: NoBinding


class ArgumentCase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments that replace those of a function's valid call; see `harness.contract.cases` for the language.

    `expect` is None where the rule's own outcome holds; `outputs` are what out parameters hold after,
    and under `return` what a function without a code gives back;
    `partial` says that a refused call may have written some of its blocks before.
    """

    set: dict[str, CaseValue]
    expect: CaseExpectation | None = None
    outputs: dict[str, CaseValue] = {}
    partial: bool = False
    note: str | None = None


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One checkable promise of one C function.

    `products`, `forms` and `versions` say where it holds; `normative` whether a document states the outcome;
    `error` the code and `error_from` who names it; `cases` its machine-readable form where it has one;
    `untestable` why a black box cannot show it; `file` the stem of the rule file.
    """

    id: str
    api: str
    rule: str
    type: RuleType
    products: Literal["all"] | tuple[str, ...]
    forms: Literal["all"] | tuple[str, ...]
    versions: str
    normative: bool
    expect: Expectation
    check: str
    doc: str
    error: str | None = None
    error_from: ErrorSource | None = None
    code: str | None = None
    note: str | None = None
    cases: tuple[ArgumentCase, ...] = ()
    untestable: str | None = None
    file: str = ""

    def applies(self, product: str, form: str, version: str) -> bool:
        """Whether the promise holds on a product key, in a host form, with a CANN version."""
        return (
            (self.products == "all" or product in self.products)
            and (self.forms == "all" or form in self.forms)
            and (self.versions == "all" or matches(self.versions, version))
        )

    @property
    def strength(self) -> Literal["must", "expected", "observed"]:
        """must: the document states the outcome; expected: only known; observed: left open."""
        if self.expect == "unspecified":
            return "observed"
        return "must" if self.normative else "expected"

    @property
    def doc_error(self) -> str | None:
        """The error a document names, the only one that may be asserted; else None."""
        return self.error if self.error_from == "doc" else None
