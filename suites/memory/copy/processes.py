"""What the copy suites need of other processes: memory to import, and a process that may be lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from harness.device import require
from harness.plugin import Case, RuleViolation
from suites.memory.copy.layout import MIB
from suites.partners import Outfit, Partner, outfit_of

SIZE = 2 * MIB
KEY_LENGTH = 65
PATIENCE_S = 5.0
"""How long a call of a process that may be lost can take."""


def outfit(case: Case, faults: Sequence[str], **more: Any) -> Outfit:
    """How another process is set up to be like this one."""
    return replace(outfit_of(case), faults=tuple(faults), **more)


class Victim:
    """A process of its own for calls that may end or hang it; what happened is told in words."""

    def __init__(self, case: Case, faults: Sequence[str]) -> None:
        self._partner = Partner(outfit(case, faults, patience=PATIENCE_S))
        self.block = int(self._made("aclrtMalloc", "devPtr", size=SIZE, policy="ACL_MEM_MALLOC_HUGE_FIRST"))
        """The address of 2 MiB of device memory there."""

    def stream(self) -> int:
        """A stream there."""
        return int(self._made("aclrtCreateStream", "stream"))

    def outcome(self, api: str, **args: Any) -> str:
        """What a call answered there, or how it has ended the process."""
        try:
            result = self._partner.call(api, **args)
        except RuleViolation as lost:
            return str(lost)
        return f"{api} returned {result.code} ({result.name})"

    def end(self) -> None:
        """End the process, whatever state it is in."""
        self._partner.kill()

    def _made(self, api: str, output: str, **args: Any) -> Any:
        return require(self._partner.call(api, **args), "preparing another process")[output]


@contextmanager
def imported_block(case: Case, faults: Sequence[str]) -> Iterator[int]:
    """The address here of 2 MiB that another process has allocated and exported to everybody."""
    call = case.engine.c.call
    other = Partner(outfit(case, faults))
    try:
        policy, flag = "ACL_MEM_MALLOC_HUGE_ONLY", "ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION"
        theirs = require(other.call("aclrtMalloc", size=SIZE, policy=policy), "allocating there").devPtr
        named = {"key": bytes(KEY_LENGTH), "len": KEY_LENGTH, "flags": flag}
        export = other.call("aclrtIpcMemGetExportKey", devPtr=theirs, size=SIZE, **named)
        key = bytes(require(export, "exporting memory")["key"]).rstrip(b"\0")
        ours = require(call("aclrtIpcMemImportByKey", key=key, flags=0), "importing memory").devPtr
        try:
            yield int(ours)
        finally:
            require(call("aclrtIpcMemClose", key=key), "closing the import")
            other.call("aclrtIpcMemClose", key=key)
            other.call("aclrtFree", devPtr=theirs)
    finally:
        other.close()
