"""A small ACL library, compiled once per session, and what the tests of the binding share."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.binding import CSurface, Library, open_library

SOURCE = Path(__file__).with_name("fake_acl.c")

Compile = Callable[[str, Path], Path]


def compile_text(text: str, output: Path) -> Path:
    """Compile C text into a shared library."""
    compiler = shutil.which("cc") or shutil.which("gcc") or "cc"
    source = output.with_suffix(".c")
    source.write_text(text)
    output.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", str(output), str(source), "-pthread"], check=True
    )
    return output


@pytest.fixture(scope="session")
def compile_c() -> Compile:
    """A compiler of C text into a shared library."""
    return compile_text


@pytest.fixture(scope="session")
def fake_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled fake library."""
    return compile_text(SOURCE.read_text(), tmp_path_factory.mktemp("fake") / "libascendcl.so")


@pytest.fixture
def library(fake_path: Path) -> Library:
    """The fake library, opened afresh."""
    return open_library(fake_path)


@pytest.fixture
def surface(library: Library) -> CSurface:
    """The C surface over the fake library."""
    return CSurface(library)
