"""`aclcts coverage`: what counts as traced, untestable and missing, and that it holds for the real suites."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

import harness.cli.coverage
from harness.cli import main
from harness.cli.coverage import measure
from harness.contract import load

ROOT = Path(__file__).parents[2]
RULES = load().rules_of_chapter("allocator")


def test_a_rule_is_traced_untestable_or_missing() -> None:
    first, second, third, *_ = RULES
    untestable = msgspec.structs.replace(second, untestable="needs another process's memory")
    chapters = {"a": [first, untestable], "b": [third]}
    result = measure(chapters, {first.id: {"test_x": 3}}, load())
    assert (result["rules"], result["traced"], result["untestable"]) == (3, 1, 1)
    assert result["missing"] == [third.id]
    assert result["reasons"] == {second.id: "needs another process's memory"}
    assert result["chapters"]["a"] == {"rules": 2, "traced": 1, "untestable": 1, "killed": 0} | {
        "killed": result["chapters"]["a"]["killed"]
    }


def test_a_tested_rule_is_not_untestable() -> None:
    rule = msgspec.structs.replace(RULES[0], untestable="so it was said")
    result = measure({"a": [rule]}, {rule.id: {"test_x": 1}}, load())
    assert (result["traced"], result["untestable"], result["missing"]) == (1, 0, [])


def test_a_rule_in_two_chapters_counts_once() -> None:
    result = measure({"a": RULES[:2], "b": RULES[:2]}, {}, load())
    assert result["rules"] == 2


@pytest.mark.parametrize(("traced", "status"), [(True, 0), (False, 1)])
def test_a_missing_rule_is_status_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, traced: bool, status: int
) -> None:
    traces = {rule.id: {"test_x": 1} for rule in RULES[int(not traced) :]}
    monkeypatch.setattr(harness.cli.coverage, "trace", lambda context: traces)
    assert main(["coverage", "--chapter", "allocator", "--json"]) == status
    result = json.loads(capsys.readouterr().out)
    assert result["missing"] == ([] if traced else [RULES[0].id])
    assert main(["coverage", "--chapter", "allocator", "--lang", "en"]) == status
    shown = capsys.readouterr().out
    assert ("Without a test:" in shown) is not traced


def test_suites_that_do_not_collect_are_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ACLCTS_REFERENCE", str(tmp_path / "none.so"))
    assert main(["coverage", "--lang", "en"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("aclcts coverage: the suites cannot be collected: ")
    assert "none.so" in said
    assert said.count("\n") == 1


def test_a_suite_that_cannot_be_imported_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites/test_broken.py").write_text("import no_such_module\n")
    options = "".join(f"    parser.addoption('--{name}')\n" for name in ("target", "cann", "rule"))
    (tmp_path / "conftest.py").write_text(f"def pytest_addoption(parser):\n{options}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    assert main(["coverage", "--lang", "en"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(
        "aclcts coverage: the suites cannot be collected: suites/test_broken.py: ModuleNotFound"
    )
    assert said.count("\n") == 1


def test_every_rule_has_a_test_or_a_reason() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "harness.cli", "coverage", "--json"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.stderr == ""
    result = json.loads(done.stdout)
    assert result["missing"] == []
    assert result["traced"] + result["untestable"] == result["rules"] == len(load().rules)
    assert done.returncode == 0
