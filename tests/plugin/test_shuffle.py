"""A random order of the cases, over any number of workers, and the same one again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.fakes.runs import Outcome, run_suite, write_suite

SUITE = """
import pytest
from harness.plugin import covers, isolated


@pytest.fixture(scope="module")
def shared():
    return []


@covers("memcpy.h2d")
@pytest.mark.parametrize("n", range(12))
def test_some(expect, shared, n):
    expect.true("n is not 3", n != 3)


@covers("memcpy.d2h")
@isolated("to have one of this kind")
@pytest.mark.parametrize("n", range(3))
def test_alone(expect, n):
    expect.true("anything goes", True)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_suite(tmp_path, some=SUITE)


def order(outcome: Outcome) -> list[str]:
    return list(outcome.verdicts)


def test_the_order_is_drawn_from_the_number(folder: Path) -> None:
    usual = run_suite(folder, "suites")
    first = run_suite(folder, "suites", "--shuffle", "7")
    again = run_suite(folder, "suites", "--shuffle", "7")
    other = run_suite(folder, "suites", "--shuffle", "8")
    assert order(first) == order(again)
    assert len({tuple(order(each)) for each in (usual, first, other)}) == 3
    assert usual.verdicts == first.verdicts == other.verdicts
    assert "order: --shuffle 7" in first.text


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["alone", "with workers"])
def test_a_drawn_number_is_told_and_gives_the_same_verdicts(folder: Path, workers: list[str]) -> None:
    drawn = run_suite(folder, "suites", "--shuffle", "random", *workers)
    number = re.findall(r"order: --shuffle (\d+)", drawn.text)
    assert len(number) == 1
    assert len(drawn.verdicts) == 15
    assert run_suite(folder, "suites", "--shuffle", number[0]).verdicts == drawn.verdicts
