"""What processes were doing that cannot be asked any more: their last calls, from the journals they leave.

A case's process has its journal in a folder of its worker. The other processes that the case asks for have
theirs beside it, so that whoever tells of a death can say in which of them it was.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.binding import read_journal
from harness.contract import Contract
from harness.plugin.records import journalled_calls


def journal_of(own: Path | None, process: int) -> Path | None:
    """Where another process of a case has its journal: beside that of the case, where that has one."""
    return None if own is None else own.with_name(f"{own.name}-{process}")


def last_calls(journal: Path | None, contract: Contract) -> list[dict[str, Any]]:
    """The calls of a journal as a record has them; none where there is no journal that can be read."""
    if journal is None or not journal.exists():
        return []
    try:
        entries = read_journal(journal)
    except (OSError, ValueError):
        return []
    return journalled_calls(entries, lambda api: [param.name for param in contract.functions[api].params])


def inside(calls: list[dict[str, Any]]) -> str:
    """The calls that have not returned, those of all threads: ` in aclrtFree(devPtr=0) and …`; or nothing."""
    found = [
        f"{call['function']}({', '.join(f'{name}={value}' for name, value in call['args'].items())})"
        for call in calls
        if not call["returned"]
    ]
    # The latest first: in most cases it is the one.
    return f" in {' and '.join(dict.fromkeys(reversed(found)))}" if found else ""


def where(calls: list[dict[str, Any]], journal: Path | None, contract: Contract) -> str:
    """Which of its calls a process was in when it died; else those that other processes of its case are in;
    else the one it had made last. `journal` is the one that the calls are from.
    """
    found = inside(calls)
    if found or journal is None:
        return found
    for other in sorted(journal.parent.glob(f"{journal.name}-*")):
        if found := inside(last_calls(other, contract)):
            return f" while another process was{found}"
    return f" after {calls[-1]['function']}" if calls else ""
