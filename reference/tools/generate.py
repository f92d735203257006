"""Writes the public headers and the support tables of the reference device from the contract's facts.

Usage: generate.py CONTRACT_DATA OUTPUT

Into OUTPUT go
  include/acl/*.h              the public headers: enums, structs, handles, codes, prototypes (C99 and C++)
  private/generated/functions.hpp   functions, products, what each product and host form supports
  private/generated/layout_check.inc  static assertions of every struct's size and offsets

Only the standard library is used: the generator runs inside the CMake build, where nothing else is promised.
A file whose text would not change is left alone, so that nothing is compiled again without need.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Fact = dict[str, Any]
Facts = dict[str, Fact]

WORD = re.compile(r"[A-Za-z_]\w*")

# Numbers of one SoC, in the order of SocFacts.
SOC_FIELDS = ("ai_core_cnt", "cube_core_cnt", "vector_core_cnt", "ai_cpu_cnt", "memory_size", "l2_size")

# The umbrella headers of the public layout; they declare nothing of their own.
UMBRELLAS: dict[str, tuple[str, ...]] = {
    "acl_base.h": ("acl_base_rt.h", "acl_base_mdl.h"),
    "acl.h": ("acl_base.h", "acl_rt.h", "acl_op.h", "acl_mdl.h"),
}

# What a header must include although no type in it says so.
INCLUDES: dict[str, tuple[str, ...]] = {
    "acl_base_rt.h": ("error_codes/rt_error_codes.h",),
    "acl_base_mdl.h": ("acl_base_rt.h", "error_codes/ge_error_codes.h"),
    "acl_rt.h": ("acl_base_rt.h",),
    "acl_mdl.h": ("acl_base.h", "acl_rt.h"),
    "acl_op.h": ("acl_base.h", "acl_rt.h"),
}


def declare(ctype: str, name: str) -> str:
    """A C declaration of `name` with a type written as in the contract, e.g. "const T * const []"."""
    pointer = re.search(r"\(\*\s*(?:const)?\s*\)", ctype)
    if pointer:
        inner = pointer.group(0)[:-1].rstrip()
        separator = "" if inner.endswith("*") else " "
        return f"{ctype[: pointer.start()]}{inner}{separator}{name}){ctype[pointer.end() :]}"
    bracket = ctype.find("[")
    suffix = ""
    if bracket >= 0:
        ctype, suffix = ctype[:bracket].rstrip(), ctype[bracket:]
    separator = "" if ctype.endswith("*") else " "
    return f"{ctype}{separator}{name}{suffix}"


def literal(value: object) -> str:
    """A macro's value as C text."""
    if isinstance(value, str):
        return json.dumps(value)
    if not isinstance(value, int):
        raise TypeError(f"macro value {value!r} is neither a number nor a text")
    if value > 0x7FFFFFFFFFFFFFFF:
        return f"{value}ULL"
    if value > 0x7FFFFFFF:
        return f"0x{value:X}ULL" if value > 0xFFFFFFFF else f"0x{value:X}U"
    return f"({value})" if value < 0 else str(value)


class Contract:
    """The facts of one data folder."""

    def __init__(self, folder: Path) -> None:
        def load(name: str) -> Facts:
            facts: Facts = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
            return facts

        self.functions = load("functions")
        self.enums = load("enums")
        self.structs = load("structs")
        self.typedefs = load("typedefs")
        self.macros = load("macros")
        self.errors = load("errors")
        self.products = load("products")
        self.types: Facts = {**self.enums, **self.structs, **self.typedefs}

    def headers(self) -> list[str]:
        every = [self.functions, self.types, self.macros, self.errors]
        return sorted({fact["header"] for facts in every for fact in facts.values()})


def field_lines(field: Fact, indent: str) -> list[str]:
    if "members" in field:
        lines = [f"{indent}{field['type']} {{"]
        for member in field["members"]:
            lines += field_lines(member, indent + "    ")
        name = field["name"]
        lines.append(f"{indent}}} {name};" if name else f"{indent}}};")
        return lines
    suffix = "".join(f"[{extent}]" for extent in field.get("array", []))
    return [f"{indent}{declare(field['type'], field['name'])}{suffix};"]


def enum_text(name: str, fact: Fact) -> str:
    values = ",\n".join(f"    {key} = {value}" for key, value in fact["values"].items())
    tag = f" {fact['tag']}" if fact["tag"] else ""
    if fact["typedef"]:
        return f"typedef enum{tag} {{\n{values}\n}} {name};"
    # The prototypes name it without the keyword, which C does not allow for a bare tag.
    return f"enum {name} {{\n{values}\n}};\ntypedef enum {name} {name};"


def struct_text(name: str, fact: Fact) -> str:
    lines: list[str] = []
    for field in fact["fields"]:
        lines += field_lines(field, "    ")
    body = "\n".join(lines)
    tag = f" {fact['tag']}" if fact["tag"] else ""
    if fact["typedef"]:
        return f"typedef {fact['kind']}{tag} {{\n{body}\n}} {name};"
    return f"{fact['kind']} {name} {{\n{body}\n}};\ntypedef {fact['kind']} {name} {name};"


def typedef_text(name: str, fact: Fact) -> str:
    return f"typedef {declare(fact['type'], name)};"


def type_words(fact: Fact) -> set[str]:
    """Names of the types a type's definition needs."""
    if "fields" not in fact:
        return set(WORD.findall(fact.get("type", "")))
    words: set[str] = set()
    todo = list(fact["fields"])
    while todo:
        field = todo.pop()
        words |= set(WORD.findall(field["type"]))
        todo += field.get("members", [])
    return words


def in_order(names: Iterable[str], facts: Facts) -> list[str]:
    """The names so that each comes after what it needs; otherwise in the given order."""
    wanted = list(names)
    known, done, out = set(wanted), set[str](), list[str]()

    def visit(name: str) -> None:
        if name in done:
            return
        done.add(name)
        for word in sorted(type_words(facts[name]) & known):
            visit(word)
        out.append(name)

    for name in wanted:
        visit(name)
    return out


def products_of(fact: Fact) -> str:
    if fact["products"] is None:
        return "not documented"
    return " ".join(key for key, supported in fact["products"].items() if supported) or "none"


def prototype(name: str, fact: Fact) -> str:
    params = ["..." if p["type"] == "..." else declare(p["type"], p["name"]) for p in fact["params"]]
    head = f"ACL_FUNC_VISIBILITY {declare(fact['returns'], name)}("
    return head + (", ".join(params) if params else "void") + ");"


def guard(header: str) -> str:
    return "ACLREF_" + re.sub(r"\W", "_", header).upper() + "_"


def relative_include(header: str, target: str) -> str:
    """Where `target` lies seen from `header`: both are paths below the acl folder."""
    depth = header.count("/")
    return "../" * depth + target


class HeaderWriter:
    """Text of one public header."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract

    def includes(self, header: str) -> list[str]:
        contract = self.contract
        words: set[str] = set()
        for fact in contract.functions.values():
            if fact["header"] == header:
                words |= set(WORD.findall(fact["returns"]))
                for param in fact["params"]:
                    words |= set(WORD.findall(param["type"]))
        for fact in contract.types.values():
            if fact["header"] == header:
                words |= type_words(fact)
        needed = {contract.types[w]["header"] for w in words if w in contract.types}
        needed |= set(INCLUDES.get(header, ()))
        needed.discard(header)
        return sorted(needed)

    def text(self, header: str) -> str:
        contract = self.contract
        mine = [name for name, fact in contract.types.items() if fact["header"] == header]
        macros = [name for name, fact in contract.macros.items() if fact["header"] == header]
        errors = [name for name, fact in contract.errors.items() if fact["header"] == header]
        functions = [name for name, fact in contract.functions.items() if fact["header"] == header]
        out = [
            "/* Generated from the contract's facts. */",
            f"#ifndef {guard(header)}",
            f"#define {guard(header)}",
            "",
        ]
        if mine or functions:
            out += [f"#include <{name}.h>" for name in ("stdarg", "stdbool", "stddef", "stdint")]
        out += [f'#include "{relative_include(header, target)}"' for target in self.includes(header)]
        if functions:
            out += [
                "",
                "#ifndef ACL_FUNC_VISIBILITY",
                '#define ACL_FUNC_VISIBILITY __attribute__((visibility("default")))',
                "#endif",
            ]
        if mine or functions:
            out += ["", "#ifdef __cplusplus", 'extern "C" {', "#endif"]
        if errors:
            out.append("")
            by_value = sorted(errors, key=lambda name: (contract.errors[name]["value"], name))
            out += [f"#define {name} {literal(contract.errors[name]['value'])}" for name in by_value]
        if macros:
            out.append("")
            out += [f"#define {name} {literal(contract.macros[name]['value'])}" for name in macros]
        for name in in_order(mine, contract.types):
            fact = contract.types[name]
            if name in contract.enums:
                out += ["", enum_text(name, fact)]
            elif name in contract.structs:
                out += ["", struct_text(name, fact)]
            else:
                out += ["", typedef_text(name, fact)]
        for name in functions:
            fact = contract.functions[name]
            remark = "; deprecated" if fact["deprecated"] else ""
            out += ["", f"/* {fact['doc'] or 'undocumented'}; products: {products_of(fact)}{remark} */"]
            out.append(prototype(name, fact))
        if mine or functions:
            out += ["", "#ifdef __cplusplus", "}", "#endif"]
        out += ["", f"#endif /* {guard(header)} */", ""]
        return "\n".join(out)

    def umbrella(self, header: str, targets: tuple[str, ...]) -> str:
        lines = ["/* Generated from the contract's facts. */", f"#ifndef {guard(header)}"]
        lines += [f"#define {guard(header)}", ""]
        lines += [f'#include "{target}"' for target in targets]
        lines += ["", f"#endif /* {guard(header)} */", ""]
        return "\n".join(lines)


def offset_asserts(name: str, fact: Fact) -> list[str]:
    lines = [f'ACLREF_LAYOUT(sizeof({name}) == {fact["size"]}, "size of {name}");']
    for field in fact["fields"]:
        fields = field["members"] if field["name"] is None else [field]
        for one in fields:
            path = one["name"]
            lines.append(
                f'ACLREF_LAYOUT(offsetof({name}, {path}) == {one["offset"]}, "offset of {name}.{path}");'
            )
    return lines


def layout_text(contract: Contract) -> str:
    lines = ["/* Generated: every struct is as large and laid out as the contract says. */"]
    lines += [f'#include "acl/{header}"' for header in contract.headers()]
    for name, fact in contract.structs.items():
        lines += offset_asserts(name, fact)
    return "\n".join(lines) + "\n"


def product_id(key: str) -> str:
    """A C++ name for a product key: 910b becomes p910b."""
    return key if key[0].isalpha() else f"p{key}"


def first_soc_facts(fact: Fact, name: str) -> Fact:
    facts: Fact = fact.get("soc", {}).get(name, {})
    return facts


def functions_text(contract: Contract) -> str:
    products = [key for key, fact in contract.products.items() if fact["in_support_matrix"]]
    bit = {key: 1 << position for position, key in enumerate(products)}
    names = list(contract.functions)
    out = [
        "// Generated from the contract's facts: which functions there are and where they are promised.",
        "#pragma once",
        "",
        "#include <array>",
        "#include <cstddef>",
        "#include <cstdint>",
        "",
        "namespace aclref {",
        "",
        "enum class Product : std::uint8_t {",
        *[f"    {product_id(key)}," for key in products],
        "};",
        f"inline constexpr std::size_t product_count = {len(products)};",
        "/// Product keys as the contract spells them, by Product.",
        f"inline constexpr std::array<const char*, {len(products)}> product_keys{{{{",
        *[f'    "{key}",' for key in products],
        "}};",
        "/// NPU architecture numbers, by Product.",
        f"inline constexpr std::array<std::uint32_t, {len(products)}> product_npu_arch{{{{",
        *[f"    {contract.products[key]['npu_arch']}," for key in products],
        "}};",
        "/// Host forms a product comes in (bit 0 EP, 1 RC, 2 ccpu), by Product.",
        f"inline constexpr std::array<std::uint8_t, {len(products)}> product_forms{{{{",
    ]
    form_bit = {"EP": 1, "RC": 2, "ccpu": 4}
    for key in products:
        out.append(f"    {sum(form_bit[form] for form in contract.products[key]['forms'] or ['EP'])},")
    out += [
        "}};",
        "",
        "/// What the contract knows of one SoC; 0 where it knows nothing.",
        "struct SocFacts {",
        "    Product product;",
        "    const char* name;",
        "    std::uint32_t ai_cores;",
        "    std::uint32_t cube_cores;",
        "    std::uint32_t vector_cores;",
        "    std::uint32_t ai_cpus;",
        "    std::uint64_t memory_bytes;",
        "    std::uint64_t l2_bytes;",
        "};",
    ]
    socs = [
        (key, soc, first_soc_facts(contract.products[key], soc))
        for key in products
        for soc in contract.products[key]["soc_versions"]
    ]
    out.append(f"inline constexpr std::array<SocFacts, {len(socs)}> soc_facts{{{{")
    for key, soc, fact in socs:
        listed = ", ".join(str(fact.get(field) or 0) for field in SOC_FIELDS)
        out.append(f'    {{Product::{product_id(key)}, "{soc}", {listed}}},')
    out += ["}};", "", "enum class Function : std::uint16_t {"]
    out += [f"    {name}," for name in names]
    out += [
        "};",
        f"inline constexpr std::size_t function_count = {len(names)};",
        "/// Function names, by Function; sorted as the contract lists them.",
        f"inline constexpr std::array<const char*, {len(names)}> function_names{{{{",
        *[f'    "{name}",' for name in names],
        "}};",
        "/// Products that support a function (bit = Product), by Function.",
        f"inline constexpr std::array<std::uint8_t, {len(names)}> function_products{{{{",
    ]
    for name in names:
        table = contract.functions[name]["products"]
        # No table: no document restricts the function, so no product refuses it.
        supported = dict.fromkeys(products, True) if table is None else table
        out.append(f"    {sum(bit[key] for key in products if supported.get(key))},  // {name}")
    refusals = [
        (name, key, form)
        for name in names
        for key, forms in contract.functions[name].get("forms_unsupported", {}).items()
        for form in forms
    ]
    out += [
        "}};",
        "",
        "/// A function that a product supports, but not in this host form (bit as in product_forms).",
        "struct FormRefusal {",
        "    Function function;",
        "    Product product;",
        "    std::uint8_t form;",
        "};",
        f"inline constexpr std::array<FormRefusal, {len(refusals)}> form_refusals{{{{",
        *[
            f"    {{Function::{name}, Product::{product_id(key)}, {form_bit[form]}}},"
            for name, key, form in refusals
        ],
        "}};",
        "",
    ]
    codes: dict[int, str] = {}
    for name, fact in contract.errors.items():
        # ACL_SUCCESS and friends share a value: the name that is not deprecated speaks.
        if fact["value"] not in codes or contract.errors[codes[fact["value"]]]["deprecated"]:
            codes[fact["value"]] = name
    codes[0] = "ACL_SUCCESS"
    out += [
        "struct CodeName {",
        "    int code;",
        "    const char* name;",
        "};",
        "/// Return codes with their names, ascending.",
        f"inline constexpr std::array<CodeName, {len(codes)}> code_names{{{{",
        *[f'    {{{code}, "{name}"}},' for code, name in sorted(codes.items())],
        "}};",
        "",
        "}  // namespace aclref",
        "",
    ]
    return "\n".join(out)


def write(path: Path, text: str) -> None:
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def check_types(contract: Contract) -> None:
    """A prototype that names an unknown type would only fail in the caller's compiler: refuse it here."""
    plain = {"const", "void", "char", "int", "float", "unsigned", "bool", "size_t", "va_list"}
    plain |= {f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)} | {"uintptr_t"}
    for name, fact in contract.functions.items():
        for ctype in [fact["returns"], *(p["type"] for p in fact["params"])]:
            unknown = set(WORD.findall(ctype)) - plain - set(contract.types)
            if unknown:
                raise SystemExit(f"functions.json: {name}: unknown type {' '.join(sorted(unknown))}")


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print("usage: generate.py CONTRACT_DATA OUTPUT", file=sys.stderr)
        return 2
    contract = Contract(Path(arguments[0]))
    output = Path(arguments[1])
    check_types(contract)
    headers = HeaderWriter(contract)
    for header in contract.headers():
        write(output / "include" / "acl" / header, headers.text(header))
    for header, targets in UMBRELLAS.items():
        write(output / "include" / "acl" / header, headers.umbrella(header, targets))
    write(output / "private" / "generated" / "functions.hpp", functions_text(contract))
    write(output / "private" / "generated" / "layout_check.inc", layout_text(contract))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
