"""Writing a file whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

from harness.results.errors import ResultsError

_OPEN_FILES = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/self/fd/")


def check_place(path: Path, what: str) -> None:
    """Raise ResultsError where `write_whole` could not put `what` there; makes nothing.

    For a file that is written after long work. What can only be found out by writing is left to that.
    """
    place = Path(os.path.realpath(path))
    try:
        _refuse_odd(path, place)
        with contextlib.suppress(FileNotFoundError):
            # A name that is too long shows only when it is looked for.
            os.lstat(_new_name(place))
        if not path.exists() or path.is_file():
            check_folder(place.parent)
    except OSError as error:
        raise ResultsError(path, f"{what} cannot be written ({error.strerror})") from None


def check_folder(folder: Path) -> None:
    """Raise OSError where the folder, or what it would be made in, cannot be written to; makes nothing."""
    for each in (folder, *folder.parents):
        try:
            mode = os.stat(each).st_mode
        except FileNotFoundError:
            continue
        if not stat.S_ISDIR(mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if os.statvfs(each).f_flag & os.ST_RDONLY:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        if not os.access(each, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return


def _new_name(place: Path) -> Path:
    return place.parent / f"{place.name}.{os.getpid()}.new"


def _refuse_odd(path: Path, place: Path) -> None:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if place.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def write_whole(path: Path, content: bytes, what: str) -> None:
    """Put the content in the file's place, making its folder.

    Raises ResultsError, one line, where `what` (such as "the report") cannot be written; nothing half-written
    is left then, and what was there before stays. A link stays one: the file it leads to is replaced.
    A device, a pipe or an open file such as /dev/stdout is written to: replacing it takes it from everybody.
    """
    # Not Path.resolve, which raises RuntimeError for links in a circle.
    place = Path(os.path.realpath(path))
    new = _new_name(place)
    try:
        _refuse_odd(path, place)
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
