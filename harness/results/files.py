"""Writing a file whole or not at all."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from harness.results.errors import ResultsError


def write_whole(path: Path, content: bytes, what: str) -> None:
    """Put the content in the file's place, making its folder.

    Raises ResultsError, one line, where `what` (such as "the report") cannot be written; nothing half-written
    is left then, and what was there before stays.
    """
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(content)
        new.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            new.unlink()
        raise ResultsError(path, f"{what} cannot be written ({error.strerror})") from None
