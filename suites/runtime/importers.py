"""Other processes that use a notify or an event of this one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.device import require
from harness.plugin import Case
from suites.books import Books, Debt
from suites.partners import Partner, outfit_of
from suites.runtime.desk import Desk

UNLISTED = "ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION"
"""An export that any process may import."""

LISTED = "ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT"
"""An export for processes of a list only."""

_KEY_BYTES = 65


class _Imports(Books):
    """Notifies, events and streams of another process."""

    doing = "giving back what another process has imported"

    def __init__(self) -> None:
        super().__init__()
        self._held: list[Debt] = []

    def _note(self, api: str, args: dict[str, Any], result: Any) -> None:
        if api == "aclrtNotifyImportByKey":
            self._held.append(("aclrtDestroyNotify", {"notify": result.notify}))
        elif api == "aclrtIpcOpenEventHandle":
            self._held.append(("aclrtDestroyEvent", {"event": result.event}))
        elif api == "aclrtCreateStream":
            self._held.append(("aclrtDestroyStream", {"stream": result.stream}))
        elif (api, args) in self._held:
            self._held.remove((api, args))

    def _debts(self) -> Iterator[Debt]:
        return reversed(self._held)

    def _forget(self) -> None:
        self._held.clear()


class Importer(Partner):
    """Another process with device 0 set, on the surface under test; it ends with the case."""

    def __init__(self, case: Case) -> None:
        super().__init__(outfit_of(case, case.surface), _Imports())
        case.resources.at_end(self.close)

    def must(self, api: str, **args: Any) -> Any:
        """A call there that has to succeed."""
        return require(self.call(api, **args), "preparing another process")

    def take(self, key: str, flags: int = 0) -> Any:
        """The answer there to importing a notify."""
        return self.call("aclrtNotifyImportByKey", key=key, flags=flags)

    def open(self, handle: dict[str, Any]) -> Any:
        """The answer there to opening an event."""
        return self.call("aclrtIpcOpenEventHandle", handle=handle)

    def stream(self) -> int:
        """A stream there."""
        return int(self.must("aclrtCreateStream").stream)

    def record(self, notify: int) -> Any:
        """The answer there to recording a notify on a stream, which is waited for."""
        stream = self.stream()
        result = self.call("aclrtRecordNotify", notify=notify, stream=stream)
        self.must("aclrtSynchronizeStream", stream=stream)
        return result


class Exports:
    """What this process lets others have."""

    def __init__(self, case: Case, desk: Desk) -> None:
        self._case, self._desk = case, desk

    def process(self) -> Importer:
        """Another process."""
        return Importer(self._case)

    def key(self, notify: int, flags: str = UNLISTED) -> str:
        """The key of a notify."""
        room = self._case.resources.memory().pageable(_KEY_BYTES)
        self._desk.must("aclrtNotifyGetExportKey", notify=notify, key=room, len=_KEY_BYTES, flags=flags)
        return room.read().tobytes().partition(b"\0")[0].decode("ascii", "replace")

    def handle(self, event: int) -> dict[str, Any]:
        """The handle of an event for other processes."""
        handle: dict[str, Any] = self._desk.must("aclrtIpcGetEventHandle", event=event).handle
        return handle
