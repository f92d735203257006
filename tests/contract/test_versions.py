"""CANN versions and the ranges of rules."""

import pytest

from harness.contract import ContractError, matches, parse_version


@pytest.mark.parametrize(
    ("range_text", "inside", "outside"),
    [
        ("all", ["6.0", "8.0", "9.0", "10.2"], []),
        ("9.x", ["9.0", "9.1", "9.12"], ["8.5", "10.0"]),
        (">=8.2", ["8.2", "8.10", "9.0"], ["8.0", "8.1", "7.9"]),
        ("<8.2", ["8.1", "8.0", "7.0"], ["8.2", "8.10", "9.0"]),
        ("<=8.0", ["8.0", "7.9"], ["8.1", "9.0"]),
        (">8.0", ["8.1", "9.0"], ["8.0"]),
        ("==8.5", ["8.5"], ["8.0", "9.0"]),
        (">=8.1,<8.5", ["8.1", "8.3"], ["8.0", "8.5", "9.0"]),
    ],
)
def test_a_range_holds_for_its_versions_only(range_text: str, inside: list[str], outside: list[str]) -> None:
    assert [version for version in inside + outside if matches(range_text, version)] == inside


def test_only_the_first_two_numbers_of_a_version_count() -> None:
    assert {parse_version(text) for text in ("8.0", "8.0.0", "8.0.RC3", "8.0.RC3.alpha001")} == {(8, 0)}
    assert matches("<=8.0", "8.0.1")


@pytest.mark.parametrize("text", ["", "9", "9.x", "v9.0", "9.0 beta", "-1.0", "9.0.", "99999.0"])
def test_a_malformed_version_is_refused(text: str) -> None:
    with pytest.raises(ContractError, match=r"is not a CANN version"):
        parse_version(text)


@pytest.mark.parametrize("text", ["", "9", ">=9", "=>8.0", "8.0", ">=8.x", "all,>=8.0", ">=8.0,", "!=8.0"])
def test_a_malformed_range_is_refused(text: str) -> None:
    with pytest.raises(ContractError, match=r"is not a version range"):
        matches(text, "9.0")
