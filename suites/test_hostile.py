"""Arguments that no document covers: whatever the library makes of them, it survives.

Such values are no matter of the product: each rule's are tried on the first product that has the function.
"""

from __future__ import annotations

from typing import Any

from harness.contract import Rule
from harness.plugin import Case, Profile, RuleCases, covers_rules, isolated, surfaces
from suites.hostile import run_hostile_values
from suites.recipes import all_recipes


def replaces_an_argument(rule: Rule, profile: Profile, supported: bool) -> bool:
    """Whether the rule names arguments that hostile values can take the place of."""
    return supported and bool(rule.cases)


@covers_rules(replaces_an_argument, all_recipes(), once=True)
@isolated("a wild pointer may take the process down")
@surfaces("c")
def test_hostile_values(api: str, acl: Any, case: Case, each_rule: RuleCases) -> None:
    """A valid call with a hostile value in the place of an argument is refused or does something harmless."""
    run_hostile_values(api, acl, case, each_rule)
