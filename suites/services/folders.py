"""Folders and files that a case gives a library, and that go when it ends."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from harness.plugin import Resources


def fresh_folder(resources: Resources) -> Path:
    """An empty folder."""
    folder = Path(tempfile.mkdtemp(prefix="aclcts-"))
    resources.at_end(lambda: shutil.rmtree(folder, ignore_errors=True))
    return folder


def dump_file(folder: Path, section: dict[str, Any] | str) -> str:
    """A configuration file of dump: a section, or any text."""
    text = section if isinstance(section, str) else json.dumps({"dump": section})
    file = folder / "dump.json"
    file.write_text(text, encoding="utf-8")
    return str(file)


def files_below(folder: Path) -> list[Path]:
    """Every file below a folder."""
    return sorted(path for path in folder.rglob("*") if path.is_file())
