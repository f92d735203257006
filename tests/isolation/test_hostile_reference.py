"""Three hostile libraries under a part of the real suites; as a script, `hostile.py` runs them under all."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.results import Verdict
from tests.isolation.hostile import HANGING, HOSTILE, Timed, hostile_library, problems, run

WORDS = ["--sku", "910b", "--surface", "c", "-n", "2"]
# Each hang costs its deadline: there are few in the first file.
FILES = ["suites/memory/alloc/test_free.py", "suites/memory/copy/test_memset.py"]
DEADLINE_S = 10.0


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Timed:
    return run([*FILES, *WORDS], "reference", tmp_path_factory.mktemp("clean"), 30)


@pytest.mark.parametrize("function", HOSTILE)
def test_every_other_verdict_stays(function: str, clean: Timed, tmp_path: Path) -> None:
    """Every case is there, and those that met the function name it and how they ended."""
    library = hostile_library(function, tmp_path / "library")
    files = FILES[:1] if function == HANGING else FILES
    hostile = run([*files, *WORDS], library, tmp_path / "results", DEADLINE_S)
    expected = {name: case for name, case in clean.cases.items() if name.split("::")[0] in files}
    assert problems(function, expected, hostile) == []
    verdicts = {case.verdict for case in hostile.run.cases}
    assert verdicts & {Verdict.CRASH, Verdict.HANG} == {
        Verdict.HANG if function == HANGING else Verdict.CRASH
    }
    assert Verdict.PASS in verdicts
