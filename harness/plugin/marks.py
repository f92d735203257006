"""What a test says about itself: decorators that the suites put on test functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import pytest

from harness.contract import Rule
from harness.device import Profile

RuleFilter: TypeAlias = Callable[[Rule, Profile, bool], bool]
"""Which rules of a function a derived test covers: rule, profile, and whether the profile supports the
function.
"""


def covers(*rules: str, uses: Iterable[str] = ()) -> pytest.MarkDecorator:
    """The rules a test shows to hold, by id.

    The test runs for every profile that one of them applies to, and on pyACL too where that has every covered
    function and every function in `uses` (C names). Several `covers` on one test add up. An unknown id is a
    usage error.
    """
    return pytest.mark.covers(*rules, uses=tuple(uses))


def covers_each(slug: str, *apis: str, uses: Iterable[str] = ()) -> pytest.MarkDecorator:
    """The same rule of several sibling functions: the test takes a parameter `api` and runs once for each.

    The rule of a function is the one with this slug behind the function's own prefix (`aclrtMemcpyAsync`,
    "h2d" -> `memcpy_async.h2d`); a function without such a rule is left out, and it is a usage error when
    none has it.
    """
    return pytest.mark.covers_each(slug, *apis, uses=tuple(uses))


def covers_rules(which: RuleFilter, apis: Iterable[str], once: bool = False) -> pytest.MarkDecorator:
    """All rules of the functions that `which` picks; the test takes `api` and judges them one by one.

    One item for each function and profile; the test loops over the fixture `each_rule`, and every rule gets a
    record of its own under the item's id and the rule's. With `once`, a rule is judged on the first of the
    run's profiles that it applies to, and on no other: for what does not depend on the product.
    """
    return pytest.mark.covers_rules(which, tuple(apis), once=once)


def surfaces(*names: str) -> pytest.MarkDecorator:
    """The only surfaces a test makes sense on: `c`, `pyacl`."""
    return pytest.mark.surfaces(*names)


def isolated(reason: str) -> pytest.MarkDecorator:
    """Run the test in a fresh process: it may crash or hang the library, or needs one that nobody has
    used.
    """
    return pytest.mark.isolated(reason)


def deadline(seconds: float) -> pytest.MarkDecorator:
    """How long the test may take before it counts as hung; without it, --case-timeout."""
    return pytest.mark.deadline(seconds)


sequential: Any = pytest.mark.sequential
"""At most one such test runs at a time, over all workers: it needs a lot of memory."""

MARKERS = (
    "covers(*rules, uses=()): ids of the contract's rules that the test shows to hold",
    "benchmarks(*series): patterns of the benchmark series that the test measures",
    "covers_each(slug, *apis, uses=()): the rule with this slug of each of these functions",
    "covers_rules(which, apis, once=False): the rules of these functions that `which` picks",
    "surfaces(*names): the only surfaces the test makes sense on",
    "isolated(reason): run in a fresh process",
    "deadline(seconds): how long the test may take",
    "sequential: at most one such test at a time over all workers",
)
