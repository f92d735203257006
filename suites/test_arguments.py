"""Every argument rule: one argument of a valid call is replaced, and the rule says what follows."""

from __future__ import annotations

from typing import Any

from harness.contract import Rule
from harness.plugin import Case, Profile, RuleCases, covers_rules
from suites.derived import run_argument_cases
from suites.recipes import all_recipes


def has_cases(rule: Rule, profile: Profile, supported: bool) -> bool:
    """Whether the contract says what to replace."""
    return supported and bool(rule.cases)


@covers_rules(has_cases, all_recipes())
def test_arguments(api: str, acl: Any, case: Case, each_rule: RuleCases) -> None:
    """A valid call with one argument replaced ends as the rule says, and changes nothing where it is
    refused.
    """
    run_argument_cases(api, acl, case, each_rule)
