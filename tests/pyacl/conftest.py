"""The drop-in over a small compiled ACL library, and both surfaces over it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import harness.pyacl
from harness.binding import CSurface, Library, open_library
from harness.pyacl import PyAclSurface

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def fake_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled library."""
    compiler = shutil.which("cc") or shutil.which("gcc") or "cc"
    output = tmp_path_factory.mktemp("fake") / "libascendcl.so"
    sources = [str(HERE.parent / "binding" / "fake_acl.c"), str(HERE / "more_acl.c")]
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(output), *sources, "-pthread"], check=True)
    return output


@pytest.fixture
def library(fake_path: Path) -> Library:
    """The fake library, opened afresh and in use."""
    library = open_library(fake_path)
    harness.pyacl.use(library)
    return library


@pytest.fixture
def acl(library: Library) -> ModuleType:
    """The drop-in."""
    return harness.pyacl


@pytest.fixture(params=["c", "pyacl"])
def surface(request: pytest.FixtureRequest, library: Library) -> Any:
    """Either surface over the fake library."""
    return CSurface(library) if request.param == "c" else PyAclSurface(harness.pyacl, library)


@pytest.fixture
def pyacl(library: Library) -> PyAclSurface:
    """The pyACL surface over the fake library."""
    return PyAclSurface(harness.pyacl, library)
