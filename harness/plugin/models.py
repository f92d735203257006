"""Model files for cases."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from harness.device import Engine
from harness.models import CompilerShelf, GivenShelf, NoModel, OwnShelf, Program, Shelf, program
from harness.models.shelf import private_folder
from harness.plugin.case import Case, Resources
from harness.plugin.outcome import Blocked


def shelf_for(engine: Engine, given: Path | None) -> Shelf:
    """Where a library's models come from: the folder of --models, ours on the reference device, else the
    compiler.
    """
    if given is not None:
        return GivenShelf(given)
    if engine.library.control is not None:
        return OwnShelf()
    return CompilerShelf(engine.target.detected.soc, engine.target.detected.cann)


class Models:
    """Model files by name; a model that cannot be had here makes the case blocked, with the reason."""

    def __init__(self, case: Case, owner: Resources) -> None:
        self._case = case
        self._owner = owner
        self._folder: Path | None = None

    def program(self, name: str) -> Program:
        """What the model computes, and what goes in and out."""
        return program(name)

    def file(self, name: str) -> Path:
        """The file of a model or bundle."""
        try:
            return self._case.shelf.file(name)
        except NoModel as error:
            raise Blocked(str(error)) from None

    def binary(self, name: str) -> Path:
        """The file of a kernel binary."""
        try:
            return self._case.shelf.binary(name)
        except NoModel as error:
            raise Blocked(str(error)) from None

    def image(self, name: str) -> bytes:
        """The bytes of a model or bundle."""
        return self.file(name).read_bytes()

    def folder(self) -> Path:
        """An empty folder of the case's own, removed at its end."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(dir=private_folder()))
            self._owner.at_end(lambda: shutil.rmtree(str(self._folder), ignore_errors=True))
        return self._folder

    def crafted(self, image: bytes, name: str = "crafted.om") -> Path:
        """A file with these bytes, removed at the end of the case."""
        file = self.folder() / name
        file.write_bytes(image)
        return file
