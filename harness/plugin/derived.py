"""Judging many rules in one item: each a subtest with a record of its own."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest

from harness.contract import Rule
from harness.plugin.case import Case, Resources, tidy
from harness.plugin.expect import Expect
from harness.plugin.outcome import judge, together
from harness.plugin.records import WITHOUT_EVIDENCE, record, recorded_calls
from harness.plugin.settings import settings_of
from harness.results import Verdict

INSIDE = "aclcts-inside"
"""The plugin that takes the place of everything that listens to reports, in the children that run cases."""


class RuleCheck:
    """The judging of one rule: claims about it, and resources that are given back at its end."""

    def __init__(self, case: Case, rule: Rule) -> None:
        self.rule = rule
        self.expect = Expect((rule,), case.contract, case.profile, lambda: f"{case.again()} --rule {rule.id}")
        self.resources = Resources(case)
        self.inexpressible = 0
        """How many calls the surface could not express."""

    @contextlib.contextmanager
    def where_expressible(self) -> Iterator[None]:
        """What happens inside is left out where the surface has no way to say it, such as NULL for an output.

        A rule of which nothing can be said on a surface is no promise of that surface, and gets no record.
        """
        from harness.pyacl import SurfaceLimit

        try:
            yield
        except SurfaceLimit:
            self.inexpressible += 1


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
        manager = item.config.pluginmanager
        # In a child nobody is told of a rule that is not bad: it needs no subtest, which costs more than it.
        self._silent = manager.has_plugin(INSIDE)
        self._capture: Any = manager.get_plugin("capturemanager")
        self._between: list[tuple[str, str]] = []

    def __iter__(self) -> Iterator[Rule]:
        return (rule for rule in self._case.rules if self._only is None or rule.id in self._only)

    @contextlib.contextmanager
    def judge(self, rule: Rule, tolerant: bool = False) -> Iterator[RuleCheck]:
        """What happens inside decides about this rule alone; the next one is judged whatever the outcome.

        `tolerant` says that what is left behind afterwards is only noted: no document covers the call.
        """
        check = RuleCheck(self._case, rule)
        self._case.engine.begin_trace()
        start = time.perf_counter()
        with self._scope(rule):
            try:
                yield check
                problem: BaseException | None = None
            except (Exception, pytest.skip.Exception) as error:
                problem = error
            # What follows only cleans up: the evidence, where it will be wanted, ends here.
            wanted = problem is not None or check.expect.conclude()[0] not in WITHOUT_EVIDENCE
            calls = recorded_calls(self._case.engine.library.recorder) if wanted else []
            mess = self._mess(check)
            if tolerant and mess is not None:
                check.expect.observations.append(str(mess))
                mess = None
            elif mess is not None:
                calls = recorded_calls(self._case.engine.library.recorder)
            if check.inexpressible and not check.expect.claims and problem is mess is None:
                return
            verdict, reason = self._conclude(check, problem, mess)
            made = self._note(rule, verdict, reason, check, time.perf_counter() - start, calls)
            if Verdict(made["verdict"]).is_bad(settings_of(self._item.config).strict):
                self._fail(rule, reason)

    def close(self) -> None:
        """Let the item show what was written while no rule was judged."""
        for stream, texts in zip(("stdout", "stderr"), zip(*self._between, strict=True), strict=False):
            if text := "".join(texts):
                self._item.add_report_section("call", stream, text)

    def _scope(self, rule: Rule) -> AbstractContextManager[None]:
        return self._in_silence() if self._silent else self._subtests.test(rule.id)

    @contextlib.contextmanager
    def _in_silence(self) -> Iterator[None]:
        """What was written before belongs to the item, and what is written inside to nobody in the end."""
        self._between.append(self._take_output())
        try:
            yield
        finally:
            self._take_output()

    def _fail(self, rule: Rule, reason: str) -> None:
        failure = pytest.fail.Exception(reason, pytrace=False)
        if not self._silent:
            raise failure from None
        written = self._take_output()
        with self._subtests.test(rule.id):
            for stream, text in zip((sys.stdout, sys.stderr), written, strict=True):
                stream.write(text)
            raise failure from None

    def _take_output(self) -> tuple[str, str]:
        """What has been written since it was last asked, here or by the library."""
        if self._capture is None or not self._capture.is_globally_capturing():
            return "", ""
        captured = self._capture.read_global_capture()
        return str(captured.out), str(captured.err)

    def _mess(self, check: RuleCheck) -> Exception | None:
        try:
            tidy(self._case, check.resources)
        except Exception as error:
            return error
        return None

    def _conclude(self, check: RuleCheck, *errors: BaseException | None) -> tuple[Verdict, str]:
        contract, profile = self._case.contract, self._case.profile
        judged = [judge(error, contract, profile) for error in errors if error is not None]
        return together(judged) if judged else check.expect.conclude()

    def _note(
        self,
        rule: Rule,
        verdict: Verdict,
        reason: str,
        check: RuleCheck,
        duration: float,
        calls: list[dict[str, Any]],
    ) -> dict[str, Any]:
        made = record(
            f"{self._item.nodeid}::{rule.id}",
            self._case.cell,
            verdict,
            rules=[rule.id],
            reason=reason,
            observed="; ".join(check.expect.observations),
            duration=duration,
            calls=calls,
            excuse=settings_of(self._item.config).excuse,
        )
        self._case.records.append(made)
        return made
