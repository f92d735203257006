"""Writing a file whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path

from harness.results.errors import ResultsError

_OPEN_FILES = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/self/fd/")


def write_whole(path: Path, content: bytes, what: str) -> None:
    """Put the content in the file's place, making its folder.

    Raises ResultsError, one line, where `what` (such as "the report") cannot be written; nothing half-written
    is left then, and what was there before stays. A link stays one: the file it leads to is replaced.
    A device, a pipe or an open file such as /dev/stdout is written to: replacing it takes it from everybody.
    """
    # Not Path.resolve, which raises RuntimeError for links in a circle.
    place = Path(os.path.realpath(path))
    new = place.parent / f"{place.name}.{os.getpid()}.new"
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if place.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        if path.exists() and (not path.is_file() or str(path).startswith(_OPEN_FILES)):
            with path.open("ab") as stream:
                stream.write(content)
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(content)
        new.replace(place)
    except OSError as error:
        with contextlib.suppress(OSError):
            new.unlink()
        raise ResultsError(path, f"{what} cannot be written ({error.strerror})") from None
