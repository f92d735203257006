"""Reading the contract's JSON: one pass, typed, every mistake reported in one line."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, get_args

import msgspec

from harness.contract.cases import problems
from harness.contract.errors import ContractError
from harness.contract.lookup import Contract, Facts
from harness.contract.model import (
    Enum,
    ErrorCode,
    Function,
    Macro,
    Product,
    PyAclFunction,
    PyAclNotes,
    Rule,
    Struct,
    Typedef,
)
from harness.contract.versions import parse_range

T = TypeVar("T")

DATA = Path(__file__).parent / "data"
FORMS = ("EP", "RC", "ccpu")


def load(path: Path | str | None = None) -> Contract:
    """The contract in a folder of JSON, by default the product's own; cached per folder.

    Raises ContractError, one line with file, rule id and field, for anything missing or broken.
    """
    return _load(Path(path).resolve() if path is not None else DATA)


@lru_cache(maxsize=4)
def _load(folder: Path) -> Contract:
    return read(folder)


def read(folder: Path) -> Contract:
    """Read a folder afresh, without the cache; raises ContractError."""
    if not folder.is_dir():
        raise ContractError(f"{folder}: no such folder of contract data")
    digest = hashlib.sha256()
    facts = Facts(
        functions=_decode(folder, "functions.json", dict[str, Function], digest),
        enums=_decode(folder, "enums.json", dict[str, Enum], digest),
        structs=_decode(folder, "structs.json", dict[str, Struct], digest),
        typedefs=_decode(folder, "typedefs.json", dict[str, Typedef], digest),
        macros=_decode(folder, "macros.json", dict[str, Macro], digest),
        errors=_decode(folder, "errors.json", dict[str, ErrorCode], digest),
        products=_decode(folder, "products.json", dict[str, Product], digest),
        pyacl=_decode(folder, "pyacl.json", dict[str, PyAclFunction], digest),
        pyacl_notes=_decode(folder, "pyacl_notes.json", PyAclNotes, digest),
    )
    for name, function in facts.functions.items():
        msgspec.structs.force_setattr(function, "name", name)
    rules = _rules(folder, facts, digest)
    contract = Contract(facts, rules, digest.hexdigest())
    for rule in rules.values():
        for mistake in problems(contract, rule) if rule.cases else ():
            raise ContractError(f"{rule.file}.json: rule {rule.id}: {mistake}")
    return contract


def _rules(folder: Path, facts: Facts, digest: Any) -> dict[str, Rule]:
    rules_folder = folder / "rules"
    files = sorted(rules_folder.glob("*.json"))
    if not files:
        raise ContractError(f"{rules_folder}: no rule file (*.json) in it")
    rules: dict[str, Rule] = {}
    versions: set[str] = set()
    for file in files:
        stem = file.stem
        for rule in _decode(folder, f"rules/{file.name}", list[Rule], digest):
            msgspec.structs.force_setattr(rule, "file", stem)
            other = rules.get(rule.id)
            if other is not None:
                raise ContractError(
                    f"{file.name}: rule {rule.id}: field id: used twice, first in {other.file}.json"
                )
            rules[rule.id] = rule
            mistake = _mistake(rule, facts, versions)
            if mistake:
                raise ContractError(f"{file.name}: rule {rule.id}: {mistake}")
    return rules


def _mistake(rule: Rule, facts: Facts, versions: set[str]) -> str | None:
    """What a well-typed rule still gets wrong, as `field NAME: …`, or None."""
    if rule.api not in facts.functions:
        return f"field api: no such function: {rule.api}"
    if rule.error is not None and rule.error not in facts.errors:
        return f"field error: no such return code: {rule.error}"
    if (rule.error is None) != (rule.error_from is None):
        return "field error_from: error and error_from come together or not at all"
    if rule.products != "all":
        if not rule.products:
            return "field products: empty, so the rule holds nowhere"
        for product in rule.products:
            if product not in facts.products:
                return f"field products: no such product: {product}"
    if rule.forms != "all":
        if not rule.forms:
            return "field forms: empty, so the rule holds nowhere"
        for form in rule.forms:
            if form not in FORMS:
                return f"field forms: no such host form: {form}"
    if rule.versions not in versions:
        try:
            parse_range(rule.versions)
        except ContractError as error:
            return f"field versions: {error}"
        versions.add(rule.versions)
    return None


def _decode(folder: Path, name: str, kind: type[T], digest: Any) -> T:
    try:
        raw = (folder / name).read_bytes()
    except OSError as error:
        raise ContractError(f"{name}: cannot be read: {error.strerror or error}") from None
    digest.update(name.encode())
    digest.update(b"\0")
    digest.update(raw)
    digest.update(b"\0")
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.ValidationError as error:
        raise ContractError(_describe(Path(name).name, raw, kind, str(error))) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ContractError(f"{Path(name).name}: not valid JSON: {error}") from None


def _describe(name: str, raw: bytes, kind: Any, message: str) -> str:
    """`file: rule ID: field F: what` out of msgspec's `what - at `$[3].f``."""
    what, _, where = message.partition(" - at `$")
    what = what.replace("`", "")
    subject, field = _subject(raw, kind, where.rstrip("`"))
    said_of = {"unknown field": "unknown field", "missing required field": "required, but missing"}
    for marker, said in said_of.items():
        if marker in what:
            field = ".".join(part for part in (field, what.rsplit(" ", 1)[-1]) if part)
            what = said
            break
    else:
        what = what[:1].lower() + what[1:]
    return ": ".join(part for part in (name, subject, f"field {field}" if field else "", what) if part)


def _subject(raw: bytes, kind: Any, where: str) -> tuple[str, str]:
    """The rule or fact that a path such as `[3].api` or `[...].params[0]` leads to, and the field in it."""
    head, bracket, rest = where.partition("]")
    if not bracket or not head.startswith("["):
        return "", where.lstrip(".")
    rest = rest.lstrip(".")
    entries = msgspec.json.decode(raw)
    if isinstance(entries, dict):
        # The path of a mapping does not say which entry is wrong: the first one that does not fit.
        for key, value in entries.items():
            try:
                msgspec.convert(value, get_args(kind)[1])
            except msgspec.ValidationError:
                return key, rest
        return "", rest
    entry = entries[int(head[1:])]
    identity = entry.get("id") if isinstance(entry, dict) else None
    if isinstance(identity, str) and identity:
        return f"rule {identity}", rest
    return f"rule number {int(head[1:]) + 1}", rest
