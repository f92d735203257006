"""The contract as one object: what is promised where, what is supported, what a name or a code means."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

import msgspec

from harness.contract.errors import ContractError
from harness.contract.model import (
    Enum,
    ErrorClass,
    ErrorCode,
    Function,
    Macro,
    Param,
    Product,
    PyAclFunction,
    PyAclNotes,
    Rule,
    Struct,
    Typedef,
)
from harness.contract.nearest import perhaps
from harness.contract.versions import matches

CURRENT_VERSION = "9.0"

# Chapter 11 also owns what its files say about functions documented elsewhere (descriptors in 25-03).
_FILES_OF_CHAPTER = {
    "11": (
        "memory_alloc",
        "memory_copy",
        "virtual_memory",
        "unified_addressing",
        "ipc_memory",
        "allocator",
        "stream_memory",
    )
}

_CLASSES: dict[int, ErrorClass] = {1: "caller", 2: "resource", 3: "business", 5: "internal"}


class Facts(msgspec.Struct, frozen=True):
    """Everything but the rules, as decoded."""

    functions: dict[str, Function]
    enums: dict[str, Enum]
    structs: dict[str, Struct]
    typedefs: dict[str, Typedef]
    macros: dict[str, Macro]
    errors: dict[str, ErrorCode]
    products: dict[str, Product]
    pyacl: dict[str, PyAclFunction]
    pyacl_notes: PyAclNotes


class Contract:
    """Facts and rules with the look-ups over them; made by `load()` and never changed after."""

    def __init__(self, facts: Facts, rules: dict[str, Rule], digest: str) -> None:
        self.functions = facts.functions
        self.enums = facts.enums
        self.structs = facts.structs
        self.typedefs = facts.typedefs
        self.macros = facts.macros
        self.errors = facts.errors
        self.products = facts.products
        self.pyacl = facts.pyacl
        self.pyacl_notes = facts.pyacl_notes
        self.rules = rules
        self.hash = digest

    @cached_property
    def version(self) -> str:
        """The API version of the headers the facts come from, such as "1.17.0"."""
        parts = (self.value(f"ACL_{part}_VERSION") for part in ("MAJOR", "MINOR", "PATCH"))
        return ".".join(str(part) for part in parts)

    def function(self, api: str) -> Function:
        """The facts of a C function; ContractError where there is none of that name."""
        found = self.functions.get(api)
        if found is None:
            raise ContractError(f"no such function: {api}{perhaps(api, self.functions)}")
        return found

    def rule(self, rule_id: str) -> Rule:
        """The rule of that id; ContractError where there is none."""
        found = self.rules.get(rule_id)
        if found is None:
            raise ContractError(f"no such rule: {rule_id}{perhaps(rule_id, self.rules)}")
        return found

    def promised(
        self, api: str, product: str | None = None, form: str | None = None, version: str | None = None
    ) -> tuple[Rule, ...]:
        """The rules of a C function, narrowed to a product key, a host form and a CANN version if given."""
        self.function(api)
        return tuple(
            rule
            for rule in self._by_api.get(api, ())
            if (product is None or rule.products == "all" or product in rule.products)
            and (form is None or rule.forms == "all" or form in rule.forms)
            and (version is None or matches(rule.versions, version))
        )

    def supports(self, api: str, product: str, form: str = "EP", soc: str | None = None) -> bool:
        """Whether the documents list a C function as supported on a product in a host form.

        A function without a support table (reserved, undocumented) is supported nowhere. A product whose
        members differ counts as supporting when one of them does; with `soc`, a SoC name, that one decides.
        """
        function = self.function(api)
        self._product(product)
        if function.products is None or not function.products.get(product, False):
            return False
        if form in function.forms_unsupported.get(product, ()):
            return False
        if soc is not None:
            for name, supported in function.product_variants.get(product, {}).items():
                if soc.startswith(name.replace(" ", "")):
                    return supported
        return True

    def rules_of_chapter(self, token: str) -> list[Rule]:
        """The rules of a chapter or group, in file order; ContractError for an unknown token.

        Tokens: a chapter ("11" with all its sections, "11-03", "ge:aclmdlDesc", "ge" for all of it), a rule
        file ("memory_copy"), or a group: "memory" (chapter 11), "models" (loading, describing and executing
        models), "pyacl" (functions that pyACL offers).
        """
        found = [rule for rule in self.rules.values() if self._belongs(rule, token)]
        if not found:
            raise ContractError(
                f"no such chapter: {token}: expected a chapter such as 11 or 11-03, a rule file such as "
                f"memory_copy, or one of memory, models, pyacl{perhaps(token, self._chapter_names)}"
            )
        return found

    def value(self, name: str) -> int:
        """The number an enumerator, macro or return code stands for; ContractError where there is none."""
        found = self._values.get(name)
        if found is None:
            raise ContractError(f"no such enumerator, macro or return code: {name}")
        return found

    def error_name(self, code: int) -> str:
        """The name of a return code, not a deprecated one where there is a choice; "unknown (CODE)" else."""
        return self._error_names.get(code, f"unknown ({code})")

    def error_class(self, code: int) -> ErrorClass:
        """Who has to act on a return code, by its hundred-thousands."""
        if code == 0:
            return "success"
        return _CLASSES.get(code // 100_000, "unknown")

    def forms(self, product: str) -> tuple[str, ...]:
        """The host forms of a product; EP where no document names any."""
        forms = self._product(product).forms
        return forms if forms is not None else ("EP",)

    def matrix(self) -> tuple[tuple[str, str], ...]:
        """Every (product, form) of the support tables."""
        return tuple(
            (key, form)
            for key, product in self.products.items()
            if product.in_support_matrix
            for form in self.forms(key)
        )

    def given_by_caller(self, param: Param) -> bool:
        """Whether a call needs a value for a parameter although its direction is `out`.

        True for every `in` and `inout`; for an `out` handle or opaque object, which the library made before;
        and for a plain `void *`, whose size only the caller knows.
        """
        if param.direction != "out":
            return True
        bare = param.type.replace("const ", "").strip()
        target = self.typedefs.get(bare.removesuffix("*").strip())
        opaque = target is not None and target.kind == "opaque_struct"
        return opaque or bare == "void *" or ("*" not in bare and "[" not in bare)

    def pyacl_of(self, api: str) -> str | None:
        """The pyACL name of a C function ("acl.rt.malloc"), or None where pyACL has none."""
        return self._pyacl_by_c.get(api)

    def _product(self, key: str) -> Product:
        found = self.products.get(key)
        if found is None:
            raise ContractError(f"no such product: {key}: expected one of {', '.join(self.products)}")
        return found

    def _belongs(self, rule: Rule, token: str) -> bool:
        if token == rule.file:
            return True
        chapter = self.functions[rule.api].chapter or ""
        if token == "pyacl":
            return rule.api in self._pyacl_by_c
        if token == "models":
            return rule.file.startswith(("model_", "founding_model"))
        if token == "memory":
            token = "11"
        return (
            chapter == token
            or chapter.startswith((f"{token}-", f"{token}:"))
            or rule.file in _FILES_OF_CHAPTER.get(token, ())
        )

    @cached_property
    def _chapter_names(self) -> list[str]:
        """The chapters and rule files, as far as they can be mistyped."""
        chapters = (self.functions[rule.api].chapter for rule in self.rules.values())
        return list(dict.fromkeys([*(rule.file for rule in self.rules.values()), *filter(None, chapters)]))

    @cached_property
    def _by_api(self) -> dict[str, list[Rule]]:
        index: defaultdict[str, list[Rule]] = defaultdict(list)
        for rule in self.rules.values():
            index[rule.api].append(rule)
        return dict(index)

    @cached_property
    def _values(self) -> dict[str, int]:
        values: dict[str, int] = {}
        for enum in self.enums.values():
            values.update(enum.values)
        for name, macro in self.macros.items():
            if isinstance(macro.value, int):
                values[name] = macro.value
        values.update((name, error.value) for name, error in self.errors.items())
        return values

    @cached_property
    def _error_names(self) -> dict[int, str]:
        names: dict[int, str] = {}
        for name, error in self.errors.items():
            if error.value not in names or (not error.deprecated and name == "ACL_SUCCESS"):
                names[error.value] = name
        return names

    @cached_property
    def _pyacl_by_c(self) -> dict[str, str]:
        return {function.c: name for name, function in self.pyacl.items() if function.c is not None}
