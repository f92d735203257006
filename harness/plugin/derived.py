"""Judging many rules in one item: each a subtest with a record of its own."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import pytest

from harness.contract import Rule
from harness.plugin.case import Case, Resources, tidy
from harness.plugin.expect import Expect
from harness.plugin.outcome import judge, strongest
from harness.plugin.records import record, recorded_calls
from harness.plugin.settings import settings_of
from harness.results import Verdict, worst


class RuleCheck:
    """The judging of one rule: claims about it, and resources that are given back at its end."""

    def __init__(self, case: Case, rule: Rule) -> None:
        self.rule = rule
        self.expect = Expect((rule,), case.contract, case.profile, lambda: f"{case.again()} --rule {rule.id}")
        self.resources = Resources(case)


class RuleCases:
    """The rules of the item's cell, in order; `judge(rule)` opens the judging of one.

    with each_rule.judge(rule) as check:
        check.expect.refused(acl.call(rule.api, …))
    """

    def __init__(
        self, case: Case, subtests: pytest.Subtests, only: frozenset[str] | None, item: pytest.Item
    ) -> None:
        self._case = case
        self._subtests = subtests
        self._only = only
        self._item = item

    def __iter__(self) -> Iterator[Rule]:
        return (rule for rule in self._case.rules if self._only is None or rule.id in self._only)

    @contextlib.contextmanager
    def judge(self, rule: Rule) -> Iterator[RuleCheck]:
        """What happens inside decides about this rule alone; the next one is judged whatever the outcome."""
        check = RuleCheck(self._case, rule)
        library = self._case.engine.library
        self._case.engine.begin_trace()
        start = time.perf_counter()
        with self._subtests.test(rule.id):
            problem: BaseException | None = None
            calls: list[dict[str, Any]] = []
            try:
                yield check
            except (Exception, pytest.skip.Exception) as error:
                problem = error
                calls = recorded_calls(library.recorder)
            mess: Exception | None = None
            try:
                tidy(self._case, check.resources)
            except Exception as error:
                mess = error
                calls = calls or recorded_calls(library.recorder)
            verdict, reason = self._verdict(check, problem, mess)
            if not calls and verdict not in _WITHOUT_CALLS:
                calls = recorded_calls(library.recorder)
            self._case.records.append(
                record(
                    f"{self._item.nodeid}::{rule.id}",
                    self._case.cell,
                    verdict,
                    rules=[rule.id],
                    reason=reason,
                    observed="; ".join(check.expect.observations),
                    duration=time.perf_counter() - start,
                    calls=calls if verdict not in _WITHOUT_CALLS else (),
                )
            )
            if verdict.is_bad(settings_of(self._item.config).strict):
                raise pytest.fail.Exception(reason, pytrace=False) from None

    def _verdict(self, check: RuleCheck, *errors: Any) -> tuple[Verdict, str]:
        judged = [
            judge(error, self._case.contract, self._case.profile) for error in errors if error is not None
        ]
        if judged:
            return worst(*(verdict for verdict, _ in judged)), "; ".join(
                reason for _, reason in judged if reason
            )
        if not check.expect.claims:
            return Verdict.FAIL, "error in the test: it claimed nothing"
        if check.expect.verdict is not None:
            return check.expect.verdict, ""
        return (Verdict.OBSERVED if strongest([check.rule]) == "observed" else Verdict.PASS), ""


_WITHOUT_CALLS = (Verdict.PASS, Verdict.REFUSED_AS_DOCUMENTED, Verdict.BLOCKED)
