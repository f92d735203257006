"""The README's two commands, and the script that runs them on a build server."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_readme_has_two_commands_each_complete_in_itself() -> None:
    blocks = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(blocks) == 2
    for block, folder in zip(blocks, ("suites/", "tests/"), strict=True):
        assert "python3 -m venv .venv" in block
        assert "install --editable" in block
        assert f"pytest {folder} -n auto" in block


def test_files_the_documents_link_to_exist() -> None:
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize(
    ("conformance", "tests", "status"),
    [("echo first", "echo second", 0), ("exit 1", "echo second", 1), ("echo first", "exit 3", 3)],
)
def test_the_build_server_runs_tests_then_conformance_and_fails_with_either(
    tmp_path: Path, conformance: str, tests: str, status: int
) -> None:
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/run", tmp_path / ".ci/run")
    (tmp_path / "README.md").write_text(f"```sh\n{conformance}\n```\ntext\n```sh\n{tests}\n```\n")
    done = subprocess.run([tmp_path / ".ci/run"], capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert done.stdout.index("== tests of the harness") < done.stdout.index("== conformance")
    if status == 0:
        assert done.stdout.index("\nsecond\n") < done.stdout.index("\nfirst\n")


def test_a_readme_without_commands_is_one_line(tmp_path: Path) -> None:
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/run", tmp_path / ".ci/run")
    (tmp_path / "README.md").write_text("nothing\n")
    done = subprocess.run([tmp_path / ".ci/run"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert ".ci/run: README.md has no sh block 2" in done.stderr
