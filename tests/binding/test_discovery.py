"""Finding the reference device."""

from __future__ import annotations

from pathlib import Path

import pytest

import harness
from harness.binding import find_reference


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed package without a library, and no variable that names one."""
    folder = tmp_path / "harness"
    folder.mkdir()
    monkeypatch.setattr(harness, "__path__", [str(folder)])
    monkeypatch.delenv("ACLCTS_REFERENCE", raising=False)
    return folder


def library_in(folder: Path) -> Path:
    """A file with the library's name."""
    folder.mkdir(parents=True)
    path = folder / "libascendcl.so"
    path.touch()
    return path


def test_nothing_is_found_where_nothing_is(package: Path) -> None:
    assert find_reference() is None


def test_the_library_built_in_a_checkout_is_found(package: Path) -> None:
    assert find_reference() is None
    built = library_in(package.parent / "build" / "ref")
    assert find_reference() == built


def test_the_installed_library_comes_first(package: Path) -> None:
    library_in(package.parent / "build" / "ref")
    installed = library_in(package / "_lib")
    assert find_reference() == installed


def test_the_variable_decides_even_where_its_library_is_missing(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library_in(package / "_lib")
    monkeypatch.setenv("ACLCTS_REFERENCE", "/nowhere/lib.so")
    assert find_reference() == Path("/nowhere/lib.so")
