"""`python -m harness.contract.check [DIR]`: everything wrong with contract data, one line per problem.

`load()` stops at the first mistake and checks what a run depends on; this goes on, and also checks what only
a maintainer cares about: naming, empty texts, rules that hold nowhere, cases that contradict each other.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin

import msgspec

from harness.contract.cases import expectation, problems
from harness.contract.errors import ContractError, one_line
from harness.contract.loading import DATA, FACT_FILES, describe, mistakes, rule_files
from harness.contract.lookup import Contract, Facts
from harness.contract.model import Rule
from harness.contract.naming import rule_prefix

_SLUG = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")
# One version in every span that some rule's range tells apart.
_VERSIONS = ("7.0", "8.0", "8.1", "8.2", "8.3", "8.5", "9.0")


def main(arguments: list[str] | None = None) -> int:
    """Print the problems of a folder; the exit status is 0 for none, 1 for some, 2 for no such folder."""
    parser = argparse.ArgumentParser(
        prog="python -m harness.contract.check",
        description="Check contract data: facts, rules and their cases.",
        epilog="example: python -m harness.contract.check harness/contract/data",
    )
    parser.add_argument(
        "folder", nargs="?", type=Path, default=DATA, help="folder of JSON (default: the product's own)"
    )
    folder: Path = parser.parse_args(arguments).folder
    if not folder.is_dir():
        print(f"{folder}: no such folder of contract data", file=sys.stderr)
        return 2
    found = list(check(folder))
    for line in found:
        print(one_line(line))
    print(f"{folder}: {len(found) or 'no'} problem{'' if len(found) == 1 else 's'}", file=sys.stderr)
    return 1 if found else 0


def check(folder: Path) -> Iterator[str]:
    """Every problem of the data in a folder, as `file: subject: field: what`."""
    facts: dict[str, Any] = {}
    whole = True
    for name, kind in FACT_FILES.items():
        found, entries = _read(folder / f"{name}.json", kind)
        yield from found
        whole = whole and not found
        facts[name] = entries
    try:
        files = rule_files(folder)
    except ContractError as error:
        yield str(error)
        return
    rules: list[Rule] = []
    for file in files:
        found, entries = _read(file, list[Rule])
        yield from found
        for rule in entries or ():
            msgspec.structs.force_setattr(rule, "file", file.stem)
            rules.append(rule)
    if whole:
        known = Facts(**facts)
        for api, function in known.functions.items():
            msgspec.structs.force_setattr(function, "name", api)
        yield from check_facts(known)
        yield from check_rules(known, rules)


def _read(file: Path, kind: Any) -> tuple[list[str], Any]:
    """The schema problems of one file, and what could be decoded of it."""
    try:
        content = msgspec.json.decode(file.read_bytes())
    except OSError as error:
        return [f"{file.name}: cannot be read: {error.strerror or error}"], None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return [f"{file.name}: not valid JSON: {error}"], None
    origin = get_origin(kind)
    if origin is None or not isinstance(content, origin):
        try:
            return [], msgspec.convert(content, kind)
        except msgspec.ValidationError as error:
            return [describe(file.name, "", str(error))], None
    found: list[str] = []
    entry_kind = get_args(kind)[-1]
    pairs = content.items() if origin is dict else enumerate(content, 1)
    decoded = []
    for key, entry in pairs:
        try:
            decoded.append((key, msgspec.convert(entry, entry_kind)))
        except msgspec.ValidationError as error:
            found.append(describe(file.name, _subject(key, entry), str(error)))
    return found, dict(decoded) if origin is dict else [entry for _, entry in decoded]


def _subject(key: str | int, entry: Any) -> str:
    if isinstance(key, str):
        return key
    identity = entry.get("id") if isinstance(entry, dict) else None
    return f"rule {identity}" if isinstance(identity, str) and identity else f"rule number {key}"


def check_facts(facts: Facts) -> Iterator[str]:
    """References between facts that lead nowhere, and layouts that cannot be."""
    products = set(facts.products)
    for api, function in facts.functions.items():
        where = f"functions.json: {api}"
        for name in (function.replaced_by, *function.replaced_by_all):
            if name is not None and name not in facts.functions:
                yield f"{where}: field replaced_by: no such function: {name}"
        named = {*(function.products or ()), *function.forms_unsupported, *function.product_variants}
        for key in sorted(named - products):
            yield f"{where}: field products: no such product: {key}"
        for key, forms in function.forms_unsupported.items():
            if key in products and not set(forms) <= set(facts.products[key].forms or ("EP",)):
                yield f"{where}: field forms_unsupported: {key} has no such form: {', '.join(forms)}"
        names = [param.name for param in function.params]
        if len(set(names)) != len(names):
            yield f"{where}: field params: a name occurs twice"
    for name, enum in facts.enums.items():
        spoken_of = {*enum.products_by_value, *enum.no_effect_by_value, *enum.deprecated_values}
        for value in sorted(spoken_of - set(enum.values)):
            yield f"enums.json: {name}: no such enumerator: {value}"
    for name, struct in facts.structs.items():
        for field in struct.fields:
            if field.offset + field.size > struct.size:
                yield f"structs.json: {name}: field {field.name}: ends behind the struct"
    for name, error in facts.errors.items():
        if error.replaced_by is not None and error.replaced_by not in facts.errors:
            yield f"errors.json: {name}: field replaced_by: no such return code: {error.replaced_by}"
    for name, binding in facts.pyacl.items():
        if binding.c is not None and binding.c not in facts.functions:
            yield f"pyacl.json: {name}: field c: no such function: {binding.c}"
    for api in facts.pyacl_notes.no_binding.functions:
        if api not in facts.functions:
            yield f"pyacl_notes.json: field no_binding: no such function: {api}"


def check_rules(facts: Facts, rules: list[Rule]) -> Iterator[str]:
    """What is wrong with well-typed rules, each alone and against each other."""
    earlier: dict[str, Rule] = {}
    contract = Contract(facts, earlier, "")
    for rule in rules:
        where = f"{rule.file}.json: rule {rule.id}"
        found = list(mistakes(rule, facts, earlier))
        if not found:
            found.extend(_style(rule, contract))
            found.extend(problems(contract, rule))
        yield from (f"{where}: {mistake}" for mistake in found)
        earlier.setdefault(rule.id, rule)
    yield from _contradictions(contract, rules)


def _style(rule: Rule, contract: Contract) -> Iterator[str]:
    prefix, dot, slug = rule.id.partition(".")
    if prefix != rule_prefix(rule.api):
        yield f"field id: starts with {prefix}, expected {rule_prefix(rule.api)} for {rule.api}"
    if not dot or not slug or not set(slug) <= _SLUG:
        yield "field id: after the dot stand small letters, digits and _"
    for name in ("rule", "check", "doc"):
        if not getattr(rule, name).strip():
            yield f"field {name}: empty"
    if rule.untestable is not None:
        if rule.cases:
            yield "field untestable: a rule with cases is tested by them"
        if len(rule.untestable.split()) < 5:
            yield "field untestable: say why no black box can show it"
    if not any(
        rule.applies(product, form, version) for product, form in contract.matrix() for version in _VERSIONS
    ):
        yield "field forms: none of the rule's products has such a form, so it holds nowhere"


def _contradictions(contract: Contract, rules: list[Rule]) -> Iterator[str]:
    """Two rules that expect success and error of the same call on the same product, form and version."""
    calls: defaultdict[tuple[str, str], list[tuple[Rule, str]]] = defaultdict(list)
    for rule in rules:
        for case in rule.cases:
            expected = expectation(rule, case)
            if expected != "unspecified":
                calls[rule.api, repr(sorted(case.set.items()))].append((rule, expected))
    for entries in calls.values():
        for index, (first, outcome) in enumerate(entries):
            for second, opposite in entries[index + 1 :]:
                if outcome != opposite and _meet(contract, first, second):
                    yield f"{second.file}.json: rule {second.id}: field cases: contradicts {first.id}"


def _meet(contract: Contract, first: Rule, second: Rule) -> bool:
    return any(
        first.applies(product, form, version) and second.applies(product, form, version)
        for product, form in contract.matrix()
        for version in _VERSIONS
    )


if __name__ == "__main__":
    sys.exit(main())
