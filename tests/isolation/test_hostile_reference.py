"""Three hostile libraries under a part of the real suites; as a script, `hostile.py` runs them under all."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.results import Verdict
from tests.isolation.hostile import HANGING, HOSTILE, Timed, hostile_library, problems, run

WORDS = ["--sku", "910b", "--surface", "c", "-n", "2"]
FILES = ["suites/memory/alloc/test_free.py", "suites/memory/copy/test_memset.py"]
# Each hang costs its deadline: these few cases must do.
NAMES_OF_HANGING = ("double", "wait", "in_another")
DEADLINE_S = 10.0


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Timed:
    return run([*FILES, *WORDS], "reference", tmp_path_factory.mktemp("clean"), 30)


def is_for_hanging(name: str) -> bool:
    file, _, test = name.partition("::")
    return file == FILES[0] and any(word in test for word in NAMES_OF_HANGING)


@pytest.mark.parametrize("function", HOSTILE)
def test_every_other_verdict_stays(function: str, clean: Timed, tmp_path: Path) -> None:
    """Every case is there, and those that met the function name it and how they ended."""
    library = hostile_library(function, tmp_path / "library")
    words, expected = [*FILES, *WORDS], clean.cases
    if function == HANGING:
        words = [FILES[0], "-k", " or ".join(NAMES_OF_HANGING), *WORDS]
        expected = {name: case for name, case in expected.items() if is_for_hanging(name)}
    hostile = run(words, library, tmp_path / "results", DEADLINE_S)
    assert problems(function, expected, hostile) == []
    verdicts = {case.verdict for case in hostile.run.cases}
    assert verdicts & {Verdict.CRASH, Verdict.HANG} == {
        Verdict.HANG if function == HANGING else Verdict.CRASH
    }
    assert Verdict.PASS in verdicts
