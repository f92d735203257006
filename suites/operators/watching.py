"""Operators that notice when they leave their memory."""

from __future__ import annotations

from typing import Any, NamedTuple

from harness.binding import text
from harness.plugin import Case
from suites.operators.compiling import Compiling
from suites.operators.loaded import LoadedOperators

NOTICED = "EZ9999"
"""What a report has where an operator has left its memory."""

_SHORT_BYTES = 4


class Outcome(NamedTuple):
    """Whether a run has failed, and what was reported of it."""

    failed: bool
    report: str


class Watching:
    """Runs of operators that were compiled to watch their memory."""

    def __init__(self, acl: Any, case: Case, compiling: Compiling, operators: LoadedOperators) -> None:
        self._acl = acl
        self._case = case
        self._compiling = compiling
        self._operators = operators

    def run_with_short_output(self, stream: int) -> Outcome:
        """Compile an operator and run it with an output buffer that is too small; blocked where the library
        does not let it run.
        """
        self._operators.call("aclrtSetSysParamOpt", opt="ACL_OPT_ENABLE_DEBUG_KERNEL", value=1)
        job = self._compiling.job()
        self._operators.call("aclopCompile", **self._compiling.only(job))
        short = self._operators.buffer(job.output_blocks[0], _SHORT_BYTES)
        asked = self._acl.call("aclopExecuteV2", **job.changed(outputs=(short,)).on(stream))
        waited = self._acl.call("aclrtSynchronizeStream", stream=stream)
        report = self._report()
        if not asked.ok and NOTICED not in report:
            self._case.expect.blocked("the library runs no operator with a buffer that is too small")
        return Outcome(not (asked.ok and waited.ok), report)

    def _report(self) -> str:
        told = self._acl.call("aclGetRecentErrMsg").value
        return text(told) if isinstance(told, bytes) else ""
