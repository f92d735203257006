"""Device memory that belongs to another process and is imported here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from harness.device import require
from harness.plugin import Case
from suites.memory.copy.layout import MIB
from suites.memory.virtual.partners import Outfit, Partner

SIZE = 2 * MIB
KEY_LENGTH = 65


@contextmanager
def imported_block(case: Case, faults: Sequence[str]) -> Iterator[int]:
    """The address here of 2 MiB that another process has allocated and exported to everybody."""
    engine = case.engine
    target, profile = engine.target, case.profile.spec
    other = Partner(
        Outfit(target.path, profile, engine.contract, hardware=target.hardware, faults=tuple(faults))
    )
    try:
        policy, flag = "ACL_MEM_MALLOC_HUGE_ONLY", "ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION"
        theirs = require(other.call("aclrtMalloc", size=SIZE, policy=policy), "allocating there").devPtr
        named = {"key": bytes(KEY_LENGTH), "len": KEY_LENGTH, "flags": flag}
        export = other.call("aclrtIpcMemGetExportKey", devPtr=theirs, size=SIZE, **named)
        key = bytes(require(export, "exporting memory")["key"]).rstrip(b"\0")
        ours = require(engine.c.call("aclrtIpcMemImportByKey", key=key, flags=0), "importing memory").devPtr
        try:
            yield int(ours)
        finally:
            require(engine.c.call("aclrtIpcMemClose", key=key), "closing the import")
            other.call("aclrtIpcMemClose", key=key)
            other.call("aclrtFree", devPtr=theirs)
    finally:
        other.close()
