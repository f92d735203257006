"""Data dump between its initialisation and its end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.device import require
from harness.plugin import Case
from suites.services.folders import dump_file, files_below, fresh_folder

Section = dict[str, Any]


class Dumping:
    """Dump that is initialised; it is finalised at the end of the case at the latest."""

    def __init__(self, acl: Any, case: Case) -> None:
        self._acl = acl
        self._case = case
        self.folder: Path = fresh_folder(case.resources)
        require(acl.call("aclmdlInitDump"), "initialising dump")
        case.resources.at_end(self.finish)

    def section(self, **more: Any) -> Section:
        """A section that dumps the model `identity` into the folder, with further settings."""
        return {"dump_path": str(self.folder), "dump_list": [{"model_name": "identity"}], **more}

    def set(self, section: Section | str) -> Any:
        """What setting dump by a file with this section, or this text, gives."""
        place = fresh_folder(self._case.resources)
        return self._acl.call("aclmdlSetDump", dumpCfgPath=dump_file(place, section))

    def must_set(self, folder: Path | None = None) -> None:
        """Dump the model `identity` into a folder; DeviceError where that is refused."""
        require(self.set(self.section(dump_path=str(folder or self.folder))), "setting dump")

    def finalize(self) -> Any:
        """What ending dump gives."""
        return self._acl.call("aclmdlFinalizeDump")

    def finish(self) -> None:
        """End it; harmless when it has ended."""
        self._case.engine.c.call("aclmdlFinalizeDump")

    def files(self, folder: Path | None = None) -> int:
        """How many files have been written so far."""
        return len(files_below(folder or self.folder))
