"""Must-pass: what a library has to keep to be released, for a product, form and version.

`python -m harness.results.mustpass [--check]` writes, or compares, the published lists in `mustpass/`. They
are there to be reviewed: a change of the contract shows as a change of what a release stands on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from harness.contract import Contract, Rule, load

LISTS = Path(__file__).parent / "mustpass"
"""Where the published lists are."""

VERSIONS = ("9.0", "8.0")
"""The CANN versions whose lists are published; the list of any other one is made when it is asked for."""

# Promises about where a function works at all hold where it is not supported too.
_FEATURES = frozenset({"product", "form"})


def must_pass_rules(contract: Contract, product: str, form: str, version: str) -> list[Rule]:
    """The rules that must hold there: a document states the outcome, and a black box can show it."""
    return [
        rule
        for rule in contract.rules.values()
        if rule.strength == "must"
        and rule.untestable is None
        and rule.applies(product, form, version)
        and (rule.type in _FEATURES or contract.supports(rule.api, product, form))
    ]


def list_name(product: str, form: str, version: str) -> str:
    """The file name of a list: `910b-EP-9.0.txt`."""
    return f"{product}-{form}-{version}.txt"


def list_text(rules: Sequence[Rule]) -> str:
    """A list as its file has it: a rule id a line, under the rule file it stands in."""
    lines = ["# Generated from the contract by `python -m harness.results.mustpass`; do not edit."]
    file = ""
    for rule in rules:
        if rule.file != file:
            file = rule.file
            lines += ["", f"# {file}"]
        lines.append(rule.id)
    return "\n".join(lines) + "\n"


def ids_of(text: str) -> list[str]:
    """The rule ids of a list's text."""
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def published(contract: Contract) -> dict[str, str]:
    """The text of every published list by file name."""
    return {
        list_name(product, form, version): list_text(must_pass_rules(contract, product, form, version))
        for version in VERSIONS
        for product, form in contract.matrix()
    }


def stale(contract: Contract, folder: Path = LISTS) -> list[str]:
    """The names of the lists that the folder lacks, has otherwise, or should not have."""
    wanted = published(contract)
    there = {file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.txt")}
    return sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))


def main(argv: Sequence[str] | None = None) -> int:
    """Write the published lists, or with --check compare them; 1 where one is stale."""
    parser = argparse.ArgumentParser(prog="python -m harness.results.mustpass", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, do not write")
    options = parser.parse_args(argv)
    contract = load()
    names = stale(contract)
    if options.check:
        for name in names:
            print(
                f"{LISTS / name}: stale; write it with `python -m harness.results.mustpass`", file=sys.stderr
            )
        return int(bool(names))
    wanted = published(contract)
    LISTS.mkdir(exist_ok=True)
    for name in names:
        if name in wanted:
            (LISTS / name).write_text(wanted[name], encoding="utf-8")
        else:
            (LISTS / name).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
