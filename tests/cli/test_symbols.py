"""`aclcts symbols` on a small library: what it lacks of the documents, and what it has beyond them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from harness.binding import LibraryError
from harness.cli import main
from harness.cli.exports import exported_functions
from harness.contract import load

SOURCE = """
int aclInit(const char *path) { return 0; }
int aclrtSetDevice(int device) { return 0; }
int aclrtSecretDoor(void) { return 0; }
int helper_of_the_driver(void) { return 0; }
static int aclrtHidden(void) { return 0; }
int (*keep)(void) = aclrtHidden;
int aclrtNotAFunction = 7;
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    source, output = folder / "library.c", folder / "libascendcl.so"
    source.write_text(SOURCE)
    compiler = shutil.which("cc") or shutil.which("gcc") or "cc"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(output), str(source)], check=True)
    return output


def test_exported_functions_are_functions_only(library: Path) -> None:
    names = exported_functions(library)
    assert {"aclInit", "aclrtSetDevice", "aclrtSecretDoor", "helper_of_the_driver"} <= names
    assert not names & {"aclrtHidden", "aclrtNotAFunction", "keep"}


def test_both_lists_are_told(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["symbols", "--target", str(library), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["undocumented"] == ["aclrtSecretDoor"]
    assert "aclrtMemcpy" in result["absent"]
    assert not {"aclInit", "aclrtSetDevice"} & set(result["absent"])
    assert result["exported"] == 2
    documented = {name for name, function in load().functions.items() if function.documented}
    assert set(result["absent"]) == documented - {"aclInit", "aclrtSetDevice"}


def test_a_person_reads_the_document_of_what_is_absent(
    library: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["symbols", "--target", str(library), "--lang", "en"]) == 0
    shown = capsys.readouterr().out
    assert "aclrtMemcpy  (11-03_memory_copy_and_set.md#aclrtMemcpy)" in shown
    assert "Exported, not in the contract (1)\n  aclrtSecretDoor" in shown


@pytest.mark.parametrize(
    "content", [b"", b"text", b"\x7fELF\x01\x01" + bytes(64), b"\x7fELF\x02\x02" + bytes(64)]
)
def test_another_file_is_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(LibraryError, match="other: not a 64-bit little-endian ELF library"):
        exported_functions(tmp_path / "other")


def test_a_damaged_library_is_one_line_wherever_it_is_cut(tmp_path: Path, library: Path) -> None:
    whole = library.read_bytes()
    damaged = tmp_path / "damaged.so"
    for size in range(64, len(whole) - 64, 499):
        damaged.write_bytes(whole[:size])
        with pytest.raises(LibraryError, match="a damaged ELF file"):
            exported_functions(damaged)
