"""What a process holds of memory that is shared by key: noted call by call, given back in the right order."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from harness.device import DeviceError, require
from suites.tracked import Caller

_DOING = "giving shared memory back"


class KeyBooks:
    """The blocks, keys, imports and streams of a process, by the calls that made them and gave them back."""

    def __init__(self) -> None:
        self.blocks: set[int] = set()
        """Start of every live block of aclrtMalloc."""
        self.exported: set[str] = set()
        """Keys of this process that are open."""
        self.imported: Counter[str] = Counter()
        """Key of another process -> how often it was imported and not closed."""
        self.streams: set[int] = set()
        self._lenient = False

    def outcome_open(self) -> None:
        """The call under test may leave things in a state in which giving them back is refused."""
        self._lenient = True

    def note(self, api: str, args: dict[str, Any], result: Any) -> None:
        """Take down a call; one that failed, or was given nowhere to put its answer, changes nothing."""
        if not result.ok:
            return
        if api == "aclrtMalloc":
            self.blocks.add(result.outputs["devPtr"])
        elif api == "aclrtFree":
            self.blocks.discard(_int(args["devPtr"]))
        elif api == "aclrtIpcMemGetExportKey":
            if key := _key(result.outputs.get("key", args.get("key"))):
                self.exported.add(key)
        elif api == "aclrtIpcMemImportByKey":
            if "devPtr" in result.outputs:
                self.imported[_key(args["key"])] += 1
        elif api == "aclrtIpcMemClose":
            self._closed(_key(args["key"]))
        elif api == "aclrtCreateStream":
            self.streams.add(result.outputs["stream"])

    def give_back(self, caller: Caller) -> None:
        """Close, free and destroy all that is left; unless the outcome is open, DeviceError for the first
        call that fails.

        Whatever fails, everything is tried.
        """
        problems = [problem for step in self._steps(caller) if (problem := _tried(step)) is not None]
        for held in (self.blocks, self.exported, self.imported, self.streams):
            held.clear()
        if problems and not self._lenient:
            raise problems[0]

    def _closed(self, key: str) -> None:
        # A process that has imported its own key closes the import first.
        if self.imported[key] > 0:
            self.imported[key] -= 1
        else:
            self.exported.discard(key)

    def _steps(self, caller: Caller) -> list[Callable[[], Any]]:
        calls: list[tuple[str, dict[str, Any]]] = []
        calls += [("aclrtIpcMemClose", {"key": key}) for key in self.imported.elements()]
        calls += [("aclrtIpcMemClose", {"key": key}) for key in self.exported]
        calls += [("aclrtFree", {"devPtr": start}) for start in self.blocks]
        calls += [("aclrtDestroyStream", {"stream": stream}) for stream in self.streams]
        return [partial(_call, caller, api, args) for api, args in calls]


def key_text(buffer: bytes) -> str:
    """The key in a buffer: its characters up to the zero byte at the end."""
    return buffer.partition(b"\0")[0].decode("utf-8", "surrogateescape")


def _key(value: Any) -> str:
    """A key given as a text, as bytes, or as a block that holds it; empty for none."""
    if value is None or isinstance(value, str):
        return value or ""
    return key_text(value.read().tobytes() if hasattr(value, "read") else bytes(value))


def _int(value: Any) -> int:
    return operator.index(getattr(value, "ptr", value))


def _call(caller: Caller, api: str, args: dict[str, Any]) -> None:
    require(caller.call(api, **args), _DOING)


def _tried(step: Callable[[], None]) -> DeviceError | None:
    try:
        step()
    except DeviceError as error:
        return error
    return None
