"""Which pytest item a record is of, and the shell line that runs it again."""

from __future__ import annotations

import re
import shlex

from harness.results.records import CaseRecord, Header

_OF_A_RULE = re.compile(r"\]::[\w.]+$")


def item_of(case: CaseRecord) -> str:
    """The pytest id of a record's item: a derived rule's record has the rule's id behind it."""
    return _OF_A_RULE.sub("]", case.id)


def reproduce_line(case: CaseRecord, header: Header) -> str:
    """The pytest command line, ready to paste into a shell in a source checkout, that runs the case again."""
    item, rule = _split(case)
    words = ["pytest", item if item.startswith("suites/") else f"suites/{item}"]
    target = header.target
    words += ["--target", target.path if target.kind == "other" else target.kind]
    if target.kind == "reference" and case.cann:
        words += ["--cann", case.cann]
    elif target.kind != "reference":
        words += _said(header, "sku", "form", "cann")
    words += _said(header, "models")
    if rule:
        words += ["--rule", rule]
    if fault := header.options.get("fault"):
        words += ["--fault", str(fault)]
    if header.seed is not None:
        words += ["--seed", str(header.seed)]
    return shlex.join(words)


def _said(header: Header, *names: str) -> list[str]:
    """Options as the run was given them: what a library does not tell of itself has to be said again."""
    given = {name: header.options.get(name) or [] for name in names}
    return [
        word
        for name, values in given.items()
        for value in (values if isinstance(values, list) else [values])
        for word in (f"--{name}", str(value))
    ]


def _split(case: CaseRecord) -> tuple[str, str]:
    """The pytest id and, for a derived argument rule, the rule that stands behind it in the record's id."""
    for rule in case.rules:
        if case.id.endswith(f"::{rule}"):
            return case.id[: -len(rule) - 2], rule
    return case.id, ""
