"""Graphs of operators that are dumped: the calls, and the files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from harness.device import require
from harness.plugin import Case
from suites.operators.compiling import HOW
from suites.operators.loaded import Job, LoadedOperators
from suites.services.folders import files_below, fresh_folder

API = "aclGenGraphAndDumpForOp"
TYPES = ("Add", "Mul")
_REMAINDER = b"remainder of another file\n"


class DumpedGraphs:
    """Dumps graphs into a folder of the case's own."""

    def __init__(self, acl: Any, case: Case, operators: LoadedOperators) -> None:
        self._acl = acl
        self._operators = operators
        self.folder: Path = fresh_folder(case.resources)

    def arguments(self, job: Job, place: Path, option: int | None = None) -> dict[str, Any]:
        """The arguments of a call that dumps the graph of a job's operator."""
        where = {"graphDumpPath": str(place), "graphDumpOpt": option}
        given = {**job.described, **job.buffers, "attr": job.attributes}
        return {**given, "engineType": HOW["engineType"], **where}

    def of(self, name: str, place: Path, option: int | None = None) -> dict[str, Any]:
        """The same for an operator by name."""
        return self.arguments(self._operators.job(name), place, option)

    @property
    def file(self) -> Path:
        """A file that a graph is dumped to."""
        return self.folder / "g.txt"

    def types_in(self, file: Path) -> list[str]:
        """Which types of operators a file tells of; none where there is no file."""
        content = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
        return [type for type in TYPES if re.search(rf"\b{type}\b", content)]

    def types_in_all(self) -> list[str]:
        """Which types of operators the dumped files tell of, file by file."""
        return [type for file in self.files() for type in self.types_in(file)]

    def lengthen(self, file: Path) -> None:
        """Write a long remainder behind what a file holds."""
        with file.open("ab") as out:
            out.write(_REMAINDER * 1000)

    def has_remainder(self, file: Path) -> bool:
        """Whether anything of this remainder is still there."""
        return _REMAINDER in file.read_bytes()

    def files(self) -> list[Path]:
        """Every file that was dumped."""
        return files_below(self.folder)

    def options_come_and_go(self, count: int) -> list[int]:
        """Make and destroy so many option objects; the codes of the calls that failed to destroy one."""
        codes = []
        for _ in range(count):
            made = require(self._acl.call("aclCreateGraphDumpOpt"), "making an option object").value
            codes.append(int(self._acl.call("aclDestroyGraphDumpOpt", graphDumpOpt=made).code))
        return [code for code in codes if code != 0]
