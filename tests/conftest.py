"""The tests start hundreds of Python processes, which share what is compiled."""

from __future__ import annotations

import os
import shutil
import tempfile

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Where the environment forbids compiled files beside the sources, keep them aside for this run."""
    if not os.environ.get("PYTHONDONTWRITEBYTECODE"):
        return
    folder = tempfile.mkdtemp(prefix="aclcts-compiled-")
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    del os.environ["PYTHONDONTWRITEBYTECODE"]
    os.environ["PYTHONPYCACHEPREFIX"] = folder
