"""Waivers: whom they excuse, and when one fails the run."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import msgspec
import pytest

from harness.contract import load
from harness.results import CaseRecord, ResultsError, Verdict
from harness.results.waivers import Waivers, WaiverUse, parse_waivers, read_waivers

from .test_store import case, header

CONTRACT = load()
TODAY = date(2026, 3, 1)
GOOD = """
[[waiver]]
rule = "memcpy.h2d"
owner = "board team"
reason = "driver 24.1 loses the last byte"
link = "https://example.com/7"
expires = 2026-03-01
"""


def waivers(text: str = GOOD, driver: str = "", today: date = TODAY) -> Waivers:
    return Waivers(parse_waivers(text.encode(), "w.toml", CONTRACT), today, driver)


def excused(given: Waivers, made: CaseRecord, product: str = "910b") -> bool:
    return given.excuse(made.id, made.rules, product, Verdict.FAIL) is not None


def problems(
    given: Waivers, *cases: CaseRecord, whole: bool = True, chosen: frozenset[str] | None = None
) -> list[str]:
    use = WaiverUse(given)
    for made in cases:
        use.see(made)
    about = msgspec.structs.replace(header(), products=["910b"])
    return [problem.kind for problem in use.problems(about, chosen, whole)]


def test_the_excuse_says_who_answers_until_when_and_what_happened() -> None:
    found = waivers().excuse(case(1).id, ["memcpy.h2d"], "910b", Verdict.CRASH)
    assert found is not None
    assert (found.verdict, found.owner, found.expires) == (Verdict.CRASH, "board team", "2026-03-01")
    assert found.pattern == "memcpy.h2d"


def test_it_counts_up_to_its_last_day() -> None:
    assert excused(waivers(today=date(2026, 3, 1)), case(1))
    assert not excused(waivers(today=date(2026, 3, 2)), case(1))


@pytest.mark.parametrize(
    ("line", "about"),
    [
        ('rule = "memcpy.*"', True),
        ('rule = "memcpy2d.*"', False),
        ('id = "memory/copy/test_memcpy.py::test_h2d[910b-EP-c-?]"', True),
        ('id = "memory/copy/test_memcpy.py::test_h2d[910b-EP-c]"', False),
        ('id = "*::test_h2d[[]*"', False),
        ('id = "*test_h2d*"', True),
    ],
)
def test_patterns_name_rules_or_cases_and_brackets_are_none(line: str, about: bool) -> None:
    assert excused(waivers(GOOD.replace('rule = "memcpy.h2d"', line)), case(1)) is about


def test_it_holds_only_for_its_products() -> None:
    given = waivers(GOOD + 'products = ["910b", "A3"]\n')
    assert excused(given, case(1), "A3")
    assert not excused(given, case(1), "310p")


@pytest.mark.parametrize(
    ("driver", "serves"), [("24.1.rc3", True), ("25.0", False), ("", False), ("unknown", False)]
)
def test_it_holds_only_for_its_drivers(driver: str, serves: bool) -> None:
    assert excused(waivers(GOOD + 'driver = ">=24.0,<25.0"\n', driver), case(1)) is serves


def test_a_waiver_that_is_needed_is_no_problem() -> None:
    assert problems(waivers(), case(1, Verdict.WAIVED)) == []


def test_an_expired_one_fails_the_run_even_where_it_names_nothing() -> None:
    late = waivers(today=date(2026, 3, 2))
    assert problems(late, case(1, Verdict.FAIL)) == problems(late) == ["expired"]


def test_one_that_names_nothing_fails_a_whole_run_only() -> None:
    assert problems(waivers()) == ["unmatched"]
    assert problems(waivers(), whole=False) == []
    assert problems(waivers(), chosen=frozenset({"memcpy.d2h"})) == []
    assert problems(waivers(GOOD + 'products = ["310p"]\n')) == []


def test_one_whose_cases_all_hold_fails_the_run() -> None:
    assert problems(waivers(), case(1), case(2)) == ["unexpected"]
    assert problems(waivers(), case(1), case(2, Verdict.WAIVED)) == []
    assert problems(waivers(), case(1, Verdict.BLOCKED)) == []


WRONG = {
    "no date": (
        "expires = 2026-03-01",
        'expires = "next spring"',
        r"waiver 1 \(memcpy.h2d\): .*`\$.expires`",
    ),
    "a day that is none": ("expires = 2026-03-01", "expires = 2026-02-30", "not a waiver file"),
    "a number for a date": ("expires = 2026-03-01", "expires = 7", r"waiver 1 .*expires"),
    "no owner": ('owner = "board team"', "", "missing required field `owner`"),
    "an empty reason": ("driver 24.1 loses the last byte", " ", "reason is empty"),
    "an unknown field": ('owner = "board team"', 'owner = "x"\nuntil = 1', "unknown field `until`"),
    "no such rule": ("memcpy.h2d", "memcpy.no_such", "no rule of the contract matches"),
    "no such product": ("expires", 'products = ["42"]\nexpires', "no such product: 42"),
    "no range": ("expires", 'driver = "new"\nexpires', "driver: 'new' is not a version range"),
    "rule and id": ("expires", 'id = "x"\nexpires', "give either rule or id"),
    "another table": ("[[waiver]]", "[[excuse]]", "unknown field `excuse`"),
    "no list": ("[[waiver]]", "[waiver]", "Expected `array`"),
    "no TOML": ("[[waiver]]", "[[waiver", "not a waiver file"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_is_one_line(tmp_path: Path, name: str) -> None:
    old, new, message = WRONG[name]
    file = tmp_path / "waivers.toml"
    file.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(ResultsError, match=message) as refusal:
        read_waivers(file, CONTRACT)
    assert str(refusal.value).startswith(f"{file}: ")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"\x00", b"a = " + b"[" * 50_000])
def test_a_foreign_file_is_one_line(content: bytes) -> None:
    with pytest.raises(ResultsError, match=r"^w\.toml: not a waiver file"):
        parse_waivers(content, "w.toml", CONTRACT)


def test_an_empty_file_waives_nothing() -> None:
    assert parse_waivers(b"", "w.toml", CONTRACT) == ()
