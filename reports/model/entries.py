"""A case as the sections of a report see it, and how its texts and anchors are made."""

from __future__ import annotations

import re
from typing import NamedTuple

from harness.contract import Contract, ContractError, parse_version
from harness.results import CaseRecord, Counts, Header
from harness.results.text import one_line


class Entry(NamedTuple):
    """A case, what its verdict counts as in its run, the run's header, and its profile fit to print."""

    case: CaseRecord
    worth: Counts
    header: Header
    profile: str


def is_version(text: str) -> bool:
    """Whether a record's CANN version is one; that of a case whose process was lost may be empty."""
    try:
        parse_version(text)
    except ContractError:
        return False
    return True


class Reference(NamedTuple):
    """A rule as a failure cites it."""

    id: str
    anchor: str
    sentence: str
    strength: str
    doc: str


def reference_to(rule_id: str, contract: Contract) -> Reference:
    """The rule as a failure cites it; one that the contract does not have has its id only."""
    rule = contract.rules.get(rule_id)
    if rule is None:
        return Reference(one_line(rule_id), "", "", "must", "")
    return Reference(rule.id, anchor_of("r", rule.id), rule.rule, rule.strength, rule.doc)


# Addresses differ from case to case and say nothing about what happened.
ADDRESS = re.compile(r"0x[0-9a-fA-F]+")

# Lines of a failure message that the report shows at places of their own.
_TOLD_ELSEWHERE = re.compile(r"^ *(promise|document|again): ")


def essence(reason: str) -> str:
    """A failure message without its promise, document and command line."""
    return "\n".join(line for line in reason.splitlines() if not _TOLD_ELSEWHERE.match(line))


def anchor_of(prefix: str, name: str) -> str:
    """An id for the page that a link can name; nothing of a hostile name survives in it."""
    return f"{prefix}-{re.sub(r'[^A-Za-z0-9_.-]', '_', name)[:200]}"
