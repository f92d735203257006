"""Reading the contract's JSON: one pass, typed, every mistake reported in one line."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
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
FACT_FILES: Mapping[str, Any] = {
    "functions": dict[str, Function],
    "enums": dict[str, Enum],
    "structs": dict[str, Struct],
    "typedefs": dict[str, Typedef],
    "macros": dict[str, Macro],
    "errors": dict[str, ErrorCode],
    "products": dict[str, Product],
    "pyacl": dict[str, PyAclFunction],
    "pyacl_notes": PyAclNotes,
}


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
        **{name: _decode(folder, f"{name}.json", kind, digest) for name, kind in FACT_FILES.items()}
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
    rules: dict[str, Rule] = {}
    for file in rule_files(folder):
        stem = file.stem
        for rule in _decode(folder, f"rules/{file.name}", list[Rule], digest):
            msgspec.structs.force_setattr(rule, "file", stem)
            for mistake in mistakes(rule, facts, rules):
                raise ContractError(f"{file.name}: rule {rule.id}: {mistake}")
            rules[rule.id] = rule
    return rules


def rule_files(folder: Path) -> list[Path]:
    """The rule files of a folder of contract data, by name; ContractError where there is none."""
    files = sorted((folder / "rules").glob("*.json"))
    if not files:
        raise ContractError(f"{folder / 'rules'}: no rule file (*.json) in it")
    return files


def mistakes(rule: Rule, facts: Facts, earlier: Mapping[str, Rule]) -> Iterator[str]:
    """What a well-typed rule gets wrong against the facts and the rules before it: `field NAME: what`."""
    other = earlier.get(rule.id)
    if other is not None:
        yield f"field id: used twice, first in {other.file}.json"
    if rule.api not in facts.functions:
        yield f"field api: no such function: {rule.api}"
    if rule.error is not None and rule.error not in facts.errors:
        yield f"field error: no such return code: {rule.error}"
    if (rule.error is None) != (rule.error_from is None):
        yield "field error_from: error and error_from come together or not at all"
    if rule.products != "all":
        if not rule.products:
            yield "field products: empty, so the rule holds nowhere"
        for product in rule.products:
            if product not in facts.products:
                yield f"field products: no such product: {product}"
    if rule.forms != "all":
        if not rule.forms:
            yield "field forms: empty, so the rule holds nowhere"
        for form in rule.forms:
            if form not in FORMS:
                yield f"field forms: no such host form: {form}"
    try:
        parse_range(rule.versions)
    except ContractError as error:
        yield f"field versions: {error}"


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


def describe(name: str, subject: str, message: str) -> str:
    """`file: subject: field F: what` out of msgspec's `what - at `$.f``."""
    what, _, field = message.partition(" - at `$")
    what, field = what.replace("`", ""), field.rstrip("`").lstrip(".")
    said_of = {"unknown field": "unknown field", "missing required field": "required, but missing"}
    for marker, said in said_of.items():
        if marker in what:
            field = ".".join(part for part in (field, what.rsplit(" ", 1)[-1]) if part)
            what = said
            break
    else:
        what = what[:1].lower() + what[1:]
    return ": ".join(part for part in (name, subject, f"field {field}" if field else "", what) if part)


def _describe(name: str, raw: bytes, kind: Any, message: str) -> str:
    what, marker, where = message.partition(" - at `$")
    subject, field = _subject(raw, kind, where.rstrip("`"))
    return describe(name, subject, f"{what}{marker}{field}")


def _subject(raw: bytes, kind: Any, where: str) -> tuple[str, str]:
    """The rule or fact that a path such as `[3].api` or `[...].params[0]` leads to, and the field in it."""
    head, bracket, rest = where.partition("]")
    if not bracket or not head.startswith("["):
        return "", where.lstrip(".")
    rest = rest.lstrip(".")
    try:
        entries = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return "", rest
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
