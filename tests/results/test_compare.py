"""What counts as a change between two runs, and which way."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from harness.results import CaseRecord, FirstCause, Run, Verdict
from harness.results.compare import compare, timing_class

from .test_store import case, header


def run_of(cases: Iterable[CaseRecord], **about: object) -> Run:
    first = msgspec.structs.replace(header(), products=["910b"], forms=["EP"], surfaces=["c"], **about)
    return Run(Path("r"), first, list(cases))


def kinds(old: Iterable[CaseRecord], new: Iterable[CaseRecord]) -> list[str]:
    return [change.kind for change in compare(run_of(old), run_of(new)).changes]


def timed(seconds: float) -> CaseRecord:
    return msgspec.structs.replace(case(1), duration_s=seconds)


def caused(code: int | None, function: str = "aclrtMemcpy") -> CaseRecord:
    return msgspec.structs.replace(
        case(1, Verdict.FAIL), first_cause=FirstCause(function=function, code=code)
    )


def test_nothing_changed() -> None:
    result = compare(run_of([case(1), case(2)]), run_of([case(2), case(1)]))
    assert (result.changes, result.unchanged) == ([], 2)


@pytest.mark.parametrize(
    ("before", "now", "kind"),
    [
        ("pass", "fail", "worse"),
        ("pass", "blocked", "worse"),
        ("pass", "waived", "worse"),
        ("waived", "crash", "worse"),
        ("observed", "hang", "worse"),
        ("pass", "observed", "worse"),
        ("crash", "pass", "better"),
        ("fail", "waived", "better"),
        ("blocked", "pass", "better"),
        ("fail", "crash", "verdict"),
        ("pass", "refused-as-documented", "verdict"),
        ("deviates", "fail", "verdict"),
    ],
)
def test_verdicts_get_worse_or_better(before: str, now: str, kind: str) -> None:
    assert kinds([case(1, Verdict(before))], [case(1, Verdict(now))]) == [kind]


def test_a_regression_tells_its_first_cause_and_rules() -> None:
    (change,) = compare(run_of([case(1)]), run_of([caused(507011)])).changes
    assert (change.before, change.now) == ("pass", "fail (aclrtMemcpy: 507011)")
    assert change.rules == ("memcpy.h2d",)


def test_another_code_or_function_of_the_same_verdict_is_told() -> None:
    assert kinds([caused(107000)], [caused(207000)]) == ["code"]
    assert kinds([caused(107000)], [caused(None)]) == ["code"]
    assert kinds([caused(107000)], [caused(107000, "aclrtMalloc")]) == ["code"]
    assert kinds([caused(107000)], [caused(107000)]) == []


def test_what_was_observed_is_compared_without_addresses() -> None:
    def seen(text: str) -> CaseRecord:
        return msgspec.structs.replace(case(1, Verdict.OBSERVED), observed=text)

    assert kinds([seen("gave 0x7f00a0")], [seen("gave 0x7f11b0")]) == []
    assert kinds([seen("returned 0 (ACL_SUCCESS)")], [seen("returned 107000")]) == ["code"]


@pytest.mark.parametrize(
    ("before", "now", "kind"),
    [
        (0.001, 0.2, ["slower"]),
        (3.0, 0.02, ["faster"]),
        (0.0005, 0.02, []),
        (0.09, 0.12, []),
        (0.3, 0.9, []),
        (0.9, 1.5, []),
    ],
)
def test_times_change_by_class_and_by_more_than_noise(before: float, now: float, kind: list[str]) -> None:
    assert kinds([timed(before)], [timed(now)]) == kind


def test_classes_are_decades() -> None:
    assert [timing_class(seconds) for seconds in (0.0, 0.001, 0.05, 0.5, 5, 50)] == [0, 1, 2, 3, 4, 5]


def test_cases_come_and_go() -> None:
    assert kinds([case(1)], [case(2)]) == ["removed", "added"]


def test_what_the_other_run_was_not_to_have_is_outside() -> None:
    old = run_of([case(1), msgspec.structs.replace(case(2), product="A3")])
    result = compare(old, run_of([case(1)]))
    assert (result.changes, result.outside) == ([], 1)
    narrowed = compare(run_of([case(1), case(2)]), run_of([case(1)], options={"chapter": ["11"]}))
    assert (narrowed.changes, narrowed.outside) == ([], 1)


def test_the_worst_comes_first() -> None:
    old = [case(1, Verdict.FAIL), case(2), case(3)]
    new = [case(1), case(2, Verdict.FAIL), case(4)]
    assert kinds(old, new) == ["worse", "removed", "better", "added"]
