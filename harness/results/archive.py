"""Zip files that came from somewhere: nothing in one is believed before it was checked."""

from __future__ import annotations

import hashlib
import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from harness.results.errors import ResultsError

MOST_FILES = 2_000
MOST_BYTES = 2 << 30
"""Bytes that all files of an archive may have together when they are unpacked."""

MOST_GROWTH = 400
"""How much larger a file of more than a megabyte may be than its packed form; results pack about 1:40."""

_SMALL = 1 << 20
# What reading a damaged zip may raise.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    OSError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)
_PIECE = 1 << 20
_BEGINNING = b"PK\x03\x04"
_MOMENT = (1980, 1, 1, 0, 0, 0)


class Archive:
    """A zip file whose names and sizes are harmless. Its contents are read in full or refused."""

    def __init__(self, path: Path, packed: zipfile.ZipFile) -> None:
        self.path = path
        self._packed = packed
        self._files = {info.filename: info for info in packed.infolist()}
        self._check()

    @property
    def names(self) -> list[str]:
        """The names of the files, in the archive's order."""
        return list(self._files)

    def read(self, name: str) -> bytes:
        """A whole file; ResultsError where there is none of that name or it is damaged."""
        return b"".join(self.pieces(name))

    def pieces(self, name: str) -> Iterator[bytes]:
        """A file in pieces of about a megabyte."""
        if name not in self._files:
            raise ResultsError(self.path, f"has no {name}")
        try:
            with self._packed.open(name) as stream:
                while piece := stream.read(_PIECE):
                    yield piece
        except _DAMAGE as error:
            raise ResultsError(self.path, f"{name} is damaged ({error})") from None

    def lines(self, name: str) -> Iterator[bytes]:
        """The lines of a file with their ends."""
        rest = b""
        for piece in self.pieces(name):
            *whole, rest = (rest + piece).split(b"\n")
            yield from (line + b"\n" for line in whole)
        if rest:
            yield rest

    def digest(self, name: str) -> tuple[str, int]:
        """SHA-256 and size of a file."""
        found, size = hashlib.sha256(), 0
        for piece in self.pieces(name):
            found.update(piece)
            size += len(piece)
        return found.hexdigest(), size

    def _check(self) -> None:
        entries = self._packed.infolist()
        if len(entries) > MOST_FILES:
            raise ResultsError(self.path, f"has {len(entries)} files; at most {MOST_FILES} are unpacked")
        if len(self._files) != len(entries):
            raise ResultsError(self.path, "has two files of one name")
        for info in entries:
            self._check_name(info)
            if info.flag_bits & 1:
                raise ResultsError(self.path, f"{info.filename!r} is encrypted")
            if info.file_size > _SMALL and info.file_size > MOST_GROWTH * max(info.compress_size, 1):
                raise ResultsError(
                    self.path, f"{info.filename!r} unpacks to {info.file_size} bytes: a zip bomb"
                )
        total = sum(info.file_size for info in entries)
        if total > MOST_BYTES:
            raise ResultsError(self.path, f"unpacks to {total} bytes; at most {MOST_BYTES} are unpacked")

    def _check_name(self, info: zipfile.ZipInfo) -> None:
        name = info.filename
        parts = PurePosixPath(name).parts
        odd = not name.isprintable() or "\\" in name or ":" in name or name.endswith("/")
        if odd or not parts or parts[0] == "/" or ".." in parts or str(PurePosixPath(name)) != name:
            raise ResultsError(
                self.path, f"{name!r} is no name of a file inside it: its path climbs out or is odd"
            )
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):
            raise ResultsError(self.path, f"{name!r} is no plain file")


def is_archive(path: Path) -> bool:
    """Whether a path leads to a zip file, by its name or by how it begins."""
    if path.suffix == ".zip":
        return True
    try:
        if not path.is_file():
            return False
        with path.open("rb") as stream:
            return stream.read(len(_BEGINNING)) == _BEGINNING
    except OSError:
        return False


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """The archive in a zip file; ResultsError, one line, where it is none or is not safe to unpack."""
    try:
        if path.is_char_device():
            raise ResultsError(path, "not a bundle (a device)")
        if path.is_dir():
            raise ResultsError(
                path, "a folder, no bundle; `aclcts qualify` makes bundles, `aclcts mustpass` judges results"
            )
        packed = zipfile.ZipFile(path)
    except OSError as error:
        raise ResultsError(path, f"cannot be read ({error.strerror})") from None
    except _DAMAGE as error:
        raise ResultsError(path, f"not a bundle ({error})") from None
    with packed:
        yield Archive(path, packed)


def packed(files: Mapping[str, bytes]) -> bytes:
    """The files as a zip; the same files give the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, _MOMENT)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(info, files[name])
    return buffer.getvalue()
