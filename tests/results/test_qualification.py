"""Whether a release may stand on results: each way in which they can fall short."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.contract import load
from harness.results import CaseRecord, Footer, ResultsError, Run, Verdict
from harness.results.qualification import Scope, State, changed_rules, qualify
from harness.results.waivers import Waivers, parse_waivers

from .test_store import header

CONTRACT = load()
SCOPE = Scope((("910b", "EP"),), "9.0", ("allocator",))
RULES = SCOPE.required(CONTRACT)["910b", "EP"]


def record(rule: str, verdict: Verdict = Verdict.PASS, surface: str = "c") -> CaseRecord:
    return CaseRecord(
        id=f"suites/test_x.py::test_{rule}[910b-EP-{surface}]",
        rules=[rule],
        api=CONTRACT.rules[rule].api,
        surface=surface,
        product="910b",
        form="EP",
        cann="9.0",
        verdict=verdict,
    )


def run_of(cases: Iterable[CaseRecord], finished: bool = True) -> Run:
    about = msgspec.structs.replace(header(), products=["910b"], forms=["EP"], cann="9.0")
    footer = Footer(finished=datetime(2026, 1, 2, tzinfo=timezone.utc), counts={}, exitstatus=0)
    return Run(Path("r"), about, list(cases), footer if finished else None)


def all_but(*, rule: str, verdict: Verdict) -> list[CaseRecord]:
    return [record(each, verdict if each == rule else Verdict.PASS) for each in RULES]


def told(run: Run, plan: list[str] | None = None) -> tuple[State, list[tuple[str, str]]]:
    result = qualify(run, SCOPE, CONTRACT, plan)
    return result.state, [(finding.kind, finding.id) for finding in result.findings]


def test_every_promise_held_is_met() -> None:
    result = qualify(run_of(map(record, RULES)), SCOPE, CONTRACT)
    assert (result.state, result.findings) == (State.MET, [])
    assert result.required == result.held == len(RULES) > 10


def test_a_promise_without_a_case_is_incomplete() -> None:
    assert told(run_of(map(record, RULES[1:]))) == (State.INCOMPLETE, [("missing", RULES[0])])


def test_a_broken_promise_is_not_met_and_named_with_its_case() -> None:
    result = qualify(run_of(all_but(rule=RULES[2], verdict=Verdict.CRASH)), SCOPE, CONTRACT)
    (finding,) = result.findings
    assert result.state is State.NOT_MET
    assert (finding.kind, finding.id, finding.profile) == ("not_allowed", RULES[2], "910b-EP")
    assert finding.detail.startswith("crash suites/test_x.py::")


def test_one_bad_case_of_several_breaks_the_promise() -> None:
    cases = [*map(record, RULES), record(RULES[0], Verdict.FAIL, "pyacl")]
    assert told(run_of(cases)) == (State.NOT_MET, [("not_allowed", RULES[0])])


def test_broken_weighs_more_than_missing() -> None:
    cases = all_but(rule=RULES[0], verdict=Verdict.HANG)[:-1]
    assert told(run_of(cases))[0] is State.NOT_MET


def test_waived_and_blocked_are_counted_and_allowed() -> None:
    cases = [record(RULES[0], Verdict.WAIVED), record(RULES[1], Verdict.BLOCKED), *map(record, RULES[2:])]
    result = qualify(run_of(cases), SCOPE, CONTRACT)
    assert (result.state, result.waived, result.blocked) == (State.MET, 1, 1)
    assert result.held == len(RULES) - 2


def test_a_cut_off_run_is_incomplete() -> None:
    assert told(run_of(map(record, RULES), finished=False)) == (State.INCOMPLETE, [("cut_off", "run-1")])


def test_every_planned_case_is_recorded_and_no_other() -> None:
    cases = [record(rule) for rule in RULES]
    plan = [made.id for made in cases]
    assert told(run_of(cases), plan) == (State.MET, [])
    state, findings = told(run_of(cases), [*plan[1:], "suites/test_y.py::test_z[910b-EP-c]"])
    assert state is State.INCOMPLETE
    assert findings == [("not_run", "suites/test_y.py::test_z[910b-EP-c]"), ("not_planned", plan[0])]


def test_a_test_that_ended_without_a_case_has_run() -> None:
    run = run_of(map(record, RULES))
    plan = [*(made.id for made in run.cases), "suites/test_y.py::test_z[910b-EP-pyacl]"]
    assert told(run, plan)[0] is State.INCOMPLETE
    assert run.footer is not None
    run.footer.items = len(plan)
    assert told(run, plan) == (State.MET, [])


def test_a_derived_rules_record_stands_for_its_planned_item() -> None:
    item = "suites/test_x.py::test_arguments[aclrtMemcpy-910b-EP-c]"
    cases = [record(rule) for rule in RULES]
    cases[0] = msgspec.structs.replace(cases[0], id=f"{item}::{RULES[0]}")
    assert told(run_of(cases), [item, *(made.id for made in cases[1:])]) == (State.MET, [])


def test_a_case_of_no_rule_that_died_is_not_allowed() -> None:
    lost = msgspec.structs.replace(record(RULES[0], Verdict.CRASH), id="suites/test_x.py::lost", rules=[])
    assert told(run_of([*map(record, RULES), lost])) == (
        State.NOT_MET,
        [("not_allowed", "suites/test_x.py::lost")],
    )


def test_another_product_does_not_stand_in() -> None:
    cases = [msgspec.structs.replace(record(rule), product="A3") for rule in RULES]
    assert told(run_of(cases))[0] is State.INCOMPLETE


def test_a_waiver_that_is_not_needed_fails_it() -> None:
    text = f'[[waiver]]\nrule = "{RULES[0]}"\nowner = "a"\nreason = "b"\nlink = "c"\nexpires = 2099-01-01\n'
    waivers = Waivers(parse_waivers(text.encode(), "w", CONTRACT))
    result = qualify(run_of(map(record, RULES)), SCOPE, CONTRACT, waivers=waivers)
    assert [finding.kind for finding in result.findings] == ["waiver_unexpected"]
    assert result.state is State.NOT_MET


def test_the_scope_is_what_the_header_states() -> None:
    about = msgspec.structs.replace(
        header(), products=["310b", "910b"], forms=["EP"], cann="8.0", options={"chapter": ["11-03,models"]}
    )
    scope = Scope.of(Run(Path("r"), about), CONTRACT)
    assert scope == Scope((("310b", "EP"), ("910b", "EP")), "8.0", ("11-03", "models"))


@pytest.mark.parametrize(
    ("about", "told"),
    [
        ({"products": ["910x"]}, "r: product '910x' is not in this contract; perhaps 910"),
        ({"forms": ["PCIE"]}, "r: host form 'PCIE' is not in this contract; it has EP, RC, ccpu"),
        ({"products": []}, "r: states no product with a host form that it has: nothing to judge"),
        ({"forms": ["RC"]}, "r: states no product with a host form that it has: nothing to judge"),
        ({"cann": "new"}, "'new' is not a CANN version"),
    ],
    ids=str,
)
def test_what_the_contract_does_not_know_is_never_met(about: dict[str, Any], told: str) -> None:
    """Nothing would have to hold, and all of it would."""
    usual = {"products": ["910b"], "forms": ["EP"], "cann": "9.0"}
    stated = msgspec.structs.replace(header(), **{**usual, **about})
    with pytest.raises(ResultsError) as raised:
        Scope.of(Run(Path("r"), stated), CONTRACT)
    assert told in str(raised.value)


def test_lists_differ_by_what_was_dropped_and_added() -> None:
    changes = changed_rules(["a", "b"], ["b", "c"], "910b-EP")
    assert [(finding.kind, finding.id) for finding in changes] == [("dropped", "a"), ("added", "c")]
