"""Calls in a process of their own."""

from __future__ import annotations

from typing import Any

from harness.plugin import Case, RuleViolation
from suites.partners import Partner, outfit_of


def outcome_elsewhere(case: Case, api: str, **args: Any) -> str:
    """What a call gives in another process, or how it ends the process, in words."""
    partner = Partner(outfit_of(case))
    try:
        answer = partner.call(api, **args)
    except RuleViolation as end:
        return str(end)
    partner.close()
    return f"{api} returned {answer.value if answer.code is None else answer.name}"
