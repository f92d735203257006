"""Where the suites get model files from: written by us, given by the user, or compiled for the device."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Protocol

from harness.models import catalogue, envelope, kernels

_WEIGHT_FOLDER = "weight"
# The files this process has found or written, by folder and model: to find one, the whole model is made.
_written: dict[tuple[Path, str], Path] = {}


class NoModel(Exception):
    """There is no file of this model here; the text says why."""


class Shelf(Protocol):
    """Model files by the names of the catalogue, and kernel binaries by those of `kernels.BINARIES`."""

    def file(self, name: str) -> Path:
        """The file of a model or bundle; external weights lie beside it. NoModel where there is none."""

    def binary(self, name: str) -> Path:
        """The file of a kernel binary. NoModel where there is none."""


class OwnShelf:
    """Our own models, which the reference device runs: written where they are missing.

    Files lie in a folder named after their content, so that processes and runs share them.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    def file(self, name: str) -> Path:
        """The file of a model or bundle, written by the first who asks."""
        place = self._root(), name
        file = _written.get(place)
        if file is None or not file.is_file():
            file = _written[place] = self._write(name)
        return file

    def _write(self, name: str) -> Path:
        members = catalogue.BUNDLES.get(name)
        if members is not None:
            images = [catalogue.program(member).write() for member in members]
            return self._kept(name, envelope.pack_bundle(images, catalogue.BUNDLE_VARIABLE_BYTES), {})
        program = catalogue.program(name)
        weights = {program.external: program.weights} if program.external else {}
        return self._kept(name, program.write(), weights)

    def binary(self, name: str) -> Path:
        """The file of a kernel binary, written by the first who asks."""
        return self._kept(name, kernels.binary(), {}, kernels.BINARIES[name])

    def _kept(self, name: str, model: bytes, weights: dict[str, bytes], file_name: str = "") -> Path:
        digest = hashlib.sha256(b"".join([model, *weights.values()])).hexdigest()[:24]
        place = self._root() / f"{name}-{digest}"
        file = place / (file_name or f"{name}.om")
        if not file.is_file():
            draft = Path(tempfile.mkdtemp(dir=self._root()))
            (draft / file.name).write_bytes(model)
            if weights:
                (draft / _WEIGHT_FOLDER).mkdir()
            for weight_name, data in weights.items():
                (draft / _WEIGHT_FOLDER / weight_name).write_bytes(data)
            publish(draft, place)
        return file

    def _root(self) -> Path:
        if self._folder is None:
            self._folder = private_folder()
        return self._folder


class GivenShelf:
    """The folder of `--models`: NAME.om for each model, the weights of a model in `weight` beside it, and
    kernel binaries under their names.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def file(self, name: str) -> Path:
        """The file of a model or bundle."""
        return self._found(f"{name}.om")

    def binary(self, name: str) -> Path:
        """The file of a kernel binary."""
        return self._found(kernels.BINARIES[name])

    def _found(self, name: str) -> Path:
        file = self._folder / name
        if not file.is_file():
            raise NoModel(f"--models: {self._folder} has no {name}")
        return file


def private_folder() -> Path:
    """A folder for temporary files that belongs to this user and nobody else may write to; made by the first.

    Another user's folder in its place is not used: a new one is made then.
    """
    folder = Path(tempfile.gettempdir()) / f"ascend-cts-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    facts = folder.lstat()
    if facts.st_uid != os.getuid() or facts.st_mode & 0o022 or folder.is_symlink():
        return Path(tempfile.mkdtemp(prefix="ascend-cts-"))
    return folder


def publish(draft: Path, place: Path) -> None:
    """Give a finished folder its name; whoever was first has written the same."""
    try:
        draft.rename(place)
    except OSError:
        shutil.rmtree(draft, ignore_errors=True)
