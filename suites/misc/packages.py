"""The packages of an installation: what their version.info files say, and what the library tells of them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.plugin import Case, Expect
from suites.partners import Partner, outfit_of
from suites.services.folders import fresh_folder

PACKAGE = "runtime"
TEXT_BYTES = 128
"""Bytes that a version's text may take."""

_OWN_VERSION = "91.23.45"
_FIELD = re.compile(r"^Version=(\S+)", re.MULTILINE)
_RELEASE = re.compile(r"(\d+)\.(\d+)\.(\d+)")


class Packages:
    """The installation of the library: of a made-up version where that is a reference device."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._process: Partner | None = None
        if case.engine.library.control is None:
            self.version = self._installed()
        else:
            self.version = _OWN_VERSION
            folder = fresh_folder(case.resources)
            place = folder / "share" / "info" / PACKAGE
            place.mkdir(parents=True)
            (place / "version.info").write_text(f"Version={_OWN_VERSION}\n")
            outfit = outfit_of(case, case.surface, environment={"ASCEND_HOME_PATH": str(folder)})
            self._process = Partner(outfit)
            case.resources.at_end(self._process.close)

    @property
    def release(self) -> int:
        """The number of the version; blocked where it is no release."""
        found = _RELEASE.fullmatch(self.version)
        if found is None:
            self._case.expect.blocked(f"{self.version} is no release")
        major, minor, patch = map(int, found.groups())
        return major * 10_000_000 + minor * 100_000 + patch * 1_000

    def ask(self, api: str) -> Any:
        """What the library answers for the package."""
        if self._process is not None:
            return self._process.call(api, pkgName=PACKAGE)
        return self._case.engine.surface(self._case.surface).call(api, pkgName=PACKAGE)

    def _installed(self) -> str:
        """What the file of the installed package says; blocked where there is none."""
        homes = [Path(os.environ[name]) for name in ("ASCEND_HOME_PATH",) if os.environ.get(name)]
        homes += [parent for file in self._case.engine.library.files for parent in file.resolve().parents]
        for home in homes:
            for place in (home / "share" / "info" / PACKAGE, home / PACKAGE):
                file = place / "version.info"
                if file.is_file() and (found := _FIELD.search(file.read_text(errors="replace"))):
                    return found.group(1)
        self._case.expect.blocked(f"the version.info file of {PACKAGE} is not known")


def some_missing(expect: Expect, answers: Sequence[Any]) -> None:
    """Blocked where every package is there."""
    if all(answer.ok for answer in answers):
        expect.blocked("every package is installed")
