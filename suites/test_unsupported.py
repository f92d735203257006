"""Functions that a product or a host form does not support: a valid call is refused and changes nothing."""

from __future__ import annotations

from typing import Any

from harness.contract import Rule
from harness.plugin import Case, Profile, RuleCases, covers_rules
from suites.derived import run_unsupported
from suites.recipes import all_recipes

WHOLE = ("product", "old_products", "other_products", "ipv350")
"""What such a rule is called where its name does not say that it is about support."""


def says_unsupported(rule: Rule, profile: Profile, supported: bool) -> bool:
    """Whether the rule is about the whole function, and not about one of its arguments."""
    slug = rule.id.partition(".")[2]
    return not supported and rule.type in ("product", "form") and ("unsupported" in slug or slug in WHOLE)


@covers_rules(says_unsupported, all_recipes())
def test_unsupported(api: str, acl: Any, case: Case, each_rule: RuleCases) -> None:
    """A valid call of a function that is not supported here is refused, or noted to work."""
    run_unsupported(api, acl, case, each_rule)
