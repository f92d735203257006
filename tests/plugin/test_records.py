"""What a record keeps of a case's calls."""

from __future__ import annotations

from typing import Any

import pytest

from harness.contract import load
from harness.device import Profile
from harness.plugin import Cell
from harness.plugin.records import record
from harness.results import Verdict, Waived


def calls(number: int) -> list[dict[str, Any]]:
    return [{"function": f"call_{place}", "code": 0} for place in range(number)]


def made(verdict: Verdict, number: int, **more: Any) -> dict[str, Any]:
    rule = load().rules["memcpy.h2d"]
    cell = Cell(Profile("910b", "EP", "9.0"), "c", "aclrtMemcpy", (rule,))
    return record("test[910b-EP-c]", cell, verdict, calls=calls(number), **more)


def names(kept: dict[str, Any]) -> list[str]:
    return [call["function"] for call in kept.get("calls", [])]


def test_a_bad_case_keeps_its_calls_and_a_good_one_none() -> None:
    assert names(made(Verdict.FAIL, 3)) == ["call_0", "call_1", "call_2"]
    assert names(made(Verdict.PASS, 3)) == []


def test_of_many_calls_the_first_and_the_last_are_kept() -> None:
    kept = names(made(Verdict.FAIL, 1_000))
    assert len(kept) == 200
    assert kept[:50] == [f"call_{place}" for place in range(50)]
    assert kept[50:] == [f"call_{place}" for place in range(850, 1_000)]
    assert len(names(made(Verdict.FAIL, 200))) == 200


@pytest.mark.parametrize("answered", [True, False])
def test_an_excused_case_is_waived_and_keeps_how_it_ended(answered: bool) -> None:
    waived = Waived(verdict=Verdict.FAIL, pattern="p", owner="o", reason="r", link="l", expires="2099-01-01")
    kept = made(Verdict.FAIL, 2, excuse=lambda *asked: waived if answered else None)
    assert kept["verdict"] == ("waived" if answered else "fail")
    assert ("waived" in kept) is answered
    assert len(names(kept)) == 2
